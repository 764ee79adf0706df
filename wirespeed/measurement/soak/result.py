"""The result of a soak, as a value: a load held for minutes to days, and its losses over time.

A load is packets per second of each direction. Times are seconds since the soak began; after a restart of the tester
they come from the wall clock. Seconds are summed up into minutes and hours, and the newest spans of each width are
kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from wirespeed.measurement.shown import short_repr
from wirespeed.results.channel import Channel
from wirespeed.results.codec import SPARSE, Number, Stored, reader_of, with_former
from wirespeed.results.draw import Draw
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.settings import Settings
from wirespeed.units import Rate

Cause = Literal["dut", "tester", "host"]
"""Cause of a loss. `tester`: its receiver dropped the packets; `host`: CPUs of tester or DUT were preempted, or a link
was down."""

Blind = Literal["controller", "generator"]
"""Program that was absent during an unobserved time."""


@dataclass(frozen=True)
class LatencySpan:
    """Packets of the latency stream; times in microseconds. `p99_us` is the highest of any second."""

    packets: int
    lost: int
    min_us: float
    average_us: float
    max_us: float
    p99_us: float


@dataclass(frozen=True)
class SoakFlow:
    """One direction over a span. `lost` packets were counted as lost in it, `missed` of them by the tester's own
    receiver. `delayed` packets were counted as lost before and received in it. `unoffered` packets were intended and
    not sent."""

    offered: int = 0
    received: int = 0
    lost: Annotated[int, SPARSE] = 0
    delayed: Annotated[int, Stored(sparse=True, former="came_later")] = 0
    missed: Annotated[int, SPARSE] = 0
    unoffered: Annotated[int, SPARSE] = 0
    latency: Annotated[LatencySpan | None, SPARSE] = None

    @property
    def loss_ratio(self) -> float:
        return min(1.0, max(0, self.lost - self.delayed) / self.offered) if self.offered else 0.0


@dataclass(frozen=True)
class DutSpan:
    """Values of the DUT over a span. `drops` counts by its own reasons, `cpu_percent` has shares of its CPUs by class,
    and `memory_bytes` is the largest resident memory of its process. `watts` is the mean of a power meter. `error` is
    the last reason why the DUT could not be read."""

    drop_packets: Annotated[int | None, SPARSE] = None
    drops: Annotated[Mapping[str, int], SPARSE] = field(default_factory=dict)
    cpu_percent: Annotated[Mapping[str, float], SPARSE] = field(default_factory=dict)
    memory_bytes: Annotated[int | None, SPARSE] = None
    cycles_per_packet: Annotated[float | None, SPARSE] = None
    watts: Annotated[float | None, SPARSE] = None
    error: Annotated[str, SPARSE] = ""


@dataclass(frozen=True)
class Span:
    """A second, or a span that seconds were combined into. `watched_s` of it were observed, `lossy_s` of these had a
    loss. CPUs of tester and DUT were preempted for `preempted_s`, all CPUs by the hypervisor for `steal_s`; None if
    unknown."""

    at_s: float
    watched_s: float
    flows: Mapping[Channel, SoakFlow]
    lossy_s: Annotated[float, SPARSE] = 0.0
    preempted_s: Annotated[float | None, Stored(sparse=True, former="away_s")] = None
    steal_s: Annotated[float | None, SPARSE] = None
    dut: Annotated[DutSpan, SPARSE] = DutSpan()

    @property
    def offered(self) -> int:
        return sum(flow.offered for flow in self.flows.values())

    @property
    def lost(self) -> int:
        return sum(flow.lost - flow.delayed for flow in self.flows.values())

    @property
    def loss_ratio(self) -> float:
        """All directions together."""
        return min(1.0, max(0, self.lost) / self.offered) if self.offered else 0.0


@dataclass(frozen=True)
class LossEvent:
    """A loss of one direction, over consecutive seconds that each lost something. `outage_s` is the longest possible
    interruption: the lost packets of adjacent seconds divided by the rate (RFC 6201). `cause` is the cause, `drops` the
    DUT's own counters. Numbers begin with 1."""

    number: int
    at_s: float
    seconds: float
    channel: Channel
    lost: int
    cause: Annotated[Cause, with_former(Cause, {"machine": "host"}, former="whose")]
    outage_s: float = 0.0
    why: str = ""
    drops: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Gap:
    """`seconds` from `at_s` in which nothing was observed. `blind` is the program that was absent. `offered` and `lost`
    are known if the counters went on, otherwise None."""

    at_s: float
    seconds: float
    blind: Blind
    why: str = ""
    offered: int | None = None
    lost: int | None = None


@dataclass(frozen=True)
class WorstMinute:
    """The minute with the highest loss ratio."""

    at_s: float
    offered: int
    lost: int

    @property
    def loss_ratio(self) -> float:
        return min(1.0, self.lost / self.offered) if self.offered else 0.0


@dataclass(frozen=True)
class Drift:
    """Change of a figure from the beginning to the end of the soak: means of the first and the last tenth (at least a
    second, at most an hour)."""

    first: float
    last: float

    @property
    def percent(self) -> float:
        return (self.last - self.first) / self.first * 100 if self.first else 0.0


