"""The socket at which a router hands out its statistics segment, as VPP does: each client that connects gets one
message with a descriptor of it, and then the end. The descriptor is open for reading only."""

from __future__ import annotations

import contextlib
import os
import socket
from array import array
from collections.abc import Iterator
from pathlib import Path

from wirespeed.serving.accepting import Acceptor


class StatsServer:
    """Serves `listener` from an event loop, which it never blocks: what a client does or does not do is its own
    matter. `segment` stays open for as long."""

    def __init__(self, listener: socket.socket, segment: int) -> None:
        self._segment = segment
        self._acceptor = Acceptor(listener, self._hand_out, "statistics socket")

    def start(self) -> None:
        self._acceptor.start()

    def stop(self) -> None:
        self._acceptor.stop()

    def _hand_out(self, client: socket.socket) -> None:
        # One that is gone already has missed it.
        with client, contextlib.suppress(OSError):
            client.sendmsg([b""], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [self._segment]))])


@contextlib.contextmanager
def opened(file: Path) -> Iterator[int]:
    """A descriptor of the segment in `file`, for reading."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
