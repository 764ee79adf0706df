"""Output of a soak: live view, and the summary."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from wirespeed.measurement.lines import last_lines
from wirespeed.measurement.soak.result import Drift, Gap, LossEvent, SoakResult, Span
from wirespeed.measurement.soak.run import SoakProgress
from wirespeed.measurement.soak.words import DOER, count_text, lost_text, ratio_text, shown_text, time_text
from wirespeed.results.figures import difference_text, loss_text, percent_text, rate_text
from wirespeed.results.verdict import Verdict
from wirespeed.watching import NoView, Quiet, Redrawn, Watcher

_SHOWN = 6
_LINE_EACH_S = ((120.0, 10.0), (3600.0, 60.0))
"""Interval of log lines until a number of seconds was observed; then every ten minutes."""
_LINE_LATER_S = 600.0


class SoakLines(Quiet):
    """For logs: a line at intervals, and one for each loss and each gap."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._due_s = 0.0
        self._told = 0

    def __call__(self, progress: SoakProgress, /) -> None:
        for line in self._lines(progress):
            self._console.out(line, highlight=False)

    def _lines(self, progress: SoakProgress) -> Iterator[str]:
        if progress.gap is not None:
            yield gap_line(progress.gap)
        for event in progress.events:
            if event.lost and event.number > self._told:  # what it grows to is in the lines that follow
                self._told = event.number
                yield event_line(event)
        watched_s = progress.chronicle.watched_s
        if progress.span is not None and watched_s >= self._due_s:
            self._due_s = watched_s + next((each for until, each in _LINE_EACH_S if watched_s < until), _LINE_LATER_S)
            yield plain_line(progress, progress.span)


class SoakView(Redrawn):
    """For terminals: the state so far, redrawn in place, and the last losses and gaps."""

    def __init__(self, console: Console, title: str) -> None:
        super().__init__(console)
        self._title = title
        self._last: dict[str, str] = {}

    def __call__(self, progress: SoakProgress, /) -> None:
        if progress.gap is not None:
            self._last[f"gap {progress.gap.at_s}"] = gap_line(progress.gap)
        self._last |= {f"loss {event.number}": event_line(event) for event in progress.events}
        self._last = dict(list(self._last.items())[-_SHOWN:])
        self._draw(view(progress, self._title, list(self._last.values())))


def watcher(console: Console, title: str, quiet: bool) -> Watcher[SoakProgress]:
    if quiet:
        return NoView()
    return SoakView(console, title) if console.is_terminal else SoakLines(console)


def view(progress: SoakProgress, title: str, last: list[str]) -> Group:
    """One frame of the live view."""
    verdict, span = progress.verdict(), progress.span
    table = Table.grid(padding=(0, 2))
    table.add_row("watched", f"{time_text(verdict.watched_s)}, {time_text(max(0.0, progress.left_s))} left")
    if span is not None:
        table.add_row("now", _second(span))
    table.add_row("loss", Text(lost_text(verdict), style="" if verdict.lost else "green"))
    table.add_row("shown", shown_text(verdict))
    if verdict.longest_loss_free_s:
        table.add_row("longest without loss", time_text(verdict.longest_loss_free_s))
    return Group(Text(title, style="bold"), table, *map(Text, last))


def plain_line(progress: SoakProgress, span: Span) -> str:
    """`60 s: 2.1 Mpps, received …; lost 0 of 126 M; …`."""
    verdict = progress.verdict()
    return f"{time_text(verdict.watched_s)}: {_second(span)}; {lost_text(verdict)}; {shown_text(verdict)}"


def _second(span: Span) -> str:
    received = sum(flow.received for flow in span.flows.values())
    words = [f"offered {rate_text(span.offered / span.watched_s)}, received {rate_text(received / span.watched_s)}"]
    latencies = [flow.latency for flow in span.flows.values() if flow.latency is not None]
    if latencies:
        worst = max(one.max_us for one in latencies)
        mean = sum(one.average_us for one in latencies) / len(latencies)
        words.append(f"latency {mean:.1f} µs, max {worst:.1f}")
    return ", ".join(words)


