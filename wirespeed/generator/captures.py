"""Packets that clients asked to see: captures, and the receive queues of ports.

The core copies what passes on the chosen ports; it is read here now and then, filtered and kept until it is fetched.
What comes faster than it is read is counted as missed: captures are for control traffic and low rates.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed._native.flow_records import CapturedPacket
from wirespeed._native.generator import NativeGenerator
from wirespeed._native.pcap import PacketFilter
from wirespeed.errors import UsageError
from wirespeed.generator.memory import Memory
from wirespeed.generator.rpc import bad_parameters, failed

Json = dict[str, Any]

SLOTS = 4096
"""Packets of one capture that may wait in the core until they are read."""

MAX_CAPTURES = 10
PACKET_BYTES = 512
"""Memory of a kept packet, in addition to its data."""

_READ_AT_ONCE = 2048
_REPLY_BYTES = 700_000
"""An answer may have 999 999 bytes, and base64 adds a third."""


@dataclass(frozen=True)
class _Kept:
    index: int
    packet: CapturedPacket


@dataclass
class PacketCapture:
    """A capture: its ports and filter, and the packets kept so far. `cyclic`: the oldest packets are dropped when it is
    full, or when its session `who` has no memory left."""

    memory: Memory
    who: Hashable
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

    def take(self, packet: CapturedPacket) -> None:
        if not self.filter.matches(packet.data, packet.packet_len):
            return
        self.matched += 1
        while len(self.packets) >= self.limit or not self.memory.take(self.who, len(packet.data) + PACKET_BYTES):
            if not self.cyclic or not self.packets:
                return
            self._take_out()
        self.packets.append(_Kept(self.matched, packet))
        self.size_bytes += len(packet.data)

    def _take_out(self) -> _Kept:
        oldest = self.packets.popleft()
        self.size_bytes -= len(oldest.packet.data)
        self.memory.give(self.who, len(oldest.packet.data) + PACKET_BYTES)
        return oldest

    def forget(self) -> None:
        """Give all that is kept back."""
        while self.packets:
            self._take_out()

    def fetch(self, limit: int, snap_len: int = 0) -> list[Json]:
        """Take out the oldest packets, as many as fit into an answer."""
        taken: list[Json] = []
        size = 0
        while self.packets and len(taken) < limit and size < _REPLY_BYTES * 3 // 4:
            kept = self._take_out()
            packet, data = kept.packet, kept.packet.data[: snap_len or None]
            size += len(data) + 100
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

    def __init__(self, core: NativeGenerator, memory: Memory) -> None:
        self._core = core
        self._memory = memory
        self._captures: dict[int, PacketCapture] = {}
        self._queues: dict[int, PacketCapture] = {}
        self._last = 0

    @property
    def active(self) -> bool:
        return any(not one.stopped for one in (*self._captures.values(), *self._queues.values()))

    def start(
        self,
        who: Hashable,
        tx_ports: Sequence[int],
        rx_ports: Sequence[int],
        limit: int,
        cyclic: bool = False,
        filter_text: str = "",
        snap_len: int = 0,
    ) -> tuple[int, float]:
        """The new capture's number and the time it began; `who` is the session that pays for it with its memory."""
        if len(self._captures) >= MAX_CAPTURES:
            raise failed(f"there are {MAX_CAPTURES} captures, the maximum; remove one first")
        capture = self._begin(who, tx_ports, rx_ports, limit, cyclic, filter_text, snap_len)
        self._last += 1
        self._captures[self._last] = capture
        return self._last, capture.started_s

    def _begin(
        self,
        who: Hashable,
        tx_ports: Sequence[int],
        rx_ports: Sequence[int],
        limit: int,
        cyclic: bool,
        text: str,
        snap_len: int,
    ) -> PacketCapture:
        try:
            packet_filter = PacketFilter(text)
        except UsageError:
            raise bad_parameters(f"BPF filter: '{text}' is not a valid pattern") from None
        core_id = self._core.start_capture(tx_ports, rx_ports, SLOTS, snap_len=snap_len)
        now_s = self._core.now_s()
        ports = tuple(tx_ports), tuple(rx_ports)
        return PacketCapture(self._memory, who, core_id, *ports, limit, cyclic, packet_filter, now_s)

    def read(self) -> None:
        """Bring in what waits in the core."""
        for capture in (*self._captures.values(), *self._queues.values()):
            self._read(capture)

    def _read(self, capture: PacketCapture) -> None:
        if capture.stopped:
            return
        for packet in self._core.read_capture(capture.core_id, _READ_AT_ONCE):
            capture.take(packet)
        capture.missed = self._core.capture_missed(capture.core_id)

    def watches(self, port: int) -> bool:
        """True if a running capture watches the port."""
        return any(not one.stopped and port in (*one.tx_ports, *one.rx_ports) for one in self._captures.values())

    def get(self, number: int) -> PacketCapture:
        capture = self._captures.get(number)
        if capture is None:
            raise failed("capture ID not found")
        self._read(capture)
        return capture

    def stop(self, number: int) -> PacketCapture:
        capture = self.get(number)
        self._end(capture)
        return capture

    def remove(self, number: int) -> None:
        self.stop(number).forget()
        del self._captures[number]

    def _end(self, capture: PacketCapture) -> None:
        if not capture.stopped:
            self._core.stop_capture(capture.core_id)
            capture.stopped = True

    def status(self) -> list[Json]:
        """`missed` is an extension: packets that arrived faster than they were read."""
        self.read()
        return [
            {
                "id": number,
                "state": "STOPPED" if capture.stopped else "ACTIVE",
                "limit": capture.limit,
                "count": len(capture.packets),
                "bytes": capture.size_bytes,
                "matched": capture.matched,
                "fetched": capture.fetched,
                "missed": capture.missed,
                "mode": "cyclic" if capture.cyclic else "fixed",
                "filter": {"bpf": capture.filter.text, "tx": _mask(capture.tx_ports), "rx": _mask(capture.rx_ports)},
            }
            for number, capture in self._captures.items()
        ]

    def open_queue(self, who: Hashable, port: int, size: int) -> None:
        """Keep the newest `size` packets that the port receives."""
        opened = self._begin(who, (), (port,), size, True, "", 0)
        self.close_queue(port)
        self._queues[port] = opened

    def close_queue(self, port: int) -> None:
        queue = self._queues.pop(port, None)
        if queue is not None:
            self._end(queue)
            queue.forget()

    def queue(self, port: int) -> PacketCapture | None:
        queue = self._queues.get(port)
        if queue is not None:
            self._read(queue)
        return queue


def _mask(ports: Sequence[int]) -> int:
    return sum(1 << port for port in ports)
