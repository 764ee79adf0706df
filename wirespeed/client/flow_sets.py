"""Flow sets as a client names them: which flows, what a generator counted of them. Pure.

A set has all combinations of its addresses and ports in a pseudorandom order that the seed decides; flow number f is
the f-th of them, so a set with fewer flows is the beginning of one with more.
"""

from __future__ import annotations

import base64
import ipaddress
import struct
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from wirespeed.errors import UsageError
from wirespeed.seam.flow_sets import PhaseTotals
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES

Json = dict[str, Any]
FlowRole = Literal["initiator", "responder"]
FlowOrderName = Literal["each", "random", "answer"]
FlowProtocol = Literal["udp", "tcp"]
HandshakeStep = Literal["syn", "syn-ack", "ack"]

PAYLOAD_BYTES = 16
"""Flow, number, phase and time, behind the UDP or TCP header."""
WINDOW_BYTES = 0xFF5D << 14
"""A connection's unacknowledged data, at most: what both sides announce, scaled as far as TCP can."""

_ETHERNET_BYTES, _UDP_BYTES, _TCP_BYTES, _IP4_BYTES, _IP6_BYTES = 14, 8, 20, 20, 40
_PROTOCOLS = {"udp": 17, "tcp": 6}
_DATA_FLAGS = 0x18
_HANDSHAKE_FLAGS: dict[HandshakeStep, int] = {"syn": 0x02, "syn-ack": 0x12, "ack": 0x10}
_KEEP_NO_ADDRESSES = 0
"""Flags of a stream whose MAC addresses are the port's."""


@dataclass(frozen=True)
class FlowAddresses:
    """`count` addresses, each the one before plus 1."""

    first: str
    count: int = 1

    def to_json(self) -> Json:
        return {"first": self.first, "count": self.count}


@dataclass(frozen=True)
class FlowPorts:
    """`count` UDP or TCP ports."""

    first: int
    count: int

    def to_json(self) -> Json:
        return {"first": self.first, "count": self.count}


