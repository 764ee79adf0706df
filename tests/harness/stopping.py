"""Stopping a process (SIGSTOP)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from harness.waiting import wait_for


def stop_process(pid: int) -> None:
    """Stop all threads of a process, until SIGCONT. One thread takes the signal and stops the others once it has a CPU;
    until then they continue.
    """
    os.kill(pid, signal.SIGSTOP)
    tasks = Path(f"/proc/{pid}/task")
    wait_for(lambda: all(") T " in (task / "stat").read_text() for task in tasks.iterdir()), f"{pid} to stop")
