"""Packets that are sent once, beside the streams: those clients push, and the ports' own answers."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from wirespeed._native.generator import GeneratorCore
from wirespeed.generator.rpc import failed

MAX_WAITING = 20_000
"""Packets of one port that wait to be sent."""

MAX_ANSWERS = 256
"""Batches that may wait before the port's own answers are left out."""


class Pushes:
    """The core takes one batch of a port at a time; what comes meanwhile waits here until `flush`."""

    def __init__(self, core: GeneratorCore) -> None:
        self._core = core
        self._waiting: list[deque[tuple[Sequence[bytes], float]]] = [deque() for _ in range(core.port_count())]
        self.asked_at_s = -math.inf
        """When packets were pushed last that are no answers."""

    @property
    def active(self) -> bool:
        return any(self._waiting)

    def waits(self, port: int) -> bool:
        return bool(self._waiting[port])

    def push(self, port: int, packets: Sequence[bytes], gap_us: float = 0.0) -> None:
        """Send packets, each `gap_us` after the one before it."""
        self._send(port, packets, gap_us)
        self.asked_at_s = self._core.now_s()

    def _send(self, port: int, packets: Sequence[bytes], gap_us: float) -> None:
        waiting = self._waiting[port]
        if sum(len(batch) for batch, _ in waiting) + len(packets) > MAX_WAITING:
            raise failed(f"more than {MAX_WAITING} pushed packets of port {port} wait to be sent; push fewer at a time")
        waiting.append((packets, gap_us))
        self.flush()

    def answer(self, port: int, packet: bytes) -> None:
        """Send the port's own answer, unless so many wait that the network asks faster than it listens."""
        if len(self._waiting[port]) < MAX_ANSWERS:
            self._send(port, [packet], 0.0)

    def flush(self) -> None:
        for port, waiting in enumerate(self._waiting):
            if waiting and not self._core.push_left(port):
                self._core.push(port, *waiting.popleft())