@dataclass(frozen=True)
class SoakVerdict:
    """The result of a soak.

    `lost` of `offered` packets were never received, without those that the tester's receiver dropped (`by_tester`);
    `by_host` of them were lost while CPUs were preempted. `upper_ratio` and `lower_ratio` are one-sided bounds of
    the loss ratio at `confidence`, by `method`. `shown`: the upper bound is at most `target_ratio`. `needed_s` is how
    much longer the load has to be held for that without further loss; 0 if it is shown. `unplaced` lost packets were
    found missing at the end, at an unknown time (negative: packets counted as lost arrived after all).
    `unwatched_offered` and `unwatched_lost` are those of gaps in which the counters went on.
    """

    also_stored: ClassVar[Mapping[str, str]] = {"loss_ratio": "loss_ratio"}

    target_ratio: float
    confidence: float
    offered: int = 0
    lost: int = 0
    by_host: Annotated[int, Stored(former="by_machine")] = 0
    by_tester: int = 0
    upper_ratio: float = 1.0
    lower_ratio: float = 0.0
    method: str = ""
    shown: bool = False
    needed_s: float | None = None
    watched_s: float = 0.0
    event_count: int = 0
    worst_minute: WorstMinute | None = None
    longest_loss_free_s: float = 0.0
    longest_outage_s: float = 0.0
    unplaced: int = 0
    unwatched_offered: int = 0
    unwatched_lost: int = 0
    latency_us: Mapping[Channel, Drift] = field(default_factory=dict)
    cycles_per_packet: Drift | None = None
    memory_bytes: Drift | None = None

    @property
    def loss_ratio(self) -> float:
        return min(1.0, self.lost / self.offered) if self.offered else 0.0


def _port_counters(raw: Any) -> dict[int, dict[str, int]]:
    """Counters by port and name, with the present name of the intended packets."""
    ports: Mapping[int, Mapping[str, int]] = reader_of(Mapping[int, Mapping[str, int]])(raw)
    return {
        port: {"intended" if name == "asked" else name: count for name, count in counts.items()}
        for port, counts in ports.items()
    }


@dataclass(frozen=True)
class CounterReading:
    """Port counters at `at_s` of the tester's clock, by name; `test_frames` are test frames received, by their
    signature."""

    at_s: float
    ports: Annotated[Mapping[int, Mapping[str, int]], Stored(read=_port_counters)]
    test_frames: Annotated[Mapping[Channel, int], Stored(former="ours")] = field(default_factory=dict)


@dataclass(frozen=True)
class ResumeMark:
    """The state for `--resume` while traffic goes on. `origin` and `latest` are the counters at the beginning
    (`began_s` of the soak) and at the last reading. For each direction, `placed` packets were counted as lost by then,
    and `under_way` are those in flight."""

    session_id: int
    began_s: float
    origin: CounterReading
    latest: CounterReading
    placed: Mapping[Channel, int] = field(default_factory=dict)
    under_way: Mapping[Channel, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SoakSettings(Settings):
    """`load` is as on a command line and `load_from` its source; `duration` is in seconds, `latency` the rate of the
    latency streams in packets per second. `lab` is the lab's name."""

    load: Annotated[str, SPARSE] = ""
    load_from: Annotated[str, SPARSE] = ""
    duration: Annotated[Number | None, SPARSE] = None
    directions: Annotated[str, Stored(sparse=True, former="wires")] = ""
    latency: Annotated[Number | None, SPARSE] = None
    lab: Annotated[str, SPARSE] = ""


@dataclass(frozen=True)
class SoakResult(MeasurementResult):
    """A whole soak. `load_pps` is `load` in each direction, `intended_s` the intended duration. The newest `events` and
    `gaps` are kept; the verdict counts all, as do `worst_minute` and the longest durations."""

    __repr__ = short_repr

    kind = "soak"
    finds_limit = False
    schema = "wirespeed-soak/2"
    noun = "soak result"
    journal_noun = "a soak"

    variables: Annotated[SoakSettings, Stored("vars")]
    load: Rate
    load_pps: float
    intended_s: float
    verdict: SoakVerdict
    seconds: tuple[Span, ...] = ()
    minutes: tuple[Span, ...] = ()
    hours: tuple[Span, ...] = ()
    total: Span | None = None
    events: tuple[LossEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()
    mark: Annotated[ResumeMark | None, SPARSE] = None

    @property
    def is_empty(self) -> bool:
        return self.total is None

    @property
    def line_percent(self) -> float | None:
        """The load as percent of the narrowest line; None without a line speed."""
        line = self.line_pps
        return None if line is None else self.load_pps / line * 100

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(self._draws())

    def _draws(self) -> Iterator[Draw]:
        total = self.total
        if total is None or total.watched_s <= 0:
            return
        received = sum(flow.received for flow in total.flows.values())
        silent = sum(span.dut.watts is None for span in self.seconds)
        yield Draw(
            load="soak",
            offered_pps=total.offered / total.watched_s,
            received_pps=received / total.watched_s,
            watts=total.dut.watts,
            readings=round(total.watched_s),
            gaps=silent,
        )

    @classmethod
    def of_journal(cls, head: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> Self:
        return super().of_journal(head["state"], entries, str(head.get("name") or name))

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[SoakResult, str]:
        from wirespeed.measurement.soak.journal import replayed  # noqa: PLC0415 - it makes spans of this module

        result = replayed(SoakResult.from_json(head, name), entries)
        return result, f"the soak did not end by itself; its journal has {result.verdict.watched_s:.0f} s"


RESULT = SoakResult
