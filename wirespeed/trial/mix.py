"""Mean frame size of a profile, which converts percent of line rate to packets."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES, l1_bits


@dataclass(frozen=True)
class Mix:
    """`fixed_size` is false when a field program varies the frame size, so that the mean is only expected; `moves` is
    when a rate that is asked for changes nothing, since all streams keep their own."""

    mean_frame_bytes: float
    fixed_size: bool
    moves: bool = True


def mix_of(streams: Sequence[dict[str, Any]]) -> Mix:
    """The mix of the streams that a load multiplier scales. Latency streams keep their own rate; they count only if
    there are no others."""
    moved = [item for item in streams if item["stream"].get("flow_stats", {}).get("rule_type") != "latency"]
    packets = frames = 0.0
    fixed = True
    for item in moved or streams:
        stream = item["stream"]
        if not stream.get("enabled", True):
            continue
        size = len(base64.b64decode(stream["packet"]["binary"])) + FCS_BYTES
        trimmed = _trimmed_bytes(stream.get("vm", {}).get("instructions", ()))
        if trimmed is not None:
            size, fixed = round(trimmed) + FCS_BYTES, False
        size = max(size, MIN_FRAME_BYTES)
        weight = _weight(stream["mode"]["rate"], size)
        packets += weight
        frames += weight * size
    if packets <= 0:
        raise UsageError("the profile has no enabled stream; enable one, or give another profile")
    return Mix(frames / packets, fixed, moves=bool(moved))


def _weight(rate: dict[str, Any], size_bytes: float) -> float:
    """Packets per second of a stream relative to its neighbours; percentages are compared on an equal line."""
    value = float(rate["value"])
    match rate["type"]:
        case "pps":
            return value
        case "bps_L2":
            return value / (size_bytes * 8)
        case _:
            return value / l1_bits(size_bytes)


def _trimmed_bytes(instructions: Sequence[dict[str, Any]]) -> float | None:
    """The mean length without FCS that a trim instruction leaves, if there is one."""
    for trim in instructions:
        if trim["type"] == "trim_pkt_size":
            for variable in instructions:
                if variable.get("name") == trim["name"] and "min_value" in variable:
                    return (float(variable["min_value"]) + float(variable["max_value"])) / 2
    return None


def shortest_bytes(stream: dict[str, Any]) -> int:
    """The length without FCS of the shortest packet that a stream sends."""
    instructions = stream.get("vm", {}).get("instructions", ())
    lengths = [
        int(variable["min_value"])
        for trim in instructions
        if trim["type"] == "trim_pkt_size"
        for variable in instructions
        if variable.get("name") == trim["name"] and "min_value" in variable
    ]
    full = len(base64.b64decode(stream["packet"]["binary"]))
    return max(MIN_FRAME_BYTES - FCS_BYTES, min([full, *lengths]))
