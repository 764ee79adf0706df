"""Packets that clients asked to see: captures, and the receive queues of ports.

The core copies what passes on the chosen ports; it is read here now and then, filtered and kept until it is fetched.
What comes faster than it is read is counted as missed: captures are for control traffic and low rates.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed._native.flow_records import Captured
from wirespeed._native.generator import GeneratorCore
from wirespeed.generator.pcap import PacketFilter
from wirespeed.generator.rpc import failed

Json = dict[str, Any]

SLOTS = 4096
"""Packets of one capture that may wait in the core until they are read."""

MAX_CAPTURES = 10
MAX_PACKETS = 1_000_000
MAX_BYTES = 256 << 20
"""What one capture keeps at most, beside its limit."""

_READ_AT_ONCE = 2048
_REPLY_BYTES = 700_000
"""An answer may have 999 999 bytes, and base64 adds a third."""


@dataclass(frozen=True)
class _Kept:
    index: int
    packet: Captured


@dataclass
class Capture:
    """What is looked at, and what was kept so far. `cyclic` forgets the oldest when it is full."""

    core_id: int
    tx_ports: tuple[int, ...]
    rx_ports: tuple[int, ...]
    limit: int
    cyclic: bool
    filter: PacketFilter
    started_s: float
    stopped: bool = False
    matched: int = 0
    fetched: int = 0
    size_bytes: int = 0
    missed: int = 0
    packets: deque[_Kept] = field(default_factory=deque)

    def take(self, packet: Captured) -> None:
        if not self.filter.matches(packet.data, packet.packet_len):
            return
        self.matched += 1
        if self._full:
            if not self.cyclic:
                return
            self.size_bytes -= len(self.packets.popleft().packet.data)
        self.packets.append(_Kept(self.matched, packet))
        self.size_bytes += len(packet.data)

    @property
    def _full(self) -> bool:
        return len(self.packets) >= self.limit or self.size_bytes >= MAX_BYTES

    def fetch(self, limit: int, snap_len: int = 0) -> list[Json]:
        """Take out the oldest packets, as many as fit into an answer."""
        taken: list[Json] = []
        size = 0
        while self.packets and len(taken) < limit and size < _REPLY_BYTES * 3 // 4:
            kept = self.packets.popleft()
            packet, data = kept.packet, kept.packet.data[: snap_len or None]
            size += len(data) + 100
            self.size_bytes -= len(packet.data)
            taken.append(
                {
                    "binary": base64.b64encode(data).decode(),
                    "origin": "TX" if packet.is_tx else "RX",
                    "port": packet.port,
                    "ts": packet.at_s,
                    "index": kept.index,
                    "wirelen": packet.packet_len,
                }
            )
        self.fetched += len(taken)
        return taken


class Captures:
    """All captures of the process, by number; numbers count from 1 and are not used again."""

    def __init__(self, core: GeneratorCore) -> None:
        self._core = core
        self._captures: dict[int, Capture] = {}
        self._queues: dict[int, Capture] = {}
        self._last = 0

    @property
    def active(self) -> bool:
        return any(not one.stopped for one in (*self._captures.values(), *self._queues.values()))

    def start(
        self,
        tx_ports: Sequence[int],
        rx_ports: Sequence[int],
        limit: int,
        cyclic: bool = False,
        filter_text: str = "",
        snap_len: int = 0,
    ) -> tuple[int, float]:
        """The new capture's number and the time it began."""
        if len(self._captures) >= MAX_CAPTURES:
            raise failed(f"{MAX_CAPTURES} captures are there already; remove one first")
        if not tx_ports and not rx_ports:
            raise failed("a capture needs a port: give 'tx', 'rx' or both")
        capture = self._begin(tx_ports, rx_ports, limit, cyclic, filter_text, snap_len)
        self._last += 1
        self._captures[self._last] = capture
        return self._last, capture.started_s

    def _begin(
        self, tx_ports: Sequence[int], rx_ports: Sequence[int], limit: int, cyclic: bool, text: str, snap_len: int
    ) -> Capture:
        if not 1 <= limit <= MAX_PACKETS:
            raise failed(f"limit of {limit} packets; give 1 to {MAX_PACKETS}")
        packet_filter = PacketFilter(text)
        core_id = self._core.start_capture(tx_ports, rx_ports, SLOTS, snap_len=snap_len)
        now_s = self._core.now_s()
        return Capture(core_id, tuple(tx_ports), tuple(rx_ports), limit, cyclic, packet_filter, now_s)

    def read(self) -> None:
        """Bring in what waits in the core."""
        for capture in (*self._captures.values(), *self._queues.values()):
            self._read(capture)

    def _read(self, capture: Capture) -> None:
        if capture.stopped:
            return
        for packet in self._core.read_capture(capture.core_id, _READ_AT_ONCE):
            capture.take(packet)
        capture.missed = self._core.capture_missed(capture.core_id)

    def get(self, number: int) -> Capture:
        found = self._captures.get(number)
        if found is None:
            raise failed(f"capture {number} does not exist")
        self._read(found)
        return found

    def stop(self, number: int) -> Capture:
        capture = self.get(number)
        self._end(capture)
        return capture

    def remove(self, number: int) -> None:
        self.stop(number)
        del self._captures[number]

    def _end(self, capture: Capture) -> None:
        if not capture.stopped:
            self._core.stop_capture(capture.core_id)
            capture.stopped = True

    def status(self) -> list[Json]:
        """`missed` is ours: packets that came faster than they were read."""
        self.read()
        return [
            {
                "id": number,
                "state": "STOPPED" if one.stopped else "ACTIVE",
                "limit": one.limit,
                "count": len(one.packets),
                "bytes": one.size_bytes,
                "matched": one.matched,
                "fetched": one.fetched,
                "missed": one.missed,
                "mode": "cyclic" if one.cyclic else "fixed",
                "filter": {"bpf": one.filter.text, "tx": _mask(one.tx_ports), "rx": _mask(one.rx_ports)},
            }
            for number, one in self._captures.items()
        ]

    def open_queue(self, port: int, size: int) -> None:
        """Keep the newest `size` packets that the port receives."""
        opened = self._begin((), (port,), size, True, "", 0)
        self.close_queue(port)
        self._queues[port] = opened

    def close_queue(self, port: int) -> None:
        queue = self._queues.pop(port, None)
        if queue is not None:
            self._end(queue)

    def queue(self, port: int) -> Capture | None:
        queue = self._queues.get(port)
        if queue is not None:
            self._read(queue)
        return queue


def _mask(ports: Sequence[int]) -> int:
    return sum(1 << port for port in ports)
