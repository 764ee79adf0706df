"""What a running load test shows: a live view on a terminal, plain lines elsewhere, and the summary at the end."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from wirespeed.loadtest.plan import LoadPlan
from wirespeed.loadtest.result import Channel, PortSample, Result, Sample
from wirespeed.loadtest.run import Progress
from wirespeed.loadtest.saturation import ChannelPoint, limited_by_tester, offered_pps
from wirespeed.units import format_si, l1_bps

LINES_WANTED = 60
"""About so many plain lines a test, however long it is, and never more than one a sample."""


class Watcher(Protocol):
    """Shows progress while it is entered."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None
    ) -> None: ...
    def __call__(self, progress: Progress) -> None: ...


class NoView:
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, progress: Progress) -> None:
        pass


class PlainLines:
    """For logs: a line every few seconds, at each new phase, and when a channel saturates."""

    def __init__(self, console: Console, plan: LoadPlan) -> None:
        self._console = console
        self._every_s = plan.total_s / LINES_WANTED
        self._announced: set[Channel] = set()
        self._phase = ""
        self._due_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, progress: Progress) -> None:
        if progress.step.phase != self._phase or progress.step.end_s >= self._due_s:
            self._phase = progress.step.phase
            self._due_s = progress.step.end_s + self._every_s * 0.999
            self._console.out(plain_line(progress), highlight=False)
        for line in news(progress, self._announced):
            self._console.out(line, highlight=False)


class LiveView:
    """For terminals: a table of channels under a bar, redrawn in place."""

    def __init__(self, console: Console, plan: LoadPlan, title: str) -> None:
        # Drawn once a sample and not by a thread of its own: on two CPUs that would be time taken from the DUT.
        self._live = Live(
            console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._title = title
        self._announced: set[Channel] = set()

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def __call__(self, progress: Progress) -> None:
        for line in news(progress, self._announced):
            self._live.console.print(Text(line, style="bold yellow"))
        self._live.update(view(progress, self._title), refresh=True)


def watcher(console: Console, plan: LoadPlan, title: str, quiet: bool) -> Watcher:
    if quiet:
        return NoView()
    return LiveView(console, plan, title) if console.is_terminal else PlainLines(console, plan)


def title_of(plan: LoadPlan) -> str:
    words = [plan.profile, ",".join(f"{key}={value}" for key, value in plan.tunables.items())]
    return " ".join(filter(None, words)) + (", unidirectional" if plan.unidirectional else ", bidirectional")


def view(progress: Progress, title: str) -> Group:
    """One frame of the live view."""
    plan, step = progress.plan, progress.step
    head = Table.grid(padding=(0, 2))
    bar = ProgressBar(total=plan.total_s, completed=step.end_s, width=40)
    head.add_row(
        Text(step.phase, style="bold"), bar, f"{step.end_s:.0f} of {plan.total_s:.0f} s", f"{_left(progress)} left"
    )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("channel", "offered", "received", "L2", "L1", "line", "loss", ""):
        table.add_column(name, justify="left" if name in ("channel", "") else "right")
    for channel in plan.channels:
        saturated = progress.saturation.get(channel)
        style = "red" if saturated else None
        table.add_row(str(channel), *figures(progress.sample, channel), "saturated" if saturated else "", style=style)
    return Group(Text(f"{title}: {_load(progress)}"), head, table)


def plain_line(progress: Progress) -> str:
    """`  12.0 s ramp 1.8 %: 0→1 offered … received … L2 … L1 … loss …; 1→0 …; 10:48 left`."""
    parts = []
    for channel in progress.plan.channels:
        offered, received, l2, l1, line, loss = figures(progress.sample, channel)
        parts.append(f"{channel} offered {offered}, received {received} ({l2} L2, {l1} L1, {line}), loss {loss}")
    return (
        f"{progress.sample.t_s:7.1f} s {progress.step.phase} {_load(progress)}: {'; '.join(parts)}; "
        f"{_left(progress)} left"
    )


def figures(sample: Sample, channel: Channel) -> tuple[str, ...]:
    """Offered and received pps, received L2 and L1 bps, percent of line, loss: as text."""
    sender, receiver = sample.ports[channel.tx], sample.ports[channel.rx]
    return (
        format_si(offered_pps(sender), "pps"),
        format_si(receiver.rx_pps, "pps"),
        format_si(receiver.rx_bps, "bps"),
        format_si(l1_bps(receiver.rx_bps, receiver.rx_pps), "bps"),
        f"{receiver.rx_util:.1f} %",
        format_loss(_loss_ratio(sender, receiver)),
    )


def news(progress: Progress, announced: set[Channel]) -> list[str]:
    """A line for each channel that has saturated and is not in `announced` yet; it is added."""
    fresh = {channel: point for channel, point in progress.saturation.items() if point and channel not in announced}
    announced.update(fresh)
    return [_saturated_line(channel, point) for channel, point in fresh.items()]


def summary(result: Result, where: str | None) -> list[str]:
    """The last lines of a test: per channel the best rate, the saturation and who was the limit; then the file."""
    outcome = result.outcome
    lines = [f"{result.name} {outcome['status']}"]
    lines += [_channel_line(name, values) for name, values in outcome["channels"].items()]
    if where is not None:
        lines.append(f"result in {where}")
    return lines


def format_loss(ratio: float) -> str:
    """Percent with enough digits that a loss is never shown as none."""
    return "0 %" if ratio == 0 else f"{ratio * 100:.3g} %" if ratio >= 1e-5 else "< 0.001 %"


def _channel_line(name: str, values: dict[str, Any]) -> str:
    best, at = values["max_received_pps"], values["saturation"]
    if best is None:
        line = f"  {name}  no ramp was measured"
    else:
        line = f"  {name}  max received {format_si(best, 'pps')}{_of_line(values['max_received_percent'])}"
        if at is None:
            line += ", not saturated"
        else:
            line += f", saturated from {format_si(at['offered_pps'], 'pps')}{_of_line(at['offered_percent'])} on"
    line += f"; {_balance(values)}"
    if values["tester_limited"]:
        line += "; the tester was the limit, not the DUT" if "late_packets" in values else "; sent less than asked"
    return line


def _balance(values: dict[str, Any]) -> str:
    text = f"of {values.get('asked_packets', values['sent_packets']):,} packets {values['lost_packets']:,} lost"
    for part in ("refused", "late"):
        if values.get(f"{part}_packets"):
            text += f", {values[f'{part}_packets']:,} {part}"
    return text


def _saturated_line(channel: Channel, point: ChannelPoint) -> str:
    whose = ", most of it the tester's own" if limited_by_tester([point], threshold=0.0) else ""
    return (
        f"{channel} saturated from {format_si(point.offered_pps, 'pps')} offered at {point.t_s:.1f} s on: "
        f"received {format_si(point.received_pps, 'pps')}, loss {format_loss(point.loss_ratio)}{whose}"
    )


def _of_line(percent: float | None) -> str:
    return "" if percent is None else f" ({percent:.1f} % of line)"


def _load(progress: Progress) -> str:
    rate = progress.step.rate
    return f"{rate.value:.1f} %" if rate.unit == "percentage" else format_si(rate.value, rate.unit)


def _left(progress: Progress) -> str:
    minutes, seconds = divmod(round(progress.remaining_s), 60)
    return f"{minutes}:{seconds:02}"


def _loss_ratio(sender: PortSample, receiver: PortSample) -> float:
    offered = offered_pps(sender)
    return max(0.0, offered - receiver.rx_pps) / offered if offered > 0 else 0.0
