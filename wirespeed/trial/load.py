"""Loads: the streams of a profile for each port, with latency streams and signatures. Pure; nothing is sent here."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.trial.frame_kinds import kinds_sent
from wirespeed.trial.mix import Mix, mix_of, shortest_bytes
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES, Rate, l1_bits

StreamItem = dict[str, Any]
"""A stream as it is added to a port: its `stream_id` and `stream`."""

_TAIL_BYTES = 16
"""Bytes at the end of a packet for a latency stream or a payload signature."""

_FIRST_GROUP = 0x5000
_ETHER_TYPE_AT = 12


@dataclass(frozen=True)
class LatencyStream:
    """Packets at a steady rate in addition to the load, counted under packet group `group`; the length includes the
    FCS."""

    group: int
    rate_pps: float
    frame_bytes: float


@dataclass(frozen=True)
class PortLoad:
    """Load of one port. `groups` are the packet groups that count all of it, () if nothing is counted by signature;
    `numbered`: all packets have numbers, of a signature or a latency stream."""

    streams: tuple[StreamItem, ...]
    mix: Mix
    latency: LatencyStream | None = None
    groups: tuple[int, ...] = ()
    numbered: bool = False

    @property
    def first_stream(self) -> int:
        """The number of a stream that sends."""
        return next(int(item["stream_id"]) for item in self.streams if item["stream"].get("enabled", True))

    def intended(self, rate: Rate, line_bps: float | None) -> Rate:
        """The rate to request from a server so that it sends the profile at `rate`. The latency stream is added, up to
        line rate."""
        if self.latency is None:
            return rate
        packets, bits = self.latency.rate_pps, self.latency.rate_pps * l1_bits(self.latency.frame_bytes)
        if line_bps and rate.pps(self.mix.mean_frame_bytes, line_bps) * self._frame_bits + bits > line_bps:
            return Rate(line_bps, "bpsl1")
        match rate.unit:
            case "pps":
                return Rate(rate.value + packets, "pps")
            case "bps":
                return Rate(rate.value + packets * self.latency.frame_bytes * 8, "bps")
            case "bpsl1":
                return Rate(rate.value + bits, "bpsl1")
            case "percentage":
                return Rate(rate.value + bits / line_bps * 100 if line_bps else rate.value, "percentage")

    @property
    def _frame_bits(self) -> float:
        return l1_bits(self.mix.mean_frame_bytes)


@dataclass(frozen=True)
class TrialLoad:
    """The streams of every sending port."""

    ports: Mapping[int, PortLoad]

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of control frames that belong to the load."""
        return frozenset().union(*(kinds_sent(port.streams) for port in self.ports.values()))

    @property
    def has_signature(self) -> bool:
        """True if test frames are identified by signatures."""
        return any(port.groups for port in self.ports.values())


def load_of(
    streams: Mapping[int, Sequence[StreamItem]], *, latency_pps: float | None = None, signature: bool = False
) -> TrialLoad:
    """The load that `streams` (by sending port) make, each port with a latency stream of `latency_pps` if that is
    given, and with all its packets counted as its own if `signature` is. UsageError for streams that cannot be used
    so."""
    taken = {
        int(item["stream"]["flow_stats"].get("stream_id", 0))
        for items in streams.values()
        for item in items
        if item["stream"]["flow_stats"].get("enabled")
    }
    free = (group for group in range(_FIRST_GROUP, 2 * _FIRST_GROUP + len(taken)) if group not in taken)
    loads = {}
    for port, items in streams.items():
        own = [deepcopy(item) for item in items]
        mix = mix_of(own)
        groups: tuple[int, ...] = ()
        if signature:
            own, groups = _marked(own, next(free))
        numbered = signature and all(_is_numbered(item["stream"]) for item in own)
        latency = None
        if latency_pps is not None:
            item, latency = _latency_stream(own, next(free), latency_pps)
            own.append(item)
            groups = (*groups, latency.group) if signature else ()
        loads[port] = PortLoad(tuple(own), mix, latency, groups, numbered)
    return TrialLoad(loads)


