"""The verdict on RFC 2544's tests. Pure."""

from __future__ import annotations

from wirespeed.measurement.rfc2544.result import Rfc2544Result
from wirespeed.measurement.verdicts import counting_of_trials, limit_of_bound, throughput_figure, verdict_of_trials
from wirespeed.results.verdict import Limit, Verdict


def verdict_of(result: Rfc2544Result, found: Limit | None = None) -> Verdict:
    """The throughput of each frame size; `found` is what `explain` names as the limit."""
    figures = tuple(throughput_figure(row, result.directions) for row in result.throughput)
    limit = limit_of_bound(result.throughput[0].limit if result.throughput else "none", found)
    return verdict_of_trials(result, figures, limit, counting_of_trials(result, [one.trial for one in result.trials]))
