"""Output of a search: live lines, and the summary."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from wirespeed.measurement.lines import PlainLines, last_lines
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.run import SearchProgress
from wirespeed.measurement.search.verdict import goal_figure
from wirespeed.pages.words import count
from wirespeed.results.figures import NOTHING, exact_text, loss_text, losses_text, rate_text
from wirespeed.results.search_trial import GoalOutcome, SearchTrial
from wirespeed.results.verdict import Verdict
from wirespeed.trial.controller import Interval
from wirespeed.watching import NoView, Redrawn, Watcher

BAR_CELLS = 48


class SearchView(Redrawn):
    """For terminals: the interval of each goal on a logarithmic axis, redrawn in place, and the last trials."""

    def __init__(self, console: Console, title: str) -> None:
        super().__init__(console)
        self._title = title
        self._last: list[SearchTrial] = []

    def __call__(self, progress: SearchProgress, /) -> None:
        if progress.trial is not None:
            self._last = [*self._last[-4:], progress.trial]
        self._draw(view(progress, self._title, self._last))


def watcher(console: Console, title: str, quiet: bool) -> Watcher[SearchProgress]:
    if quiet:
        return NoView()
    if console.is_terminal:
        return SearchView(console, title)
    return PlainLines[SearchProgress](console, lambda now: None if now.trial is None else plain_line(now, now.trial))


def view(progress: SearchProgress, title: str, last: list[SearchTrial]) -> Group:
    """One frame of the live view."""
    head = Table.grid(padding=(0, 2))
    now = f"{progress.purpose} at {exact_text(progress.next_load_pps)} for {progress.next_s:g} s"
    head.add_row(
        Text(now, style="bold"),
        f"{progress.count} trials",
        f"{progress.spent_s:.0f} s of traffic, {max(0.0, progress.limit_s - progress.spent_s):.0f} s left at most",
    )
    goals = Table.grid(padding=(0, 2))
    result = progress.result
    for interval in progress.intervals:
        bar = interval_bar(interval, result.least_pps, result.most_pps)
        goals.add_row(
            interval.goal.name.upper(), Text(bar, style="green" if interval.is_narrow else ""), _known(interval)
        )
    trials = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("trial", "load", "seconds", "offered", "received", "loss", "not sent", ""):
        trials.add_column(name, justify="left" if name == "" else "right")
    for trial in last:
        trials.add_row(*_trial_cells(trial))
    return Group(Text(title), head, goals, trials)


def interval_bar(interval: Interval, least_pps: float, most_pps: float) -> str:
    """The loads that a goal's may be, on a logarithmic axis from the lowest to the highest load allowed."""
    low, high = interval.lower_pps or least_pps, interval.upper_pps or most_pps
    span = math.log(most_pps / least_pps)

    def cell(load_pps: float) -> int:
        share = math.log(max(load_pps, least_pps) / least_pps) / span
        return min(BAR_CELLS - 1, max(0, round(share * (BAR_CELLS - 1))))

    first, last = cell(low), max(cell(low), cell(high))
    return "╶" + "─" * first + "█" * (last - first + 1) + "─" * (BAR_CELLS - 1 - last) + "╴"


def plain_line(progress: SearchProgress, trial: SearchTrial) -> str:
    """`trial 7 search: 7.770 Mpps for 1 s, offered …, received …, loss …, not sent …; ndr 7.1 Mpps to 7.9 Mpps;
    12 s`."""
    number, load, seconds, offered, received, *_, remark = _trial_cells(trial)
    goals = "; ".join(f"{one.goal.name} {_known(one)}" for one in progress.intervals)
    each = " each way" if len(trial.trial.channels) > 1 else ""
    line = f"trial {number} {trial.label or trial.purpose}: {load} for {seconds} s, "
    line += f"offered {offered}, received {received}{each}, {losses_text(trial.lost_ratio, trial.not_sent_ratio)}"
    return "; ".join(filter(None, (line, remark, goals, f"{progress.spent_s:.0f} s")))


def _trial_cells(trial: SearchTrial) -> tuple[str, ...]:
    ways = len(trial.trial.channels)
    remark = trial.excluded and f"set aside: {trial.excluded}"
    if not remark and trial.trial.disturbed:
        remark = trial.trial.disturbed
    elif not remark and trial.trial.tester_limited:
        remark = "the tester was the limit"
    return (
        str(trial.number),
        exact_text(trial.load_pps),
        f"{trial.intended_s:g}",
        rate_text(trial.offered_pps / ways),
        rate_text(trial.received_pps / ways),
        loss_text(trial.lost_ratio),
        loss_text(trial.not_sent_ratio) if trial.not_sent_ratio > 0 else "",
        remark,
    )


def _known(interval: Interval) -> str:
    lower = NOTHING if interval.lower_pps is None else rate_text(interval.lower_pps)
    upper = NOTHING if interval.upper_pps is None else rate_text(interval.upper_pps)
    return f"{lower} to {upper}"


def summary(result: SearchResult, verdict: Verdict, where: str | None) -> list[str]:
    """The last lines of a search: the verdict with its goals, MRR, latency, and what else is to be said."""
    ways = len(result.directions)
    each = "each direction" if ways > 1 else "one direction"
    aside = sum(bool(trial.excluded) for trial in result.trials)
    trials = count(len(result.trials), "trial") + (f" ({aside} set aside)" if aside else "")
    lines = [goal_line(result, goal) for goal in result.goals]
    mrr = result.mrr
    if mrr is not None:
        spread = f"stdev {rate_text(mrr.stdev_pps)}, min {rate_text(mrr.least_pps)}, max {rate_text(mrr.most_pps)}"
        together = " of all directions together" if ways > 1 else ""
        lines.append(
            f"MRR: {rate_text(mrr.mean_pps)}{together} ({mrr.count} trials at {exact_text(result.most_pps)}; {spread})"
        )
    headline = f": {trials} in {result.spent_s:.0f} s, loads of {each}"
    return last_lines(result, verdict, where, headline, (*lines, *latency_lines(result)))


def goal_line(result: SearchResult, outcome: GoalOutcome) -> str:
    """`NDR allows 0 % loss: 7.77 Mpps to 7.81 Mpps each way; conditional throughput 7.76 Mpps`."""
    name = f"{outcome.goal.name.upper()} allows {outcome.goal.loss_ratio * 100:g} % loss"
    if outcome.lower_pps is None:
        return f"{name}: none; {outcome.irregular or 'no load was found that it allows'}"
    words = [f"{name}: {goal_figure(result, outcome).each_way.text} each way"]
    if outcome.conditional_pps is not None and outcome.conditional_pps != outcome.lower_pps:
        words.append(f"conditional throughput {rate_text(outcome.conditional_pps)}")
    if outcome.irregular:
        words.append(f"irregular: {outcome.irregular}")
    return "; ".join(words)


def latency_lines(result: SearchResult) -> Iterator[str]:
    """A line for each load and direction at which latency was measured, and the medium's own floor."""
    for trial in result.of("latency"):
        for wire, channel in trial.trial.channels.items():
            latency = channel.latency
            if latency is None or trial.excluded:
                continue
            tail = ", ".join(
                f"P{key} {value:.1f}" for key, value in latency.percentiles.items() if key in ("50", "90", "99")
            )
            yield (
                f"latency {wire} at {trial.label} ({exact_text(trial.load_pps)}): min {latency.min_us:.1f}, "
                f"{tail}{tail and ', '}max {latency.max_us:.1f} µs"
            )