def _marked(items: list[StreamItem], group: int) -> tuple[list[StreamItem], tuple[int, ...]]:
    """The streams counted under `group`, those of latency under their own; and all these groups."""
    groups = [group]
    for item in items:
        stream = item["stream"]
        if _is_latency(stream):
            groups.append(int(stream["flow_stats"]["stream_id"]))
            continue
        packet = base64.b64decode(stream["packet"]["binary"])
        start = payload_at(packet)
        if start is None:
            raise UsageError(
                f"--signature cannot tell stream {item['stream_id']} of the profile from other traffic: it sends no "
                "plain IPv4 or IPv6; leave --signature out, or choose another profile"
            )
        room = shortest_bytes(stream) - start >= _TAIL_BYTES
        stream["flow_stats"] = _group(group, "stats") | ({"payload_signature": True} if room else {})
    return items, tuple(groups)


def _latency_stream(items: Sequence[StreamItem], group: int, rate_pps: float) -> tuple[StreamItem, LatencyStream]:
    """A stream of single packets like the load's first that has room for a time stamp, in one flow."""
    for item in items:
        stream = item["stream"]
        packet = base64.b64decode(stream["packet"]["binary"])
        start = payload_at(packet)
        if start is None or max(len(packet), MIN_FRAME_BYTES - FCS_BYTES) - start < _TAIL_BYTES:
            continue
        padded = packet.ljust(MIN_FRAME_BYTES - FCS_BYTES, b"\0")
        probe = {
            **deepcopy(stream),
            **{"enabled": True, "self_start": True, "start_paused": False, "isg": 0.0, "next_stream_id": -1},
            "action_count": 0,
            "mode": {"type": "continuous", "rate": {"type": "pps", "value": rate_pps}},
            "packet": {"binary": base64.b64encode(padded).decode(), "meta": ""},
            "vm": {"instructions": []},
            "flow_stats": _group(group, "latency"),
        }
        number = 1 + max(int(other["stream_id"]) for other in items)
        return {"stream_id": number, "stream": probe}, LatencyStream(group, rate_pps, len(padded) + FCS_BYTES)
    raise UsageError(
        f"--latency needs {_TAIL_BYTES} bytes of payload in an IPv4 or IPv6 packet, and no stream of the profile has "
        "them: leave --latency out, or choose another profile or size"
    )


def payload_at(frame: bytes) -> int | None:
    """Offset of the payload in a plain IPv4 or IPv6 frame, behind up to two VLAN tags; None for other frames."""
    at = _ETHER_TYPE_AT
    while frame[at : at + 2] in (b"\x81\x00", b"\x88\xa8") and at < _ETHER_TYPE_AT + 8:
        at += 4
    kind, network = frame[at : at + 2], frame[at + 2 :]
    if kind == b"\x08\x00" and len(network) >= 20:
        header, protocol = (network[0] & 0xF) * 4, network[9]
    elif kind == b"\x86\xdd" and len(network) >= 40:
        header, protocol = 40, network[6]
    else:
        return None
    transport = network[header:]
    if protocol == 6:
        return at + 2 + header + ((transport[12] >> 4) * 4 if len(transport) > 12 else 20)
    return at + 2 + header + (8 if protocol in (1, 17, 58) else 0)


def _group(group: int, rule: str) -> dict[str, Any]:
    return {"enabled": True, "stream_id": group, "rule_type": rule, "vxlan": False, "ieee_1588": False}


def _is_numbered(stream: dict[str, Any]) -> bool:
    return _is_latency(stream) or bool(stream["flow_stats"].get("payload_signature"))


def _is_latency(stream: dict[str, Any]) -> bool:
    flow = stream["flow_stats"]
    return bool(flow.get("enabled")) and flow.get("rule_type") == "latency"
