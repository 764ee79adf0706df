"""The socket at which a router hands out its statistics segment, as VPP does: each client that connects gets one
message with a descriptor of it, and then the end. The descriptor is open for reading only."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from array import array
from collections.abc import Iterator
from pathlib import Path

_RETRY_S = 1.0
_AT_ONCE = 64
"""Clients served before others of the loop have their turn."""


class StatsServer:
    """Serves `listener` from an event loop, which it never blocks: what a client does or does not do is its own
    matter. `segment` stays open for as long."""

    def __init__(self, listener: socket.socket, segment: int) -> None:
        self._listener, self._segment = listener, segment
        self._loop: asyncio.AbstractEventLoop | None = None
        self._retry: asyncio.TimerHandle | None = None
        listener.setblocking(False)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._retry = loop, None
        loop.add_reader(self._listener, self._accept)

    def stop(self) -> None:
        if self._loop is None:
            return
        self._loop.remove_reader(self._listener)
        if self._retry is not None:
            self._retry.cancel()
        self._loop = None

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                client, _ = self._listener.accept()
            except BlockingIOError:
                return
            except ConnectionError:
                continue
            except OSError:
                # No descriptors are left: the client waits, and the loop must not turn in vain meanwhile.
                self._wait()
                return
            with client:
                self._hand_out(client)

    def _hand_out(self, client: socket.socket) -> None:
        client.setblocking(False)
        # One that is gone already has missed it.
        with contextlib.suppress(OSError):
            client.sendmsg([b""], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [self._segment]))])

    def _wait(self) -> None:
        assert self._loop is not None
        self._loop.remove_reader(self._listener)
        self._retry = self._loop.call_later(_RETRY_S, self.start, self._loop)


@contextlib.contextmanager
def opened(file: Path) -> Iterator[int]:
    """A descriptor of the segment in `file`, for reading."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
