"""Record of a soak in bounded memory: spans, the newest events and gaps, and sums of everything. Pure.

A live soak writes it, and so does the reader of a soak's journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from wirespeed.measurement.soak.result import (
    Drift,
    DutSpan,
    Gap,
    LatencySpan,
    LossEvent,
    SoakFlow,
    SoakResult,
    SoakVerdict,
    Span,
    WorstMinute,
)
from wirespeed.results.channel import Channel
from wirespeed.results.confidence import least_expected, method_of, most_expected

_MINUTE = 60
KEPT = {1: 900, 60: 1440, 3600: 8784}
"""Spans kept, by their width in seconds: the last quarter of an hour, the last day, a year."""

KEPT_EVENTS = 1000
KEPT_GAPS = 1000
_TENTH_MOST_S = 3600.0


class Chronicle:
    """`add`, `put` and `add_gap` in the order of time; `told` is a result with all of it."""

    def __init__(self, result: SoakResult) -> None:
        """Goes on from what `result` holds: nothing, that of a head."""
        verdict = result.verdict
        self._tiers = {
            width: deque(spans, KEPT[width])
            for width, spans in ((1, result.seconds), (60, result.minutes), (3600, result.hours))
        }
        self.total = result.total
        kept = result.minutes[0].at_s if result.minutes else 0.0
        worst = verdict.worst_minute
        self._older_worst = worst if worst is not None and worst.at_s < kept else None
        self.events = {event.number: event for event in result.events}
        self.gaps = deque(result.gaps, KEPT_GAPS)
        self.numbers = max(self.events, default=verdict.event_count)
        self._event_count = verdict.event_count
        self._older_outage_s = verdict.longest_outage_s if verdict.event_count > len(self.events) else 0.0
        self._by_host = verdict.by_host
        self._by_tester = verdict.by_tester
        self._unplaced = verdict.unplaced
        self._unwatched = verdict.unwatched_offered, verdict.unwatched_lost
        watched = result.total.offered if result.total is not None else 0
        self._offered_last = max(0, verdict.offered - verdict.unwatched_offered - watched)
        self._longest_free_s = verdict.longest_loss_free_s
        ends = [event.at_s + event.seconds for event in result.events[-1:]]
        ends += [gap.at_s + gap.seconds for gap in result.gaps[-1:]]
        self._free_s = max(0.0, self.now_s - max(ends, default=0.0))

    @property
    def now_s(self) -> float:
        """The end of the last observed second or of the last gap."""
        ends = [span.at_s + span.watched_s for span in list(self._tiers[1])[-1:]]
        ends += [gap.at_s + gap.seconds for gap in list(self.gaps)[-1:]]
        return max(ends, default=0.0)

    @property
    def watched_s(self) -> float:
        return self.total.watched_s if self.total is not None else 0.0

    def spans(self, width_s: int) -> tuple[Span, ...]:
        """Spans with a width in seconds."""
        return tuple(self._tiers[width_s])

    def add(self, second: Span) -> None:
        """The next second, or nearly that."""
        for width, spans in self._tiers.items():
            if spans and width > 1 and second.at_s // width == spans[-1].at_s // width:
                spans[-1] = merged(spans[-1], second)
            else:
                if width == _MINUTE and len(spans) == spans.maxlen:
                    self._older_worst = _worst([self._older_worst, _minute(spans[0])])
                spans.append(second)
        self.total = second if self.total is None else merged(self.total, second)
        self._by_tester += sum(flow.missed for flow in second.flows.values())
        self._free_s = 0.0 if second.lossy_s else self._free_s + second.watched_s
        self._longest_free_s = max(self._longest_free_s, self._free_s)

    def put(self, event: LossEvent) -> None:
        """A new event, or what has become of one: nothing, if `lost` is 0."""
        old = self.events.pop(event.number, None)
        self._sum(event, 1)
        if old is not None:
            self._sum(old, -1)
        self.numbers = max(self.numbers, event.number)
        if event.lost:
            self.events = dict(sorted({**self.events, event.number: event}.items()))
        while len(self.events) > KEPT_EVENTS:
            oldest = self.events.pop(next(iter(self.events)))
            self._older_outage_s = max(self._older_outage_s, oldest.outage_s)

    def _sum(self, event: LossEvent, sign: int) -> None:
        self._event_count += sign if event.lost else 0
        self._by_host += sign * event.lost if event.cause == "host" else 0

    def add_gap(self, gap: Gap) -> None:
        self.gaps.append(gap)
        offered, lost = self._unwatched
        self._unwatched = offered + (gap.offered or 0), lost + (gap.lost or 0)
        self._free_s = 0.0

    def add_unplaced(self, count: int, offered: int = 0) -> None:
        """Packets that were lost at an unknown time, less than 0 for those that came after all; and those offered
        between the last reading and the end of the traffic."""
        self._unplaced += count
        self._offered_last += offered

    def tell_later(self, telemetry: Callable[[float, float], DutSpan | None], since_s: float) -> None:
        """Telemetry of the DUT between two times that it reports only afterwards; None if it has reported it
        already."""
        for width, spans in self._tiers.items():
            for place, span in enumerate(spans):
                if span.at_s >= since_s:
                    whole_s = span.watched_s if width == 1 else min(width, self.now_s - span.at_s)
                    spans[place] = _with_dut(span, telemetry(span.at_s, span.at_s + whole_s))
        if self.total is not None:
            earlier = self.total if self.total.at_s < since_s else None
            self.total = _with_dut(self.total, telemetry(since_s, self.now_s))
            if earlier is not None:
                self.total = replace(self.total, dut=_dut(earlier, self.total))
        for number, event in self.events.items():
            if event.at_s >= since_s and (late := telemetry(event.at_s, event.at_s + event.seconds)) is not None:
                self.events[number] = replace(event, drops=dict(late.drops))

    def told(self, result: SoakResult) -> SoakResult:
        """`result` with all that was kept, and its verdict."""
        return replace(
            result,
            seconds=self.spans(1),
            minutes=self.spans(60),
            hours=self.spans(3600),
            total=self.total,
            events=tuple(self.events.values()),
            gaps=tuple(self.gaps),
            verdict=self.verdict(result.verdict.target_ratio, result.verdict.confidence),
        )

    def verdict(self, target_ratio: float, confidence: float) -> SoakVerdict:
        """The verdict on everything so far."""
        offered = self._unwatched[0] + self._offered_last + (self.total.offered if self.total is not None else 0)
        lost = (
            self._unwatched[1] + self._unplaced - self._by_tester + (self.total.lost if self.total is not None else 0)
        )
        lost = min(max(0, lost), offered)
        most = most_expected(lost, confidence)
        upper = min(1.0, most / offered) if offered else 1.0
        needed_s = None
        if self.watched_s > 0 and self.total is not None and self.total.offered:
            needed_s = max(0.0, most / target_ratio - offered) / (self.total.offered / self.watched_s)
        outages = [event.outage_s for event in self.events.values()]
        finest = self._finest_whole()
        return SoakVerdict(
            target_ratio=target_ratio,
            confidence=confidence,
            offered=offered,
            lost=lost,
            by_host=self._by_host,
            by_tester=self._by_tester,
            upper_ratio=upper,
            lower_ratio=least_expected(lost, confidence) / offered if offered else 0.0,
            method=method_of(lost),
            shown=bool(offered) and upper <= target_ratio,
            needed_s=needed_s,
            watched_s=self.watched_s,
            event_count=self._event_count,
            worst_minute=_worst([self._older_worst, *map(_minute, self._tiers[_MINUTE])]),
            longest_loss_free_s=self._longest_free_s,
            longest_outage_s=max([self._older_outage_s, *outages]),
            unplaced=self._unplaced,
            unwatched_offered=self._unwatched[0],
            unwatched_lost=self._unwatched[1],
            latency_us=_latency_drifts(finest),
            cycles_per_packet=_drift([(span.watched_s, span.dut.cycles_per_packet) for span in finest]),
            memory_bytes=_drift([(span.watched_s, span.dut.memory_bytes) for span in finest]),
        )

    def _finest_whole(self) -> tuple[Span, ...]:
        """The narrowest spans that go back to the beginning."""
        began_s = self.total.at_s if self.total is not None else 0.0
        return next(
            (tuple(spans) for spans in self._tiers.values() if spans and spans[0].at_s == began_s), self.spans(3600)
        )


def _minute(span: Span) -> WorstMinute:
    return WorstMinute(span.at_s, span.offered, span.lost)


def _worst(minutes: Iterable[WorstMinute | None]) -> WorstMinute | None:
    """The one with the most loss, the first among equals; None if none lost anything."""
    lossy = [minute for minute in minutes if minute is not None and minute.lost > 0]
    return max(lossy, key=lambda minute: minute.lost, default=None)


def merged(first: Span, second: Span) -> Span:
    """Two spans as one."""
    wires = dict.fromkeys((*first.flows, *second.flows))
    return Span(
        at_s=first.at_s,
        watched_s=first.watched_s + second.watched_s,
        flows={wire: _flow(first.flows.get(wire, SoakFlow()), second.flows.get(wire, SoakFlow())) for wire in wires},
        lossy_s=first.lossy_s + second.lossy_s,
        preempted_s=_sum(first.preempted_s, second.preempted_s),
        steal_s=_sum(first.steal_s, second.steal_s),
        dut=_dut(first, second),
    )


def _flow(first: SoakFlow, second: SoakFlow) -> SoakFlow:
    return SoakFlow(
        offered=first.offered + second.offered,
        received=first.received + second.received,
        lost=first.lost + second.lost,
        delayed=first.delayed + second.delayed,
        missed=first.missed + second.missed,
        unoffered=first.unoffered + second.unoffered,
        latency=_latency(first.latency, second.latency),
    )


def _latency(first: LatencySpan | None, second: LatencySpan | None) -> LatencySpan | None:
    if first is None or second is None:
        return first or second
    packets = first.packets + second.packets
    weighed = first.average_us * first.packets + second.average_us * second.packets
    return LatencySpan(
        packets=packets,
        lost=first.lost + second.lost,
        min_us=min(first.min_us, second.min_us),
        average_us=weighed / packets if packets else 0.0,
        max_us=max(first.max_us, second.max_us),
        p99_us=max(first.p99_us, second.p99_us),
    )


def _with_dut(span: Span, told: DutSpan | None) -> Span:
    return span if told is None else replace(span, dut=replace(told, memory_bytes=span.dut.memory_bytes))


def _dut(first: Span, second: Span) -> DutSpan:
    former, other = first.dut, second.dut
    costs = [(span.watched_s, span.dut.cycles_per_packet) for span in (first, second)]
    sizes = [size for size in (former.memory_bytes, other.memory_bytes) if size is not None]
    dropped = [count for count in (former.drop_packets, other.drop_packets) if count is not None]
    return DutSpan(
        drop_packets=sum(dropped) if dropped else None,
        drops=_added(former.drops, other.drops),
        cpu_percent=_shares(first, second),
        memory_bytes=max(sizes, default=None),
        cycles_per_packet=_mean(costs),
        watts=_mean([(span.watched_s, span.dut.watts) for span in (first, second)]),
        error=other.error or former.error,
    )


def _added(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    return {reason: first.get(reason, 0) + second.get(reason, 0) for reason in dict.fromkeys((*first, *second))}


def _shares(first: Span, second: Span) -> dict[str, float]:
    """Shares of the CPUs' time in both spans; a class that one span omits had no time there."""
    told = [(span.watched_s, span.dut.cpu_percent) for span in (first, second) if span.dut.cpu_percent]
    classes = dict.fromkeys(name for _, shares in told for name in shares)
    return {name: _mean([(seconds, shares.get(name, 0.0)) for seconds, shares in told]) or 0.0 for name in classes}


