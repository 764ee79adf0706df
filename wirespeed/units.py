"""Frame, rate and line arithmetic: the one place that knows what a bit on the wire costs.

Frame size counts the 4-byte FCS ("64b" is 64, so the tester builds 60 bytes). L2 counts frame bytes, L1
counts 20 more a frame (7 preamble, 1 start delimiter, 12 gap; IEEE 802.3 clauses 3 and 4). Percent of line
rate is always L1.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from wirespeed.errors import UsageError

FCS_BYTES = 4
L1_OVERHEAD_BYTES = 20
MIN_FRAME_BYTES = 64
MAX_FRAME_BYTES = 9216

RateUnit = Literal["pps", "bps", "bpsl1", "percentage"]

_SI = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_RATE = re.compile(
    r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?:(?P<si>[kmgt]?)(?P<unit>pps|bpsl1|bps)|(?P<percent>%))",
    re.IGNORECASE,
)
_DURATION = re.compile(r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>ms|s|min|m|h|d)", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_SPEED = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<si>[kmgt]?)(?:bps|bit|b)?", re.IGNORECASE)


@dataclass(frozen=True)
class Rate:
    """A load as T-Rex names it: packets, L2 bits or L1 bits per second, or percent of the line."""

    value: float
    unit: RateUnit

    def pps(self, frame_size_bytes: float, line_speed_bps: float) -> float:
        """Packets per second of frames of `frame_size_bytes` (FCS included) on a line of `line_speed_bps`."""
        match self.unit:
            case "pps":
                return self.value
            case "bps":
                return self.value / (frame_size_bytes * 8)
            case "bpsl1":
                return self.value / l1_bits(frame_size_bytes)
            case "percentage":
                return self.value / 100 * line_rate_pps(frame_size_bytes, line_speed_bps)

    def __str__(self) -> str:
        if self.unit == "percentage":
            return f"{self.value:g}%"
        number, prefix = scale(self.value)
        return f"{number:g}{prefix.lower()}{self.unit}"


def parse_rate(text: str) -> Rate:
    """`10kpps`, `1.48mpps`, `2gbps` (L2), `10gbpsl1`, `50%`; anything else is a UsageError."""
    match = _RATE.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"rate {text!r} cannot be read: give a number with pps, bps (layer 2), bpsl1 (layer 1) or %, "
            "such as 1.48mpps, 500kbps, 10gbpsl1 or 50%"
        )
    number = float(match["number"])
    if number <= 0:
        raise UsageError(f"rate {text!r} is not above zero; give one such as 1.48mpps")
    if match["percent"]:
        return Rate(number, "percentage")
    unit = match["unit"].lower()
    value = number * _SI[match["si"].lower()]
    return Rate(value, "pps" if unit == "pps" else "bps" if unit == "bps" else "bpsl1")


def parse_speed(text: str) -> int:
    """Nominal link speed in bits per second: `10G`, `2.5G`, `100M`, `1000000000`."""
    match = _SPEED.fullmatch(text.strip())
    if match is None or float(match["number"]) <= 0:
        raise UsageError(f"speed {text!r} cannot be read: give bits per second such as 10G, 2.5G or 100M")
    return round(float(match["number"]) * _SI[match["si"].lower()])


def l1_bits(frame_size_bytes: float) -> float:
    """Bits that one frame takes on the wire."""
    return (frame_size_bytes + L1_OVERHEAD_BYTES) * 8


def line_rate_pps(frame_size_bytes: float, line_speed_bps: float) -> float:
    """Frames per second that fit on the line: 14 880 952 for 64 bytes at 10 Gb/s."""
    return line_speed_bps / l1_bits(frame_size_bytes)


def l1_bps(l2_bps: float, pps: float) -> float:
    """Layer 1 bits per second of a stream of `pps` frames that carries `l2_bps` at layer 2."""
    return l2_bps + pps * L1_OVERHEAD_BYTES * 8


def scale(value: float) -> tuple[float, str]:
    """Split a value into a number below 1000 and its SI prefix: 14880952 → (14.880952, "M")."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return value / factor, prefix
    return value, ""


def format_si(value: float, unit: str, digits: int = 2) -> str:
    """`14.88 Mpps`, `3.37 Gbps`, `950 pps`."""
    number, prefix = scale(value)
    text = f"{number:.{digits}f}" if prefix or number != int(number) else f"{number:.0f}"
    return f"{text} {prefix}{unit}"


def parse_duration(text: str) -> float:
    """Seconds of `90`, `90s`, `500ms`, `10m`, `8h` or `3d`. UsageError for other words."""
    match = _DURATION.fullmatch(text.strip())
    if match is not None:
        return float(match["number"]) * _SECONDS[match["unit"].lower()]
    try:
        return float(text)
    except ValueError:
        raise UsageError(
            f"duration {text!r} cannot be read: give seconds, or a number with ms, s, m, h or d, such as 10s or 5m"
        ) from None


def parse_minutes(text: str) -> float:
    """Minutes of `90`, or of a duration with its unit. UsageError for other words."""
    return parse_duration(f"{text}m" if _is_number(text) else text) / 60


def parse_ratio(text: str, what: str = "") -> float:
    """`0.95`, `95%` or `1e-7`; `what` is the option that has it. UsageError for other words."""
    digits, percent = (text[:-1], 0.01) if text.endswith("%") else (text, 1.0)
    try:
        value = float(digits) * percent
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(
            f"{what}{' ' if what else ''}{text!r} is not a ratio: give a number such as 0.001, or percent such as 0.1%"
        )
    return value


def parse_percent(text: str, what: str) -> float:
    """The ratio of `1%`. UsageError for other words, numbers without the sign too: a reader may take 1 for either."""
    digits = text.removesuffix("%")
    if not _is_number(digits):
        raise UsageError(f"{what} {text}: {digits!r} is not a number; give percent, such as {what} 1%")
    if not text.endswith("%"):
        raise UsageError(f"{what} {text}: give percent with its sign, such as {what} {text}%")
    return parse_ratio(text, what)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
