"""The verdict on a load test: its two figures, and what its own counters say of the limit. Pure."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.measurement.loadtest.analysis import Analysis, MeasuredCurve
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import measured_text
from wirespeed.results.outcome import LoadPoint
from wirespeed.results.verdict import (
    BOUNDS,
    DISTURBED,
    FORWARDED,
    FULL_LOAD,
    NEXT_STEPS,
    NOTHING_BACK,
    Figure,
    Limit,
    LimitedBy,
    Mark,
    Named,
    Verdict,
)

_RUN_AGAIN = "run it again to its end"
WHOLE_LINE_PERCENT = 99.0
"""Share of line rate from which on the line was the limit, if nothing was lost."""


def loadtest_verdict(analysis: Analysis, named: Limit | None = None) -> Verdict:
    """`named` is the limit that `explain` names, None if it names none."""
    whole, result = analysis.curves[-1], analysis.result
    counting = analysis.counting
    limit = _agreed(_own_limit(analysis), named)
    if not whole.measured and limit.by == "nothing":  # `explain` has only the load of the warm-up
        limit = Limit("unknown", f"nothing was measured: {_unmeasured(whole)}", _RUN_AGAIN)
    if counting.hidden and limit.by in ("line", "nothing"):
        sentence = f"the DUT dropped {counting.hidden:,} packets that are not missing: duplicates hide a loss"
        limit = Limit("unknown", sentence, "run it again with `--signature`, which tells duplicates")
    bound = BOUNDS.get(limit.by, "")
    ended = result.ending.status == COMPLETE
    forwarded = _figure(FORWARDED, analysis, [one.forwarded for one in analysis.curves], bound, ended=ended)
    full = _figure(FULL_LOAD, analysis, [one.full_load for one in analysis.curves], "", ended=ended)
    return Verdict(
        kind="loadtest",
        name=result.name,
        figures=(forwarded, full),
        limit=limit,
        status=result.ending.status,
        threshold=analysis.threshold,
        disturbed=max(one.outcome.disturbed_samples for one in analysis.curves),
        samples=len(whole.measured),
        counting=counting.sentence,
    )


def _figure(name: str, analysis: Analysis, loads: list[LoadPoint | None], bound: str, *, ended: bool) -> Figure:
    """`loads` are those of all curves, the whole last."""
    whole, lines = loads[-1], sum(one.lines for one in analysis.directions)
    if whole is None:
        return replace(_why_none(name, analysis), lines=lines)
    is_held = name == FORWARDED
    mark: Mark = "estimate" if whole.is_estimate else "held"
    if not ended:
        mark = "broken off"
    elif bound and is_held:
        mark = "at least"
    elif not is_held and whole.loss_ratio > analysis.threshold:
        mark = "lossy"
    bound = bound if is_held else ""
    each = zip(analysis.directions, loads, strict=False)
    parts = tuple(_of_load(curve.channel, mark, load, 1, bound) for curve, load in each if load is not None)
    figure = _of_load(name, mark, whole, lines, bound)
    return replace(figure, each=parts if len(parts) > 1 else ())


def _of_load(name: str, mark: Mark, load: LoadPoint, lines: int, bound: str) -> Figure:
    return Figure(
        name,
        mark,
        rate_pps=load.received_pps,
        offered_pps=load.offered_pps,
        loss_ratio=load.loss_ratio,
        l1_bps=load.l1_bps,
        line_percent=None if load.received_percent is None else load.received_percent / lines,
        lines=lines,
        bound=bound,
        samples=load.samples,
        low_pps=load.low_pps,
        high_pps=load.high_pps,
    )


def _why_none(name: str, analysis: Analysis) -> Figure:
    """The figure of a load that was not found. Nothing that comes back is a measured rate of 0."""
    whole = analysis.curves[-1]
    if not whole.measured:
        return Figure(name, "not measured", why=f"not measured: {_unmeasured(whole)}")
    if whole.outcome.disturbed_samples and (name == FULL_LOAD or whole.outcome.loss_onset is None):
        return Figure(name, "disturbed", why=DISTURBED)
    if name == FULL_LOAD:
        return Figure(name, "not measured", why="not measured: no load was held")
    if _is_all_lost(whole):
        return Figure(name, "lossy", rate_pps=0.0, loss_ratio=1.0, l1_bps=0.0, line_percent=0.0)
    return Figure(name, "lossy", why=f"no load with ≤ {analysis.threshold * 100:g} % loss")


def _unmeasured(curve: MeasuredCurve) -> str:
    """Why there is no measured sample."""
    if any(point.balance.offered for point in curve.points):
        return "the test ended in its warm-up"
    return "no traffic"


def _own_limit(analysis: Analysis) -> Limit:
    """The limit, by the counters of the test alone."""
    whole, lines = analysis.curves[-1], len(analysis.directions)
    forwarded, full = whole.forwarded, whole.full_load
    if whole.tester_limited:
        return _limit("tester", "the tester was the limit, not the DUT: it could not offer more", 0.9)
    lossy = _loss_onset(analysis)
    if whole.outcome.disturbed_samples and lossy is None and (full is None or full.loss_ratio > analysis.threshold):
        disturbed = f"{whole.outcome.disturbed_samples} of {len(whole.measured)} samples are disturbed"
        return _limit("host", f"the host took CPUs away, so the DUT's limit is not shown: {disturbed}", 0.9)
    if forwarded is not None and (forwarded.received_percent or 0.0) >= WHOLE_LINE_PERCENT * lines:
        return _limit("line", "the whole line was forwarded", 0.97)
    if lossy is not None and _is_all_lost(whole):
        return Limit("unknown", "no packet came back at any load; what loses them is unknown", NOTHING_BACK)
    if lossy is not None:
        since = f"from {measured_text(lossy.offered_pps)} on"
        if whole.outcome.balance.intended is None:
            return _limit("unknown", f"packets are lost {since}; what limits is unknown", 0.0)
        return _limit("dut", f"the DUT loses packets {since}; what in it is the limit is unknown", 0.6)
    if forwarded is None:
        return _limit("unknown", "what limited it is unknown", 0.0)
    offered = measured_text(forwarded.offered_pps)
    return _limit("nothing", f"all of the {offered} that was offered was forwarded: the DUT may do more", 0.9)


def _is_all_lost(curve: MeasuredCurve) -> bool:
    return not any(point.received_pps for point in curve.measured)


def _loss_onset(analysis: Analysis) -> LoadPoint | None:
    """The load from which loss persists: of all directions together, otherwise of the first direction that loses."""
    found = [one.outcome.loss_onset for one in (analysis.curves[-1], *analysis.directions)]
    return next((one for one in found if one is not None), None)


def _limit(by: LimitedBy, sentence: str, confidence: float) -> Limit:
    return Limit(by, sentence, NEXT_STEPS[by], confidence)


def _agreed(own: Limit, named: Limit | None) -> Limit:
    """The limit by `explain`, which knows more than the counters, unless these leave no doubt."""
    if named is None or (named.by == "unknown" and not named.cause):
        return own
    if own.by in ("tester", "host") and named.by not in ("tester", "host"):
        return own
    if own.by in ("line", "nothing") and named.by in ("dut", "unknown"):
        return own
    return named


def verdict_of(result: Result, named: Named) -> Verdict:
    """The verdict on a load test."""
    return loadtest_verdict(result.analysis, named.get(""))
