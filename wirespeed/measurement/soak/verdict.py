"""The verdict on a soak. Pure."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.measurement.counting import counting_of_soak
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.words import bound_text, lost_text
from wirespeed.measurement.verdicts import verdict_of_trials
from wirespeed.results.verdict import Figure, Limit, Mark, Verdict


def verdict_of(result: SoakResult, found: Limit | None = None) -> Verdict:
    """The loss of all of it; `found` is what `explain` names as the limit."""
    verdict = result.verdict
    said = "not measured: nothing was offered"
    mark: Mark = "not measured"
    if verdict.offered:
        mark, said = "held", f"{lost_text(verdict)}; {bound_text(verdict)}"
    figure = Figure("loss", mark, lines=max(1, len(result.directions)), said=said if mark == "held" else "", why=said)
    limit = found or Limit()
    if limit.by == "nothing":
        limit = replace(limit, next_step="")  # the load of a soak is chosen, so that more is not the next step
    return verdict_of_trials(result, (figure,), limit, counting_of_soak(result).sentence)