def event_line(event: LossEvent) -> str:
    """`loss 3 at 75 s on 0→1: 120 packets (0.1 ms) in 1.0 s, by the DUT: ip4-input: …`."""
    drops = ", ".join(f"{name} {count:,}" for name, count in event.drops.items() if count)
    more = "; ".join(filter(None, (event.why, drops and f"DUT counters: {drops}")))
    return (
        f"loss {event.number} at {time_text(event.at_s)} on {event.channel}: {count_text(event.lost, 'packet')} "
        f"(at most {_short(event.outage_s)} of traffic in one go) in {event.seconds:.1f} s, {DOER[event.cause]}"
        + (f": {more}" if more else "")
    )


def gap_line(gap: Gap) -> str:
    lost = "losses unknown" if gap.lost is None else f"{gap.lost:,} of {gap.offered or 0:,} lost"
    why = f" ({gap.why})" if gap.why else ""
    return (
        f"not observed for {time_text(gap.seconds)} from {time_text(gap.at_s)}: the {gap.blind} was gone{why}; {lost}"
    )


def _short(seconds: float) -> str:
    return (
        f"{seconds:.3g} s"
        if seconds >= 1
        else f"{seconds * 1e3:.3g} ms"
        if seconds >= 1e-3
        else f"{seconds * 1e6:.3g} µs"
    )


def summary(result: SoakResult, judged: Verdict, where: str | None) -> list[str]:
    """The last lines of a soak: the load, the verdict `judged` on it, and the loss ratio that it shows."""
    verdict, percent = result.verdict, result.line_percent
    line = "" if percent is None else f" ({percent_text(percent)} % of line)"
    headline = (
        f": {rate_text(result.load_pps)}{line} in {count_text(len(result.directions), 'direction')}, "
        f"watched for {time_text(verdict.watched_s)}"
    )
    details = [f"{shown_text(verdict)} ({verdict.method or 'no bound'})", *_more(result)]
    details += map(gap_line, result.gaps[-_SHOWN:])
    details += map(event_line, result.events[-_SHOWN:])
    return last_lines(result, judged, where, headline, details)


def _more(result: SoakResult) -> Iterator[str]:
    verdict, total = result.verdict, result.total
    if verdict.by_host:
        yield f"{verdict.by_host:,} of them while CPUs were preempted"
    if verdict.by_tester:
        yield f"{verdict.by_tester:,} more came back, and the tester's receiver missed them"
    if verdict.unplaced > 0:
        yield f"{verdict.unplaced:,} of the lost ones were found missing in the end: nobody knows when they were lost"
    unoffered = sum(flow.unoffered for flow in total.flows.values()) if total is not None else 0
    if unoffered and total is not None:
        share = loss_text(unoffered / (unoffered + total.offered))
        yield f"not sent by the tester: {unoffered:,} packets of the load ({share})"
    worst = verdict.worst_minute
    if worst is not None:
        yield f"worst minute at {time_text(worst.at_s)}: lost {worst.lost:,} ({ratio_text(worst.loss_ratio)})"
        yield f"longest gap in traffic at most {_short(verdict.longest_outage_s)}"
    yield f"longest without loss {time_text(verdict.longest_loss_free_s)}"
    for wire, drift in verdict.latency_us.items():
        latency = total.flows[wire].latency if total is not None and wire in total.flows else None
        most = "" if latency is None else f"; max {latency.max_us:.1f} µs"
        yield f"latency {wire}: mean {_drift(drift, '.1f')} µs{most}"
    if verdict.cycles_per_packet is not None:
        yield f"DUT cycles per packet: {_drift(verdict.cycles_per_packet, '.0f')}"
    if verdict.memory_bytes is not None:
        megabytes = Drift(verdict.memory_bytes.first / 1e6, verdict.memory_bytes.last / 1e6)
        yield f"DUT memory: {_drift(megabytes, '.1f')} MB"
    if total is not None and total.dut.drop_packets:
        reasons = ", ".join(f"{name} {count:,}" for name, count in total.dut.drops.items() if count)
        yield f"DUT dropped {total.dut.drop_packets:,}" + (f": {reasons}" if reasons else "")


def _drift(drift: Drift, form: str) -> str:
    return f"{drift.first:{form}} at first, {drift.last:{form}} at last ({difference_text(drift.percent / 100)})"
