"""Figures of tests by an RFC as rows of one shape, for programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RfcFigure:
    """One figure: `value` in `unit`."""

    test: str
    benchmark: str
    directions: str
    quantity: str = ""
    unit: str = ""
    value: float | None = None
    upper: float | None = None
    repeats: int = 1
    load_pps: float | None = None
    limit: str = ""
    irregular: str = ""
    conformance: str = ""
    outcome: str = ""
