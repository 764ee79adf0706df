"""A constant share of loss at all loads."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain import curves


def shares_lost(case: Case) -> curves.LossShares | None:
    """None where too few loads are known, or nothing was lost at low ones."""
    return curves.shares_lost(case.steps)
