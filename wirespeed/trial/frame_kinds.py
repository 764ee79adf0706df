"""Kinds of frames that streams send, by the names under which a wirespeed generator counts received frames. Pure.

Frames of a kind that no stream of a measurement sends come from others: errors of routers, address resolution, control
of the link."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

_TAGS = (b"\x81\x00", b"\x88\xa8")
_ARP, _LLDP, _IP4, _IP6 = b"\x08\x06", b"\x88\xcc", b"\x08\x00", b"\x86\xdd"
_CONTROL = bytes.fromhex("0180c2")
_ICMP, _ICMP6 = 1, 58
_ICMP_ERRORS = (3, 4, 5, 11, 12)
_ICMP6_ERRORS = range(1, 128)
_NEIGHBOUR_DISCOVERY = range(133, 138)
_IP6_HEADER_BYTES = 40


def frame_kind(frame: bytes) -> str | None:
    """icmp_error, icmp6_error, arp, nd, lldp or control; None of what loads consist of. `frame` is without FCS."""
    at = 12
    while frame[at : at + 2] in _TAGS and at < 20:
        at += 4
    kind, network = frame[at : at + 2], frame[at + 2 :]
    if kind == _ARP:
        return "arp"
    if kind == _LLDP:
        return "lldp"
    if frame[:3] == _CONTROL:
        return "control"
    if kind == _IP4 and len(network) > 9 and network[9] == _ICMP:
        header_bytes = (network[0] & 0xF) * 4
        return "icmp_error" if _byte(network, header_bytes) in _ICMP_ERRORS else None
    if kind == _IP6 and len(network) > 6 and network[6] == _ICMP6:
        message = _byte(network, _IP6_HEADER_BYTES)
        return "icmp6_error" if message in _ICMP6_ERRORS else "nd" if message in _NEIGHBOUR_DISCOVERY else None
    return None


def kinds_sent(streams: Iterable[dict[str, Any]]) -> frozenset[str]:
    """The kinds that `streams`, as they are added to a port, send by their templates."""
    kinds = (frame_kind(base64.b64decode(item["stream"]["packet"]["binary"])) for item in streams)
    return frozenset(kind for kind in kinds if kind is not None)


def _byte(packet: bytes, at: int) -> int:
    return packet[at] if at < len(packet) else -1
