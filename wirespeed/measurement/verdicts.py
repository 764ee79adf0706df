"""Common parts of verdicts on tests of trials: loads bounded by trials, and the causes of bounds. Pure."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.measurement.counting import counting
from wirespeed.results.balance import total
from wirespeed.results.lossy import DEFAULT_THRESHOLD
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.search_trial import BoundLimit
from wirespeed.results.verdict import BOUNDS, DISTURBED, NEXT_STEPS, Figure, Limit, LimitedBy, Mark, Named, Verdict
from wirespeed.units import l1_bits

LIMITED_BY: dict[BoundLimit, LimitedBy] = {
    "dut": "dut",
    "tester": "tester",
    "host": "host",
    "line": "line",
    "maximum": "nothing",
    "minimum": "dut",
    "none": "unknown",
}
"""Limits of a search as limits of a verdict."""

_SENTENCES: dict[LimitedBy, str] = {
    "dut": "the DUT loses packets above this load",
    "tester": "the tester was the limit, not the DUT: it could not offer more",
    "host": "the host preempted CPUs in the trials above this load, so the DUT's limit is not shown",
    "line": "the whole line was forwarded",
    "nothing": "the highest load that was allowed was forwarded: the DUT may do more",
    "unknown": "the limit was not found",
}


def figure_of_bounds(
    name: str,
    directions: list[str],
    lower_pps: float | None,
    upper_pps: float | None,
    by: LimitedBy,
    irregular: str,
    *,
    loss_ratio: float,
    line_percent: float | None,
    frame_bytes: float | None,
) -> Figure:
    """A load of each direction that trials bound, as the figure of all of them. `line_percent` is of each line."""
    lines = max(1, len(directions))
    if lower_pps is None:
        if by == "host":
            return Figure(name, "disturbed", lines=lines, why=DISTURBED, loss_ratio=loss_ratio)
        if upper_pps is None:
            return Figure(name, "not measured", lines=lines, why="not found out", loss_ratio=loss_ratio)
        below = Figure(name, "lossy", upper_pps=upper_pps, loss_ratio=loss_ratio)
        each = tuple(replace(below, name=one) for one in directions) if lines > 1 else ()
        return replace(below, upper_pps=upper_pps * lines, lines=lines, each=each)
    bound = BOUNDS.get(by, "")
    mark: Mark = "at least" if bound else "irregular" if irregular else "held"

    def of(name: str, lines: int) -> Figure:
        return Figure(
            name,
            mark,
            rate_pps=lower_pps * lines,
            offered_pps=lower_pps * lines,
            loss_ratio=loss_ratio,
            l1_bps=None if frame_bytes is None else lower_pps * lines * l1_bits(frame_bytes),
            line_percent=None if line_percent is None else min(100.0, line_percent),
            lines=lines,
            bound=bound,
            upper_pps=None if upper_pps is None or bound else upper_pps * lines,
            why=irregular if mark == "irregular" else "",
        )

    whole = of(name, lines)
    each = tuple(of(direction, 1) for direction in directions) if lines > 1 else ()
    return replace(whole, each=each)


def verdict_of_trials(
    result: MeasurementResult, figures: tuple[Figure, ...], limit: Limit, counting: str, limits: Named | None = None
) -> Verdict:
    """The verdict of figures that are bounded; `counting` says how the packets were counted. `limits` are those of the
    cases by subject, of a result that has several."""
    figures = figures or (Figure("nothing", "not measured", why="not measured"),)
    status = result.ending.status
    return Verdict(result.kind, result.name, figures, limit, status=status, counting=counting, limits=limits or {})


def counting_of_trials(result: MeasurementResult) -> str:
    """Accuracy of the counting in all trials."""
    trials = [one.trial for _, one in result.judged_trials]
    told = [one.dut.drop_packets for one in trials if one.dut.drop_packets is not None]
    dropped = sum(told) if told and len(told) == len(trials) else None
    return counting(total(one.balance for one in trials), DEFAULT_THRESHOLD, result, dropped).sentence


def limit_of_bound(by: BoundLimit, named: Limit | None) -> Limit:
    """The cause of the bound, as `explain` names it if both agree. Trials tell what was lost between the tester's
    ports, not that it was lost by a full line or a bad wire: `explain` alone names those."""
    own = LIMITED_BY[by]
    if named is not None and (named.by == own or (own == "dut" and named.cause and named.by in ("line", "unknown"))):
        return named
    if own == "unknown":
        return Limit(
            own, _SENTENCES[own], "give the test more time; `wirespeed explain` shows how each load was limited"
        )
    return Limit(own, _SENTENCES[own], NEXT_STEPS[own], 0.9)
