"""A router process with its real sockets, on a core that forwards nothing.

Processes are forked from a server that has imported the router once, so a start costs no imports.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import sys
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from fake_router import FakeRouterCore

from wirespeed.router.console import Console
from wirespeed.router.server import open_socket, serve
from wirespeed.vpp_api.table import TABLE

if TYPE_CHECKING:
    from wirespeed.router.native import NativeRouter

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["wirespeed.router.console", "wirespeed.router.server"])


class RouterProcess:
    """Use as a context manager; leaving it sends SIGTERM. `control` and `api` are its sockets, `log` its errors.
    `loopbacks` is the number of loopback interfaces at the start. An `older` one does not report its messages.
    """

    def __init__(self, control: Path, api: Path | None = None, *, loopbacks: int = 0, older: bool = False) -> None:
        self.control, self.api = control, api
        self.log = control.with_name(control.name + ".log")
        self._told, there = _FORKS.Pipe(duplex=False)
        control.parent.mkdir(mode=0o700, exist_ok=True)
        arguments = (there, self.log, control, api, loopbacks, older)
        self._process = _FORKS.Process(target=_run, args=arguments, daemon=True)
        self._process.start()
        there.close()
        assert self._told.recv() == "ready"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._process.terminate()
        self._process.join()
        self._told.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def end(self, number: int) -> int:
        """Send a signal that ends it. Returns the number of client streams that it still held then."""
        os.kill(self.pid, number)
        held: int = self._told.recv()
        self._process.join()
        assert self._process.exitcode == 0
        return held


def _run(told: Connection, log: Path, control: Path, api: Path | None, loopbacks: int, older: bool) -> None:
    gc.disable()
    errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(errors, sys.stderr.fileno())
    if older:
        del TABLE.numbers["get_api_json"]
    core = FakeRouterCore()  # whose parts are no subclasses of the native ones: test_core_protocols.py compares them
    for instance in range(loopbacks):
        core.add_loopback(instance, None)
    with ExitStack() as listeners:
        listener = listeners.enter_context(open_socket(control))
        api_listener = None if api is None else listeners.enter_context(open_socket(api))
        serve(Console(cast("NativeRouter", core)), listener, lambda: told.send("ready"), api=api_listener)
    control.unlink(missing_ok=True)  # Python 3.13 does it itself
    told.send(sum(isinstance(one, asyncio.StreamReader) for one in gc.get_objects()))
