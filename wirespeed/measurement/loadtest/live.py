"""Output of a running load test: a live view on a terminal, otherwise plain lines, and the summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console, Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from wirespeed.measurement.lines import last_lines
from wirespeed.measurement.loadtest.judgement import points_of
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.run import LoadTestProgress
from wirespeed.pages.words import count
from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel
from wirespeed.results.figures import bits_text, loss_text, losses_text, percent_text, rate_text
from wirespeed.results.outcome import ChannelOutcome
from wirespeed.results.point import Point
from wirespeed.results.verdict import Verdict
from wirespeed.units import format_si, l1_bits
from wirespeed.watching import NoView, Quiet, Redrawn, Watcher

LINES_WANTED = 60
"""Approximate number of plain lines per test of any duration; at most one per sample."""


class LoadTestLines(Quiet):
    """For logs: a line every few seconds, at each new phase, and when a direction loses or saturates."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._announced: set[str] = set()
        self._phase = ""
        self._due_s = 0.0

    def __call__(self, progress: LoadTestProgress, /) -> None:
        if progress.step.phase != self._phase or progress.step.end_s >= self._due_s:
            self._phase = progress.step.phase
            self._due_s = progress.step.end_s + progress.plan.total_s / LINES_WANTED * 0.999
            self._console.out(plain_line(progress), highlight=False)
        for line in news(progress, self._announced):
            self._console.out(line, highlight=False)


class LoadTestView(Redrawn):
    """For terminals: a table of directions under a bar, redrawn in place."""

    def __init__(self, console: Console, title: str) -> None:
        super().__init__(console)
        self._title = title
        self._announced: set[str] = set()

    def __call__(self, progress: LoadTestProgress, /) -> None:
        for line in news(progress, self._announced):
            self._live.console.print(Text(line, style="bold yellow"))
        self._draw(view(progress, self._title))


def watcher(console: Console, title: str, quiet: bool) -> Watcher[LoadTestProgress]:
    if quiet:
        return NoView()
    return LoadTestView(console, title) if console.is_terminal else LoadTestLines(console)


def view(progress: LoadTestProgress, title: str) -> Group:
    """One frame of the live view."""
    plan, step = progress.plan, progress.step
    head = Table.grid(padding=(0, 2))
    bar = ProgressBar(total=plan.total_s, completed=step.end_s, width=40)
    head.add_row(
        Text(step.phase, style="bold"), bar, f"{step.end_s:.0f} of {plan.total_s:.0f} s", f"{_left(progress)} left"
    )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("direction", "offered", "received", "L2", "L1", "line", "loss", "not sent", ""):
        table.add_column(name, justify="left" if name in ("direction", "") else "right")
    for channel in plan.directions:
        state = _state(progress, channel)
        table.add_row(
            str(channel), *figures(progress.points[channel][-1]), state, style="red" if state == "saturated" else None
        )
    return Group(Text(f"{title}: {_load(progress)}"), head, table)


def plain_line(progress: LoadTestProgress) -> str:
    """`  12.0 s ramp 1.8 %: 0→1 offered … received … L2 … L1 … loss …; 1→0 …; 10:48 left`."""
    parts = []
    for channel in progress.plan.directions:
        point = progress.points[channel][-1]
        offered, received, l2, l1, line, *_ = figures(point)
        losses = losses_text(point.loss_ratio, point.balance.tester_share)
        widths = f" ({l2} L2, {l1} L1, {line})" if line else ""
        parts.append(f"{channel} offered {offered}, received {received}{widths}, {losses}")
    return (
        f"{progress.sample.t_s:7.1f} s {progress.step.phase} {_load(progress)}: {'; '.join(parts)}; "
        f"{_left(progress)} left"
    )


def figures(point: Point) -> tuple[str, ...]:
    """Offered and received pps, received L2 and L1 bps, percent of line, loss, share not sent: as text."""
    length, share = point.frame_bytes, point.line_percent
    return (
        rate_text(point.offered_pps),
        rate_text(point.received_pps),
        bits_text(point.received_pps * length * 8 if length else None),
        bits_text(point.received_pps * l1_bits(length) if length else None),
        "" if share is None else f"{percent_text(share)} %",
        loss_text(point.loss_ratio),
        loss_text(unsent) if (unsent := point.balance.tester_share) else "",
    )