def _sum(first: float | None, second: float | None) -> float | None:
    return first if second is None else second if first is None else first + second


def _mean(values: list[tuple[float, float | None]]) -> float | None:
    """Weighted mean of the known values."""
    known = [(weight, value) for weight, value in values if value is not None]
    weight = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / weight if weight else None


def _drift(values: list[tuple[float, float | None]]) -> Drift | None:
    """Means of the first and the last tenth of the seconds in `values`, in order of time."""
    known = [(seconds, value) for seconds, value in values if value is not None]
    tenth_s = min(_TENTH_MOST_S, sum(seconds for seconds, _ in known) / 10)
    first, last = _until(known, tenth_s), _until(known[::-1], tenth_s)
    if len(known) < 2 or first is None or last is None:
        return None
    return Drift(first, last)


def _until(values: list[tuple[float, float]], seconds: float) -> float | None:
    taken: list[tuple[float, float | None]] = []
    for value in values:
        taken.append(value)
        seconds -= value[0]
        if seconds <= 0:
            break
    return _mean(taken)


def _latency_drifts(spans: tuple[Span, ...]) -> dict[Channel, Drift]:
    """Drift of each direction's average latency."""
    wires = dict.fromkeys(wire for span in spans for wire in span.flows)
    drifts = {}
    for wire in wires:
        latencies = [(span.watched_s, flow.latency) for span in spans if (flow := span.flows.get(wire)) is not None]
        drift = _drift([(seconds, one.average_us if one is not None else None) for seconds, one in latencies])
        if drift is not None:
            drifts[wire] = drift
    return drifts
