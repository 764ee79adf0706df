"""The device between the two ports of a simulated T-Rex: the packets that it takes, holds, loses and forwards."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from trex_port import Port


@dataclass
class Device:
    """It forwards at most `capacity_pps` in each direction and `share` of the packets that it takes, after `latency_s`,
    and buffers `buffer_frames` of the excess. The tester sends at most `tester_pps`. Each port also receives
    `noise_pps` foreign frames; ports in `silent` receive nothing. During `outages` (from, to; s) it forwards nothing.
    """

    capacity_pps: float = math.inf
    share: float = 1.0
    tester_pps: float = math.inf
    buffer_frames: float = 0.0
    latency_s: float = 0.0
    noise_pps: float = 0.0
    silent: tuple[int, ...] = ()
    outages: list[tuple[float, float]] = field(default_factory=list)

    def taken(self, port: Port, until_s: float) -> tuple[int, int]:
        """Packets and bytes of a port that the device has taken by `until_s`."""
        packets, octets, _, _ = self._through(port, until_s)
        return int(packets), int(octets)

    def passed(self, port: Port, now_s: float) -> tuple[int, int]:
        """Packets and bytes of a port that have arrived at the other end."""
        _, _, packets, octets = self._through(port, now_s - self.latency_s)
        return int(packets * self.share), int(octets * self.share)

    def _through(self, port: Port, until_s: float) -> tuple[float, float, float, float]:
        taken = taken_bytes = queue = gone = gone_bytes = 0.0
        size = 0.0
        limited = self.capacity_pps != math.inf
        for since, end, pps, size in port.spans(until_s):
            rate = min(pps, self.tester_pps)
            sent: float = int(rate * (end - since))
            away = sum(max(0.0, min(end, last) - max(since, first)) for first, last in self.outages)
            lost = min(sent, min(rate, self.capacity_pps) * away)
            if limited:
                piled = max(0.0, queue + sent - self.capacity_pps * (end - since))
                queue = min(piled, self.buffer_frames)
                sent -= piled - queue
            taken, taken_bytes = taken + sent, taken_bytes + sent * size
            gone, gone_bytes = gone + lost, gone_bytes + lost * size
        return taken, taken_bytes, taken - queue - gone, taken_bytes - queue * size - gone_bytes