@dataclass(frozen=True)
class FlowSet:
    """`flows` of the tuples that the ranges make; `seed` is their order. UsageError for ranges that cannot be used.

    Over TCP each flow is a connection: SYN, SYN-ACK and ACK, then data inside the window; nothing is sent twice."""

    sources: FlowAddresses
    destinations: FlowAddresses
    source_ports: FlowPorts
    destination_ports: FlowPorts
    flows: int
    seed: int = 1
    protocol: FlowProtocol = "udp"

    def __post_init__(self) -> None:
        if len({ipaddress.ip_address(one.first).version for one in (self.sources, self.destinations)}) != 1:
            raise UsageError(f"{self.sources.first} and {self.destinations.first} are of different families")
        for what, ports in (("source", self.source_ports), ("destination", self.destination_ports)):
            if not (ports.first > 0 and ports.count > 0 and ports.first + ports.count <= 1 << 16):
                raise UsageError(f"{ports.count} {what} ports from {ports.first} on: give 1 or more up to port 65535")
        if not 0 < self.flows <= self.tuples:
            raise UsageError(f"{self.flows} flows of {self.tuples} tuples: give 1 flow up to as many, or larger ranges")

    @property
    def tuples(self) -> int:
        return self.sources.count * self.destinations.count * self.source_ports.count * self.destination_ports.count

    @property
    def is_ip6(self) -> bool:
        return ipaddress.ip_address(self.sources.first).version == 6

    @property
    def smallest_frame_bytes(self) -> int:
        """Frames with a flow's number, with FCS: 64 for IPv4, 82 for IPv6; over TCP 74 and 94."""
        return max(MIN_FRAME_BYTES, self._headers_bytes + PAYLOAD_BYTES + FCS_BYTES)

    @property
    def _headers_bytes(self) -> int:
        upper = _UDP_BYTES if self.protocol == "udp" else _TCP_BYTES
        return _ETHERNET_BYTES + (_IP6_BYTES if self.is_ip6 else _IP4_BYTES) + upper

    def data_bytes(self, frame_bytes: int) -> int:
        """Bytes behind the UDP or TCP header."""
        return frame_bytes - FCS_BYTES - self._headers_bytes

    def frame(self, frame_bytes: int) -> bytes:
        """The packet that all flows have in common, without FCS; the generator writes the rest."""
        if frame_bytes < self.smallest_frame_bytes:
            family = "IPv6" if self.is_ip6 else "IPv4"
            raise UsageError(
                f"a frame of {frame_bytes} bytes has no room for a flow's number; give {self.smallest_frame_bytes} or "
                f"more for {family}"
            )
        data = self.data_bytes(frame_bytes)
        if self.protocol == "tcp":
            return self._packet(self._segment(_DATA_FLAGS) + bytes(data))
        return self._packet(struct.pack(">HHHH", *self._first_ports, _UDP_BYTES + data, 0) + bytes(data))

    def handshake(self, step: HandshakeStep, frame_bytes: int) -> bytes:
        """The same of a segment without data, where those with data are of `frame_bytes`."""
        options = b""
        if step != "ack":
            most = max(self.data_bytes(frame_bytes), 1440 if self.is_ip6 else 1460)
            options = struct.pack(">BBHBBBB", 2, 4, most, 1, 3, 3, 14)
        return self._packet(self._segment(_HANDSHAKE_FLAGS[step], options))

    @property
    def _first_ports(self) -> tuple[int, int]:
        return self.source_ports.first, self.destination_ports.first

    def _segment(self, flags: int, options: bytes = b"") -> bytes:
        offset = (_TCP_BYTES + len(options)) // 4 << 4
        return struct.pack(">HHIIBBHHH", *self._first_ports, 0, 0, offset, flags, WINDOW_BYTES >> 14, 0, 0) + options

    def _packet(self, upper: bytes) -> bytes:
        """Without FCS, with what goes behind the IP header."""
        source, destination = (ipaddress.ip_address(one.first).packed for one in (self.sources, self.destinations))
        protocol = _PROTOCOLS[self.protocol]
        if self.is_ip6:
            header = struct.pack(">IHBB", 6 << 28, len(upper), protocol, 64)
        else:
            header = struct.pack(">BBHHHBBH", 0x45, 0, _IP4_BYTES + len(upper), 0, 0, 64, protocol, 0)
        kind = b"\x86\xdd" if self.is_ip6 else b"\x08\x00"
        return bytes(12) + kind + header + source + destination + upper

    def stream(
        self,
        order: FlowOrderName,
        frame_bytes: int,
        rate_pps: float,
        packets: int | None = None,
        step: HandshakeStep | None = None,
    ) -> Json:
        """A stream of the set as it is added to a port; endless unless `packets` are given. Its segments are those of
        that step of a handshake, or have data."""
        packet = self.frame(frame_bytes) if step is None else self.handshake(step, frame_bytes)
        rate = {"type": "pps", "value": rate_pps}
        mode: Json = {"type": "continuous", "rate": rate}
        if packets is not None:
            mode = {"type": "single_burst", "rate": rate, "total_pkts": packets}
        return {
            "enabled": True,
            "self_start": True,
            "isg": 0.0,
            "flags": _KEEP_NO_ADDRESSES,
            "action_count": 0,
            "next_stream_id": -1,
            "mode": mode,
            "packet": {"binary": base64.b64encode(packet).decode(), "meta": ""},
            "vm": {"instructions": []},
            "flow_stats": {"enabled": False},
            "flow_set": order,
        }

    def to_json(self) -> Json:
        return {
            "sources": self.sources.to_json(),
            "destinations": self.destinations.to_json(),
            "source_ports": self.source_ports.to_json(),
            "destination_ports": self.destination_ports.to_json(),
            "flows": self.flows,
            "seed": self.seed,
            **({"protocol": self.protocol} if self.protocol != "udp" else {}),
        }


@dataclass(frozen=True)
class FlowCounts(PhaseTotals):
    """With the seconds from the first burst to the last, and HdrHistogram's texts, of nanoseconds: the latencies; by
    how much the latency of a frame was above that of the frame before it, and below."""

    sending_s: float = 0.0
    hdrh_ns: str = ""
    more_hdrh_ns: str = ""
    less_hdrh_ns: str = ""

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        return cls(**{field.name: raw[field.name] for field in fields(cls) if field.name in raw})
