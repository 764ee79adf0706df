"""Figures of tests by an RFC as rows of one shape, for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wirespeed.results.verdict import LimitedBy


@dataclass(frozen=True, kw_only=True)
class RfcFigure:
    """One figure: `value` in `unit`. `limit` is as in the result file, `limited_by` the limit as the verdict names
    it."""

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
    limited_by: LimitedBy | Literal[""] = ""
    irregular: str = ""
    conformance: str = ""
    outcome: str = ""
