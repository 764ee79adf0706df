"""Data after a packet's headers. Pure."""

from __future__ import annotations

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flow_model import Payload


def payload_bytes(path: str, payload: Payload, length: int) -> bytes:
    """So many bytes of it; `path` is the flow's."""
    if payload.choice == "fixed":
        try:
            pattern = bytes.fromhex(payload.fixed.pattern)
        except ValueError:
            text = f"{payload.fixed.pattern[:40]!r} is not a string of hex bytes"
            raise ModelFault(f"{path}.payload.fixed.pattern", text) from None
        if payload.fixed.repeat:
            pattern = pattern * (length // len(pattern) + 1)
        return pattern[:length].ljust(length, b"\0")
    size = 1 if payload.choice.endswith("byte") else 2
    highest = (1 << 8 * size) - 1
    up = payload.choice.startswith("increment")
    numbers = (place & highest if up else highest - (place & highest) for place in range(length // size + 1))
    return b"".join(number.to_bytes(size) for number in numbers)[:length]


def is_zeros(given: Payload) -> bool:
    return given.choice == "fixed" and not given.fixed.pattern.strip("0")
