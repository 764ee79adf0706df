"""The colours of curves: Okabe and Ito's, which are told apart with any eyes, in both themes and on paper."""

from __future__ import annotations

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9")
REFERENCE = "#7d8590"
ALARM = "#d3302f"


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
