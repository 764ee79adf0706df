"""wirespeed programs as started by a trial, with all of their output captured, on a terminal if needed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.programs import wirespeed
from harness.waiting import PATIENCE_S

from trials import sanitized
from trials.trial import Fault, until
from wirespeed.client.generator_client import GeneratorClient

RPC = "127.0.0.1:4501"
"""The generator's default address: a trial has a network of its own."""

RING = ("--port", "ring:loop,speed=10G", "--port", "ring:loop,speed=10G", "--hugepages", "never")
"""A generator whose port is connected to itself."""


class Started:
    """`wirespeed WORDS` in a process group of its own. `terminal`: on a terminal of 80 columns by 24 lines; `core`:
    with that build of the native part, which has sanitizers.
    """

    def __init__(self, words: Sequence[str], *, terminal: bool = False, core: str = "") -> None:
        self.words = tuple(words)
        self._said = bytearray()
        master = -1
        if terminal:
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        else:
            master, slave = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "trials.sanitized", core, *words] if core else wirespeed(*words),
            stdin=slave if terminal else subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            # It must lead a session to own the terminal, so that it gets a hang-up. Otherwise a group is enough:
            # the kernel may let one session's polling threads starve another's.
            start_new_session=terminal,
            process_group=None if terminal else 0,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if terminal else None,  # noqa: PLW1509
            env={**os.environ, "TERM": "xterm-256color", **(sanitized.environment() if core else {})},
        )
        os.close(slave)
        self._master, self._is_terminal = master, terminal
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                if not select.select([self._master], [], [], 0.1)[0]:
                    continue
                piece = os.read(self._master, 65_536)
            except (OSError, ValueError):
                return  # the other end of the terminal is closed
            if not piece:
                return
            self._said += piece

    @property
    def said(self) -> str:
        return bytes(self._said).decode(errors="replace")

    @property
    def last_words(self) -> str:
        return " | ".join(self.said.strip().splitlines()[-3:])[-400:]

    def wait_for(self, text: str) -> bool:
        """True if it prints this in time; False too if it ends before."""
        until(lambda: text in self.said or self.process.poll() is not None)
        if self.process.poll() is not None:
            self._reader.join(5.0)
        return text in self.said

    def must_say(self, text: str) -> None:
        if not self.wait_for(text):
            raise Fault(f"`{self.words[0]}` did not start (code {self.process.poll()}): {self.last_words}")

    def send(self, number: signal.Signals) -> None:
        if number == signal.SIGHUP and self._is_terminal:
            os.close(self._master)  # the window is closed: the kernel sends the signal
            self._master = -1
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, number)

    def end(self, number: signal.Signals = signal.SIGTERM, patience_s: float = PATIENCE_S) -> int | None:
        """Ask it to end; returns its exit code, or None if it had to be killed."""
        self.send(number)
        try:
            code = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self.forget()
        return code

    def forget(self) -> None:
        """Release the output of an ended program."""
        self._reader.join(5.0)
        with contextlib.suppress(OSError):
            os.close(self._master)

    def __enter__(self) -> Started:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.end()


@contextmanager
def generator(*words: str, rpc: str = RPC) -> Iterator[Started]:
    """A generator that is ready; by default its port is connected to itself."""
    with Started(["generator", *(words or RING), "--rpc", rpc]) as made:
        made.must_say("ready")
        yield made


@contextmanager
def router(directory: Path, *interfaces: str, lines: str = "", core: str = "") -> Iterator[tuple[Started, Path]]:
    """A router that is ready, and its control socket. `core` is as for `Started`."""
    socket, start = directory / "router.sock", directory / "router.conf"
    start.write_text(lines)
    words = ["router", "--socket", str(socket), "--exec", str(start), "--hugepages", "never"]
    for interface in interfaces:
        words += ["--interface", interface]
    with Started(words, core=core) as made:
        made.must_say("ready")
        yield made, socket


@contextmanager
def connected(rpc: str = RPC, timeout_s: float = 20.0) -> Iterator[GeneratorClient]:
    with GeneratorClient(rpc, timeout_s=timeout_s) as client:
        client.connect()
        yield client


def open_files(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def resident_kb(pid: int) -> int:
    """Private memory of the process, without memory shared with others (buffers of memif)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0