def news(progress: LoadTestProgress, announced: set[str]) -> list[str]:
    """A line for each new finding about a direction that is not in `announced` yet; it is added there."""
    lines = []
    for channel, outcome in progress.outcomes.items():
        lossy, knee = outcome.loss_onset, outcome.saturation
        if lossy is not None and f"{channel} lossy" not in announced:
            announced.add(f"{channel} lossy")
            lines.append(f"{channel} {_lossy(outcome, progress.plan.threshold)}, at {lossy.t_s:.1f} s{_whose(outcome)}")
        if knee is not None and f"{channel} saturated" not in announced:
            announced.add(f"{channel} saturated")
            # Later samples move it, and the summary has that of all.
            lines.append(f"{channel} {_saturated(outcome, ' so far')}")
    return lines


def summary(result: Result, verdict: Verdict, where: str | None) -> list[str]:
    """The last lines of a test: the verdict; per direction its figures, loss onset and saturation point; then remarks,
    and the file."""
    details = []
    for channel in result.channels:
        if (outcome := result.outcome.channels.get(str(channel))) is not None:
            details.append(f"{channel}  {_channel_line(str(channel), outcome, verdict)}")
            details += [f"     {line}" for line in _under_way(result, channel, outcome)]
    return last_lines(result, verdict, where, "", details)


def _channel_line(channel: str, outcome: ChannelOutcome, verdict: Verdict) -> str:
    threshold = verdict.threshold or 0.0
    parts = [replace(one.of(channel), name=one.name).line for one in verdict.figures if one.each]
    parts.append(_lossy(outcome, threshold))
    parts.append(_saturated(outcome) if outcome.saturation else "not saturated")
    parts.append(_balance(outcome.balance))
    if outcome.disturbed_samples:
        parts.append(f"{count(outcome.disturbed_samples, 'sample')} disturbed by the host")
    return "; ".join(parts)


def _lossy(outcome: ChannelOutcome, threshold: float) -> str:
    load = outcome.loss_onset
    if load is None:
        # Losses in excluded or single samples, below any lasting loss.
        unsaid = outcome.balance.loss_ratio > threshold
        if unsaid and outcome.disturbed_samples:
            return f"no loss above {threshold * 100:g} % except in samples that the host disturbed"
        return f"no {'lasting ' if unsaid else ''}loss above {threshold * 100:g} %"
    return f"loss above {threshold * 100:g} % from {rate_text(load.offered_pps)}{_of_line(load.offered_percent)}"


def _saturated(outcome: ChannelOutcome, when: str = "") -> str:
    """Not the highest load with little loss: there received stops following offered."""
    knee = outcome.saturation
    assert knee is not None
    between = f"between {rate_text(knee.low_pps)} and {rate_text(knee.high_pps)}"
    return f"saturation point{when}: {rate_text(knee.offered_pps)}{_of_line(knee.offered_percent)}, {between}"


def _whose(outcome: ChannelOutcome) -> str:
    return "; the tester was the limit, not the DUT" if outcome.tester_limited else ""


def _balance(balance: Balance) -> str:
    text = f"{balance.lost:,.0f} of {balance.offered:,.0f} offered packets lost ({loss_text(balance.loss_ratio)})"
    parts = {"refused": balance.refused, "without buffer": balance.no_buffer, "late": balance.late}
    again = 0 if balance.order is None else balance.order.duplicates
    parts |= {"missed by the tester": balance.missed, "duplicate": again, "foreign": balance.extraneous - again}
    return text + "".join(f", {count:,.0f} {name}" for name, count in parts.items() if count)


def _under_way(result: Result, channel: Channel, outcome: ChannelOutcome) -> Iterator[str]:
    """Note if packets of the last sample arrived during the drain, so that they were not lost."""
    if not result.samples or not result.outcome.settled:
        return
    last = points_of(result, channel, result.line_bps(channel.tx), outcome.balance)[-1]
    if last.loss_ratio > result.outcome.threshold >= outcome.balance.loss_ratio:
        yield f"{last.balance.lost:,.0f} packets were under way at the last sample and came later"


def _state(progress: LoadTestProgress, channel: Channel) -> str:
    outcome = progress.outcomes[channel]
    if outcome.saturation is not None:
        return "saturated"
    if outcome.loss_onset is None:
        return ""
    return "tester limited" if outcome.tester_limited else "lossy"


def _of_line(percent: float | None) -> str:
    return "" if percent is None else f" ({percent_text(percent)} % of line)"


def _load(progress: LoadTestProgress) -> str:
    rate = progress.step.rate
    return f"{percent_text(rate.value)} %" if rate.unit == "percentage" else format_si(rate.value, rate.unit)


def _left(progress: LoadTestProgress) -> str:
    minutes, seconds = divmod(round(progress.remaining_s), 60)
    return f"{minutes}:{seconds:02}"
