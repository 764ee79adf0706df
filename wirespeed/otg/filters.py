"""Capture filters of the model as one in libpcap's language, all of them together. Pure.

Filters describe the headers of a packet: those of IP stand behind as many tags as there are `vlan` filters.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.model import CaptureField, CaptureFilter

_IP4, _IP6, _VLAN = 0x0800, 0x86DD, 0x8100
_ETHERNET_BYTES, _TAG_BYTES, _TYPE_BYTES = 14, 4, 2

_Fields = dict[str, tuple[int, int]]
"""Bit and number of bits of each field of a header."""

_ETHERNET: _Fields = {"dst": (0, 48), "src": (48, 48), "ether_type": (96, 16)}
_TAG: _Fields = {"priority": (0, 3), "cfi": (3, 1), "id": (4, 12), "protocol": (16, 16)}
_IPV4: _Fields = {
    "version": (0, 4),
    "header_length": (4, 4),
    "priority": (8, 8),
    "total_length": (16, 16),
    "identification": (32, 16),
    "reserved": (48, 1),
    "dont_fragment": (49, 1),
    "more_fragments": (50, 1),
    "fragment_offset": (51, 13),
    "time_to_live": (64, 8),
    "protocol": (72, 8),
    "header_checksum": (80, 16),
    "src": (96, 32),
    "dst": (128, 32),
}
_IPV6: _Fields = {
    "version": (0, 4),
    "traffic_class": (4, 8),
    "flow_label": (12, 20),
    "payload_length": (32, 16),
    "next_header": (48, 8),
    "hop_limit": (56, 8),
    "src": (64, 128),
    "dst": (192, 128),
}


def filter_text(path: str, filters: Sequence[CaptureFilter]) -> str:
    """Empty without a filter. ModelFault for an unsupported filter."""
    tags = sum(one.choice == "vlan" for one in filters)
    ip_at = _ETHERNET_BYTES + _TAG_BYTES * tags
    terms: list[str] = []
    tag_at = _ETHERNET_BYTES
    for place, match in enumerate(filters):
        where = f"{path}[{place}].{match.choice}"
        match match.choice:
            case "custom":
                terms.append(_term(where, match.custom, match.custom.offset, match.custom.bit_length))
            case "ethernet":
                terms += _header(where, match.ethernet, _ETHERNET, 0)
            case "vlan":
                terms += [_type(tag_at, _VLAN), *_header(where, match.vlan, _TAG, tag_at)]
                tag_at += _TAG_BYTES
            case "ipv4":
                terms += [_type(ip_at, _IP4), *_header(where, match.ipv4, _IPV4, ip_at)]
            case "ipv6":
                terms += [_type(ip_at, _IP6), *_header(where, match.ipv6, _IPV6, ip_at)]
    return " and ".join(terms)


def _type(header_at: int, kind: int) -> str:
    return f"ether[{header_at - _TYPE_BYTES}:2] = {kind:#x}"


def _header(path: str, given: dict[str, CaptureField], fields: _Fields, at: int) -> list[str]:
    terms = []
    for name, field in given.items():
        if name not in fields:
            raise ModelFault(f"{path}.{name}", f"is not supported; there is {', '.join(fields)}")
        bit, bits = fields[name]
        terms.append(_term(f"{path}.{name}", field, 8 * at + bit, bits))
    return terms


def _term(path: str, field: CaptureField, bit: int, bits: int) -> str:
    """The field at a bit of the packet has the value, in the bits that the mask has not."""
    whole = (1 << bits) - 1
    value = _hex(f"{path}.value", field.value, whole)
    mask = whole & ~_hex(f"{path}.mask", field.mask, whole)
    end = -(bit + bits) % 8
    value, mask, last = value << end, mask << end, (bit + bits + end) // 8
    checks = []
    for byte in range(bit // 8, last):
        shift = 8 * (last - byte - 1)
        here = mask >> shift & 0xFF
        if here:
            checks.append(f"ether[{byte}] & {here:#x} = {value >> shift & here:#x}")
    text = " and ".join(checks) or "greater 0"
    return f"not ({text})" if field.negate else f"({text})"


def _hex(path: str, text: str, most: int) -> int:
    try:
        value = int(text, 16)
    except ValueError:
        value = -1
    if not 0 <= value <= most:
        raise ModelFault(path, f"{text[:40]!r} must be a hex number up to {most:x}")
    return value
