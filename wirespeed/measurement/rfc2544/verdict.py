"""The verdict on RFC 2544's tests. Pure."""

from __future__ import annotations

from wirespeed.results.rfc2544 import Rfc2544Result
from wirespeed.results.verdict import Limit, Verdict
from wirespeed.results.verdicts import counting_of_trials, limit_of_bound, throughput_figure, verdict_of_trials


def verdict_of(result: Rfc2544Result, found: Limit | None = None) -> Verdict:
    """The throughput of each frame size; `found` is what `explain` names as the limit."""
    figures = tuple(throughput_figure(row, result.directions) for row in result.throughput)
    limit = limit_of_bound(result.throughput[0].limit if result.throughput else "none", found)
    return verdict_of_trials(result, figures, limit, counting_of_trials(result, [one.trial for one in result.trials]))
