"""The verdict on a load test. Pure."""

from __future__ import annotations

from wirespeed.results.analysis import Analysis
from wirespeed.results.loadtest import Result
from wirespeed.results.loadtest_verdict import loadtest_verdict
from wirespeed.results.verdict import Limit, Verdict


def verdict_of(result: Result, found: Limit | None = None, analysis: Analysis | None = None) -> Verdict:
    """What it forwarded; `found` is what `explain` names as the limit, `analysis` that of the test where it is made
    already."""
    return loadtest_verdict(analysis or result.analysis, found)
