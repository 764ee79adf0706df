"""A wirespeed program as a child process: started, awaited and ended; never left behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

from wirespeed.bound_child import bound_to_parent
from wirespeed.errors import EnvironmentFault, WirespeedError, error_of


class Child:
    """`wirespeed COMMAND …` in a separate process; its output is in `log`.

    The child prints a line that begins with `ready` once it serves. It gets a signal to end if its parent dies in any
    way.
    """

    def __init__(
        self,
        name: str,
        arguments: list[str],
        log: Path,
        cpus: frozenset[int] = frozenset(),
        program: Path | None = None,
    ) -> None:
        """`cpus` are those it may use; none given: those of this process. `program` is another build's `wirespeed`,
        else it is this one."""
        self._program = [sys.executable, "-m", "wirespeed"] if program is None else [str(program)]
        self.name = name
        self._cpus = cpus or frozenset(os.sched_getaffinity(0))
        self.log = log
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, timeout_s: float = 60.0) -> Child:
        """Start it and wait for its `ready`; its own error line is raised when it ends before that."""
        with self.log.open("wb") as errors:
            self._process = subprocess.Popen(
                [*self._program, *self._arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                # A terminal's Ctrl-C reaches the parent alone, which then ends its children in order. Not a session:
                # the kernel schedules sessions as groups, and Linux 6.18 lets a polling thread of one starve another
                # session's threads on its CPU for tens of seconds (`sched_autogroup_enabled`).
                process_group=0,
                preexec_fn=bound_to_parent(self._cpus, signal.SIGTERM),  # noqa: PLW1509 - no other thread runs Python
            )
        self._wait_ready(time.monotonic() + timeout_s)
        return self

    def _wait_ready(self, deadline: float) -> None:
        assert self._process is not None and self._process.stdout is not None
        output = self._process.stdout
        os.set_blocking(output.fileno(), False)
        said = b""
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while not any(line.startswith(b"ready") for line in said.splitlines()):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self.stop()
                    raise EnvironmentFault(f"the {self.name} did not become ready; see {self.log}")
                piece = output.read()
                if not piece:
                    self._process.wait()
                    raise self._failure()
                said += piece

    def _failure(self) -> WirespeedError:
        """The child's last message, as an error of the class of its exit code."""
        assert self._process is not None
        lines = self.log.read_text(errors="replace").strip().splitlines()
        reason = lines[-1].removeprefix("wirespeed: ") if lines else f"exit code {self._process.returncode}"
        return error_of(self._process.returncode, f"the {self.name} did not start: {reason}")

    def stop(self, timeout_s: float = 10.0) -> None:
        """Ask it to end; force it when it does not. Harmless when it is gone."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
