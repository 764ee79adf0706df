"""Figures as text, in one place: tables, pages, the demo and the live view print a figure alike, to the digit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.units import format_si, scale

NOTHING = "–"
_SCALER = re.compile(r"(?P<divisor>\d{1,15}(?:\.\d+)?):(?P<prefix>[A-Za-zµ]{0,5})")


@dataclass(frozen=True)
class Scaler:
    """Unit of packet rates: with divisor 1000000 and prefix M they read as Mpps."""

    divisor: float
    prefix: str

    @property
    def unit(self) -> str:
        return f"{self.prefix}pps"

    def text(self, pps: float | None) -> str:
        if pps is None:
            return NOTHING
        value = pps / self.divisor
        if self.divisor == 1 or value == 0:
            return f"{value:.0f}"
        return f"{value:.3f}" if value >= 0.1 else f"{value:.3g}"


MEGA = Scaler(1_000_000, "M")


def parse_scaler(text: str) -> Scaler:
    """`1000000:M`, `1000:k`, `1:`; anything else is a UsageError."""
    match = _SCALER.fullmatch(text.strip())
    if match is None or float(match["divisor"]) <= 0:
        raise UsageError(f"scaler {text!r} cannot be read: give DIV:PREFIX such as 1000000:M, 1000:k or 1:")
    return Scaler(float(match["divisor"]), match["prefix"])


def three_digits(value: float) -> str:
    """A measured number to three significant digits, without an exponent: `0.0123`, `9.27`, `1,490`."""
    if not value or not math.isfinite(value):
        return f"{value:g}"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):,.{max(0, digits)}f}"


def measured_text(rate: float, unit: str = "pps") -> str:
    """A measured rate, with the prefix that fits: `4.47 Mpps`."""
    number, prefix = scale(rate)
    return f"{three_digits(number)} {prefix}{unit}"


def share_text(percent: float | None, lines: int) -> str:
    """A rate's share of all `lines` that it used: `33.7 % of line`, `30.4 % of 2 lines`."""
    if percent is None:
        return NOTHING
    return f"{three_digits(percent)} % of {'line' if lines == 1 else f'{lines} lines'}"


def rate_text(pps: float | None) -> str:
    """With the unit that fits: `5.010 Mpps`, the digits that a table in Mpps has."""
    return NOTHING if pps is None else format_si(pps, "pps", digits=3)


def bits_text(bps: float | None) -> str:
    return NOTHING if bps is None else format_si(bps, "bps")


def percent_text(percent: float | None) -> str:
    """A share of the line, without its sign: `33.67`."""
    return NOTHING if percent is None else f"{percent:.2f}"


def loss_text(ratio: float) -> str:
    """Percent with enough digits that a loss is never shown as none."""
    return "0 %" if ratio == 0 else f"{ratio * 100:.3g} %" if ratio >= 1e-5 else "< 0.001 %"


def rounded(value: float | None) -> float | None:
    """For programs: three decimals of packets, bits and percent are more than any measurement has."""
    return None if value is None else round(value, 3)
