"""wirespeed's RPC server on the fake core, with a real socket, for console tests."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any, Self

import zmq
from fake_generator import FakeGenerator
from rich.text import Text

from wirespeed.console.running import run_line
from wirespeed.console.session import Session
from wirespeed.generator.server import Server


class ConsoleServer:
    """Use as a context manager; `address` is its HOST:PORT. The core's clock moves only by `advance`, or
    `follows_clock`, the real one.
    """

    def __init__(self, port: int | None = None, follows_clock: bool = False) -> None:
        self._follows_clock = follows_clock
        self.core = FakeGenerator()
        self.server = Server(self.core)
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        if port is None:
            port = self._socket.bind_to_random_port("tcp://127.0.0.1")
        else:
            self._socket.bind(f"tcp://127.0.0.1:{port}")
        self.port = port
        self.address = f"127.0.0.1:{port}"
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if not self._ending.is_set():
            self._ending.set()
            self._thread.join()
            self._socket.close()
            self._context.term()

    def advance(self, seconds: float) -> None:
        """Let traffic run for that long, in steps between which the server polls."""
        for _ in range(max(1, round(seconds / 0.5))):
            with self._lock:
                self.core.advance(0.5)
                self.server.tick()

    def _serve(self) -> None:
        before_s = time.monotonic()
        while not self._ending.is_set():
            if self._follows_clock:
                now_s = time.monotonic()
                self.core.advance(now_s - before_s)
                self.server.tick()
                before_s = now_s
            if self._socket.poll(5 if self._follows_clock else 20):
                message = self._socket.recv()
                with self._lock:
                    answer = self.server.handle(message)
                self._socket.send(answer)


class RecordingScreen:
    """Records what commands show."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.told: list[str] = []

    def show(self, text: Text | str = "") -> None:
        self.shown.append(text if isinstance(text, str) else text.plain)

    def notify(self, text: str) -> None:
        self.told.append(text)


class Driver:
    """A session and the output of its commands: `out` of the last line, `errors` of all."""

    def __init__(self, address: str, **kinds: Any) -> None:
        self.screen = RecordingScreen()
        self.session = Session(address, self.screen, **kinds)
        self.session.connect()
        self.errors: list[str] = []

    def __call__(self, line: str) -> str:
        """Run a line that must succeed; returns its output."""
        before = len(self.errors)
        code = self.code(line)
        assert (code, self.errors[before:]) == (0, [])
        return self.out

    def refused(self, line: str) -> str:
        """Run a line that must be refused with one line of text."""
        before = len(self.errors)
        assert self.code(line) != 0
        [error] = self.errors[before:]
        assert "\n" not in error
        return error

    def code(self, line: str) -> int:
        self.screen.shown.clear()
        return run_line(self.session, line, self.errors.append)

    @property
    def out(self) -> str:
        return "\n".join(self.screen.shown)

    def close(self) -> None:
        self.session.leave()
