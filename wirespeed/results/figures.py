"""Figures as text, in one place: tables, pages, the demo and the live view print a figure alike, to the digit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.units import scale

NOTHING = "–"
MEASURED_DIGITS, EXACT_DIGITS = 3, 4
"""Significant digits of measured rates, and of rates that were chosen or calculated."""
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
        """A measured rate in this unit: `4.47`."""
        return NOTHING if pps is None else three_digits(pps / self.divisor)

    def exact(self, pps: float) -> str:
        """A rate that was chosen or calculated, in this unit: `14.88`."""
        return _significant(pps / self.divisor, EXACT_DIGITS)


MEGA = Scaler(1_000_000, "M")


def fitting(rates: Iterable[float | None]) -> Scaler:
    """The unit of rates that stand side by side: the one that fits the highest."""
    highest = max(filter(None, rates), default=0.0)
    number, prefix = scale(highest)
    return Scaler(highest / number if number else 1.0, prefix)


def parse_scaler(text: str) -> Scaler:
    """`1000000:M`, `1000:k`, `1:`; anything else is a UsageError."""
    match = _SCALER.fullmatch(text.strip())
    if match is None or float(match["divisor"]) <= 0:
        raise UsageError(f"scaler {text!r} cannot be read: give DIV:PREFIX such as 1000000:M, 1000:k or 1:")
    return Scaler(float(match["divisor"]), match["prefix"])


def three_digits(value: float) -> str:
    """A measured number to three significant digits, without an exponent: `0.0123`, `9.27`, `1,490`."""
    return _significant(value, MEASURED_DIGITS)


def _significant(value: float, digits: int) -> str:
    if not value or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.{digits - 1}e}")  # 99.97 becomes 100, which has no place after the point
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(0, places)}f}"


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
    """A measured rate, or a dash without one."""
    return NOTHING if pps is None else measured_text(pps)


def exact_text(pps: float) -> str:
    """A rate that was chosen or calculated, such as a line's or a trial's load: `14.88 Mpps`, `814.9 kpps`."""
    number, prefix = scale(pps)
    return f"{_significant(number, EXACT_DIGITS)} {prefix}pps"


def bits_text(bps: float | None) -> str:
    return NOTHING if bps is None else measured_text(bps, "bps")


def percent_text(percent: float | None) -> str:
    """A share, without its sign: `33.7`."""
    return NOTHING if percent is None else three_digits(percent)


def fixed_text(value: float | None, places: int = 1, factor: float = 1.0) -> str:
    """The value in a unit that is 1/`factor` of its own, with so many places; a dash where there is none."""
    return NOTHING if value is None else f"{value * factor:.{places}f}"


def difference_text(ratio: float) -> str:
    """A change, 0.03 as `+3.00 %`."""
    return f"{100 * ratio:+.2f} %"


def losses_text(lost_ratio: float, not_sent_ratio: float) -> str:
    """Loss of the offered packets, and the share of the wanted packets that the tester did not send, if any:
    `loss 0 %, not sent 6.34 %`."""
    loss = f"loss {loss_text(lost_ratio)}"
    return f"{loss}, not sent {loss_text(not_sent_ratio)}" if not_sent_ratio > 0 else loss


def loss_text(ratio: float) -> str:
    """Percent with enough digits that a loss is never shown as none."""
    return "0 %" if ratio == 0 else f"{ratio * 100:.3g} %" if ratio >= 1e-5 else "< 0.001 %"


def rounded(value: float | None) -> float | None:
    """For programs: three decimals of packets, bits and percent are more than any measurement has."""
    return None if value is None else round(value, 3)
