"""Packets sent once, in addition to the streams: pushed by clients, and the ports' own answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from wirespeed._native.generator import NativeGenerator
from wirespeed.generator.rpc import failed

MAX_WAITING = 20_000
"""Packets of one port that wait to be sent."""

MAX_ANSWERS = 256
"""Batches that may wait before the port's own answers are left out."""


class Pushes:
    """The core takes one batch per port at a time; further packets wait here until `flush`."""

    def __init__(self, core: NativeGenerator) -> None:
        self._core = core
        self._waiting: list[deque[tuple[Sequence[bytes], float]]] = [deque() for _ in range(core.port_count())]

    @property
    def active(self) -> bool:
        return any(self._waiting)

    def waits(self, port: int) -> bool:
        return bool(self._waiting[port])

    def push(self, port: int, packets: Sequence[bytes], gap_us: float = 0.0) -> None:
        """Send packets, each `gap_us` after the one before it."""
        waiting = self._waiting[port]
        if sum(len(batch) for batch, _ in waiting) + len(packets) > MAX_WAITING:
            raise failed(f"more than {MAX_WAITING} pushed packets of port {port} wait to be sent; push fewer at a time")
        waiting.append((packets, gap_us))
        self.flush()

    def answer(self, port: int, packet: bytes) -> None:
        """Send the port's own answer, unless too many are waiting."""
        if len(self._waiting[port]) < MAX_ANSWERS:
            self.push(port, [packet])

    def flush(self) -> None:
        for port, waiting in enumerate(self._waiting):
            if waiting and not self._core.push_left(port):
                self._core.push(port, *waiting.popleft())
