"""The price of a DUT, parsed from its owner's text, and packets per second for it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wirespeed.results.figures import three_digits

_NUMBER = re.compile(r"\d[\d ’'.,]*")
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP"}


@dataclass(frozen=True)
class Price:
    """`amount` of `unit`, above 0."""

    amount: float
    unit: str


def parse_price(text: str) -> Price | None:
    """`400 EUR`, `$400`, `CHF 1’314,-`, `1,299.50 USD`; None without a number above 0, or without a unit."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    for sign, name in _SIGNS.items():
        rest = rest.replace(sign, f" {name} ")
    words = [word for one in rest.split() if (word := one.strip(".-,")).isalpha()]
    # A code such as EUR is the unit wherever it stands: about 80 EUR.
    unit = next((word for word in words if len(word) == 3 and word.isupper()), next(iter(words), ""))
    amount = _amount(match.group())
    return Price(amount, unit) if amount > 0 and unit else None


def _amount(text: str) -> float:
    """The last sign before one or two digits is the decimal one; all others part thousands."""
    text = text.strip(" .,’'")
    whole, _, part = re.sub(r"[ ’']", "", text).replace(",", ".").rpartition(".")
    if whole and len(part) != 3:
        return float(f"{whole.replace('.', '')}.{part}")
    return float(f"{whole}{part}".replace(".", ""))


def per_price_text(rate_pps: float, price: Price) -> str:
    """`7.43 kpps per EUR`."""
    return f"{three_digits(rate_pps / price.amount / 1e3)} kpps per {price.unit}"
