"""The verdict on a soak. Pure."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.measurement.counting import BLIND, CountingCheck, blind_counting
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.words import bound_text, lost_text
from wirespeed.measurement.verdicts import verdict_of_trials
from wirespeed.results.verdict import Figure, Limit, Mark, Named, Verdict

_MARKED = (
    "a soak counts neither duplicates nor reordered packets; where packets have 16 bytes of payload for a number, a "
    "duplicate hides no lost packet"
)


def verdict_of(result: SoakResult, named: Named) -> Verdict:
    """The loss of all of it."""
    verdict = result.verdict
    said = "not measured: nothing was offered"
    mark: Mark = "not measured"
    if verdict.offered:
        mark, said = "held", f"{lost_text(verdict)}; {bound_text(verdict)}"
    figure = Figure("loss", mark, lines=max(1, len(result.directions)), said=said if mark == "held" else "", why=said)
    limit = named.get("", Limit())
    if limit.by == "nothing":
        limit = replace(limit, next_step="")  # the load of a soak is chosen, so that more is not the next step
    return verdict_of_trials(result, (figure,), limit, _counting(result).sentence)


def _counting(result: SoakResult) -> CountingCheck:
    """`total` has what the DUT dropped, in all of the time that was watched."""
    dropped = None if result.total is None else result.total.dut.drop_packets
    blind = _MARKED if result.variables.signature else BLIND
    return blind_counting(blind, result.verdict.offered, result.verdict.lost, result.verdict.target_ratio, dropped)
