"""Packets of one flow distributed over several streams, each of which sends every n-th packet. Pure.

A flow with metrics by the value of a field is sent as one stream for each place in the field's cycle. The packets are
those of a single stream, in the same order, and each stream has one value and its own counters."""

from __future__ import annotations

import math
from dataclasses import replace

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.packets import Layer, PacketField
from wirespeed.otg.patterns import MOST_VALUES, Pattern, fixed

MOST_LANES = 256


def cycle(layers: list[Layer]) -> int:
    """Number of packets after which the tagged fields repeat; 1 if no field is tagged, or none varies."""
    tagged = [field for layer in layers for field in layer.own.values() if field.pattern.tags]
    packets = math.lcm(*(field.pattern.count for field in tagged))
    if packets > MOST_LANES:
        text = f"goes with {MOST_LANES} values at most, all tagged fields together; these take {packets} packets"
        raise ModelFault(f"{tagged[-1].path}.metric_tags", text)
    return packets


def lane(layers: list[Layer], first: int, every: int) -> list[Layer]:
    """The headers of every so manieth packet from number `first` on."""
    if every == 1:
        return layers
    return [_lane(layer, first, every) for layer in layers]


def _lane(layer: Layer, first: int, every: int) -> Layer:
    own = {
        name: replace(field, pattern=thinned(field.path, field.pattern, first, every))
        for name, field in layer.own.items()
    }
    return layer.with_own(own)


def thinned(path: str, pattern: Pattern, first: int, every: int) -> Pattern:
    """Values of every nth packet of a pattern. ModelFault if they are not a pattern."""
    if not pattern.varies or every == 1:
        return pattern
    if pattern.choice == "random":
        raise ModelFault(
            path, "random values cannot be combined with metric_tags or several devices; give a list of values"
        )
    count = pattern.count // math.gcd(pattern.count, every)
    if count == 1:
        return replace(fixed(pattern.value(first)), tags=pattern.tags)
    if pattern.choice != "values" and pattern.count % every == 0:
        step = pattern.step * every
        begin, end = pattern.value(first), pattern.value(first + every * (count - 1))
        low, high = min(begin, end), max(begin, end)
        return replace(pattern, first=begin, step=step, count=count, low=low, high=high)
    if count > MOST_VALUES:
        text = f"{pattern.count} values cannot be told apart by fields of {every}; give a multiple of {every} as count"
        raise ModelFault(path, text)
    values = tuple(pattern.value(first + every * number) for number in range(count))
    return Pattern("values", values[0], values, count=count, low=min(values), high=max(values), tags=pattern.tags)


def tag_values(layers: list[Layer]) -> tuple[tuple[str, str], ...]:
    """Tags by name with their values in hex, of headers whose tagged fields do not vary."""
    return tuple(
        (tag.name, _hex(field, tag.offset, tag.length))
        for layer in layers
        for field in layer.own.values()
        for tag in field.pattern.tags
    )


def _hex(field: PacketField, offset: int, length: int) -> str:
    value = field.pattern.first >> (field.bits - offset - length) & ((1 << length) - 1)
    return f"{value:0{(length + 3) // 4}x}"
