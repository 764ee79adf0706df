"""Checksums of ICMP packets whose fields change: worked out here, one for each packet of the fields' cycle. Pure.

The core sums up what has a pseudo header; of ICMP the sum over header and payload moves by what the fields move.
"""

from __future__ import annotations

import math

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.packets import Layer, PacketField
from wirespeed.otg.patterns import MOST_VALUES, Pattern

_ONES = 0xFFFF


def checksums(layer: Layer, packet: bytes) -> Pattern:
    """Checksums of an echo header's packets, the first of which is `packet`. ModelFault if there are too many."""
    fields = [field for field in layer.own.values() if field.pattern.varies]
    drawn = next((field for field in fields if field.pattern.choice == "random"), None)
    if drawn is not None:
        raise ModelFault(drawn.path, "random values are not supported in icmp; give a list of values")
    count = math.lcm(*(field.pattern.count for field in fields))
    if count > MOST_VALUES:
        raise ModelFault(
            layer.path,
            f"its field values repeat after {count} packets; give values that repeat after {MOST_VALUES} or fewer",
        )
    at = layer.offset + 2
    base = _ONES - int.from_bytes(packet[at : at + 2]) - sum(_term(field, 0) for field in fields)
    values = tuple(_ONES - _folded(base + sum(_term(field, place) for field in fields)) for place in range(count))
    return Pattern("values", values[0], values, count=count, low=min(values), high=max(values))


def _term(field: PacketField, place: int) -> int:
    """Contribution of the field to the sum of 16-bit words."""
    return field.pattern.value(place) << (-field.bit - field.bits) % 16


def _folded(total: int) -> int:
    """The folded sum. One's complement has two zeros; a sum of anything but zeros gives all ones."""
    return total % _ONES or _ONES
