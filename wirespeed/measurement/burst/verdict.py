"""The verdict on a burst test. Pure."""

from __future__ import annotations

from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.verdicts import counting_of_trials, verdict_of_trials
from wirespeed.results.figures import rate_text
from wirespeed.results.verdict import BOUNDS, NEXT_STEPS, Figure, Limit, LimitedBy, Mark, Named, Verdict
from wirespeed.trial.bursts import UNSENT

_SENTENCES: dict[LimitedBy, str] = {
    "dut": "the DUT loses frames of longer bursts",
    "host": "the host took CPUs away in the longer bursts, so the DUT's limit is not shown",
    "nothing": "the longest burst that was allowed was forwarded whole",
    "unknown": "no burst was sent",
}
_MORE = "give a longer --longest or a higher --load"


def verdict_of(result: BurstResult, named: Named) -> Verdict:
    """The longest burst."""
    by, told = limited_by(result), named.get("")
    limit = told if told is not None and told.by == by != "tester" else _limit(result, by)
    counted = counting_of_trials(result)
    return verdict_of_trials(result, (figure_of(result, by),), limit, counted)


def limited_by(result: BurstResult) -> LimitedBy:
    """The limit of the burst length."""
    if result.is_empty:
        return "unknown"
    if result.unsent is not None and (result.lossy is None or result.unsent < result.lossy):
        return "tester"
    if result.lossy is None:
        return "nothing"
    return "host" if any(one.trial.disturbed for one in result.lossy_trials) else "dut"


def figure_of(result: BurstResult, by: LimitedBy) -> Figure:
    """The length as text: `longest burst 12,345 frames (0.830 ms at 14.9 Mpps)`."""
    lines = max(1, len(result.directions))
    if result.is_empty:
        return Figure("longest burst", "not measured", lines=lines, why="not measured: no burst was sent")
    if result.longest is None and by == "tester":
        why = "not measured: the tester sent no burst back to back"
        return Figure("longest burst", "not measured", lines=lines, why=why)
    if result.longest is None:
        return Figure(
            "longest burst",
            "lossy",
            lines=lines,
            said=f"no burst was forwarded whole, not even one of {min(one.frames for one in result.trials):,}",
        )
    bound = BOUNDS.get(by, "")
    mark: Mark = "at least" if bound else "held"
    said = f"longest burst {'≥ ' if bound else ''}{length_text(result, result.longest)}"
    return Figure("longest burst", mark, lines=lines, bound=bound, said=said + (f" ({bound})" if bound else ""))


def length_text(result: BurstResult, frames: float) -> str:
    """`12,345 frames (0.830 ms at 14.9 Mpps)`."""
    return f"{frames:,.0f} frames ({result.burst_s(frames) * 1e3:.3f} ms at {rate_text(result.load_pps)})"


def _limit(result: BurstResult, by: LimitedBy) -> Limit:
    step = _MORE if by == "nothing" else "" if by == "dut" else NEXT_STEPS[by]
    sentence = _SENTENCES.get(by) or (
        f"the tester was the limit, not the DUT: it left more than {UNSENT:.0%} of a burst of {result.unsent:,} "
        "frames unsent, so that burst counts as not sent"
    )
    return Limit(by, sentence, step, 0.0 if by == "unknown" else 0.9)
