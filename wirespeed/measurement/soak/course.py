"""A running soak: it turns readings, one per second, into spans, events and gaps. Nothing is sent here.

All counts are since traffic began, and differences of those. Packets in flight at the end of a second are therefore
neither lost in that second nor surplus in the next. Losses are known `LOOK_AHEAD` seconds late.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from wirespeed.measurement.soak.chronicle import Chronicle
from wirespeed.measurement.soak.ledger import LossLedger, Placed
from wirespeed.measurement.soak.marks import counters_of, reading_of
from wirespeed.measurement.soak.result import Cause, DutSpan, Gap, LatencySpan, LossEvent, ResumeMark, SoakFlow, Span
from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.machine import why_disturbed
from wirespeed.results.sample import Sample
from wirespeed.trial.reading import TrialReading

Balances = Mapping[Channel, Balance]
"""Balance of each direction, since traffic began."""

_LATENCY_S = 0.01
_ALL = 0.99
"""A second that lost this much had no traffic."""


@dataclass(frozen=True)
class ObservedSecond:
    """An observed second: the readings around it as a sample, the balances up to its end, and the DUT's telemetry. With
    a gap in place of a sample, the balances are those at its end."""

    at_s: float
    balances: Balances
    reading: TrialReading
    sample: Sample | None = None
    telemetry: DutTelemetry = DutTelemetry()  # noqa: RUF009 - frozen
    memory_bytes: int | None = None
    gap: Gap | None = None


@dataclass(frozen=True)
class Settled:
    """A part of the soak that is final: a span and the events that it changed, or a gap; and the mark to resume
    from."""

    mark: ResumeMark
    span: Span | None = None
    events: tuple[LossEvent, ...] = ()
    gap: Gap | None = None


@dataclass
class Course:
    """A continuous period of traffic, from `mark` on. Settled entries go to the chronicle, then to `emit`."""

    chronicle: Chronicle
    mark: ResumeMark
    emit: Callable[[Settled], None]
    _ledgers: dict[Channel, LossLedger] = field(default_factory=dict)
    _waiting: deque[ObservedSecond] = field(default_factory=deque)
    _before: ObservedSecond | None = None
    _settled_before: Balances = field(default_factory=dict)
    _open: dict[Channel, LossEvent] = field(default_factory=dict)
    _silence_s: dict[Channel, float] = field(default_factory=dict)

    def see(self, seen: ObservedSecond) -> None:
        """The next second, or the gap before it."""
        self._waiting.append(seen)
        answers = {
            wire: self._ledger(wire).see(round(one.lost), self._most_under_way(seen, wire))
            for wire, one in seen.balances.items()
        }
        known = {wire: placed for wire, placed in answers.items() if placed is not None}
        if known:
            self._settle(known)

    def finish(self, drained: Balances | None) -> tuple[int, int]:
        """The traffic has ended; `drained` are the balances when nothing was in flight any more, None if they could not
        be read. Returns the number of losses without a time, and of packets offered after the last reading."""
        unplaced: dict[Channel, int] = {}
        rests: dict[Channel, list[Placed]] = {}
        for wire, ledger in self._ledgers.items():
            missing = None if drained is None else round(drained[wire].lost)
            rests[wire], unplaced[wire] = ledger.finish(missing)
        while self._waiting:
            self._settle({wire: rest.pop(0) for wire, rest in rests.items()})
        for wire, more in unplaced.items():
            # Packets of the last events that came in the drain.
            for event in self._taken_back(wire, -more):
                self.chronicle.put(event)
        total = sum(unplaced.values())
        offered = sum(self._grown(wire, one).offered for wire, one in (drained or {}).items() if wire in self._ledgers)
        if total or offered:
            self.chronicle.add_unplaced(total, offered)
        return total, offered

    def _ledger(self, wire: Channel) -> LossLedger:
        if wire not in self._ledgers:
            goes_on = wire in self.mark.placed
            self._ledgers[wire] = LossLedger(
                self.mark.placed.get(wire, 0), self.mark.under_way.get(wire, 0) if goes_on else None
            )
        return self._ledgers[wire]

    def _most_under_way(self, seen: ObservedSecond, wire: Channel) -> int:
        """The most packets in flight: those sent in the longest measured latency, or in `_LATENCY_S`."""
        if seen.sample is None or seen.sample.interval_s <= 0:
            return 0
        latency = seen.sample.latency.get(wire)
        seconds = latency.max_us / 1e6 if latency is not None else _LATENCY_S
        return round(seen.sample.ports[wire.tx].tx_pps * seconds)

    def _settle(self, placed: Mapping[Channel, Placed]) -> None:
        seen = self._waiting.popleft()
        grown = {wire: self._grown(wire, one) for wire, one in seen.balances.items()}
        # A mark tells of readings that are settled: what comes after them is seen again by whoever goes on from it.
        self.mark = replace(
            self.mark,
            latest=counters_of(seen.reading),
            placed={wire: self._placed_by(wire, placed) for wire in placed},
            under_way={wire: ledger.under_way for wire, ledger in self._ledgers.items()},
        )
        self._settled_before = seen.balances
        if seen.gap is not None:
            gap = replace(
                seen.gap,
                offered=sum(flow.offered for flow in grown.values()),
                lost=sum(one.lost - one.delayed for one in placed.values()),
            )
            self.chronicle.add_gap(gap)
            self._open.clear()
            self.emit(Settled(self.mark, gap=gap))
            return
        assert seen.sample is not None
        flows = {wire: self._flow(flow, placed[wire], seen.sample, wire) for wire, flow in grown.items()}
        span = _span(seen, flows)
        events = self._events(seen, flows)
        for event in events:
            self.chronicle.put(event)
        self.chronicle.add(span)
        self._before = seen
        self.emit(Settled(self.mark, span, tuple(events)))

    def _placed_by(self, wire: Channel, now: Mapping[Channel, Placed]) -> int:
        base = self.mark.placed.get(wire, 0)
        return base + now[wire].lost - now[wire].delayed

    def _grown(self, wire: Channel, now: Balance) -> SoakFlow:
        before = self._settled_before.get(wire)
        if before is None:
            before = Balance(0, 0)
        return SoakFlow(
            offered=max(0, round(now.offered - before.offered)),
            received=max(0, round(now.test_frames - before.test_frames)),
            missed=max(0, round(now.missed - before.missed)),
            unoffered=max(0, round(now.unoffered - before.unoffered)),
        )

    def begin_from(self, balances: Balances) -> None:
        """The counts before the first second of this stretch."""
        self._settled_before = balances

    def _flow(self, grown: SoakFlow, placed: Placed, sample: Sample, wire: Channel) -> SoakFlow:
        reading = sample.latency.get(wire)
        latency = None
        if reading is not None:
            p99_us = reading.percentiles.get("99", reading.max_us)
            latency = LatencySpan(
                reading.packets, reading.lost, reading.min_us, reading.average_us, reading.max_us, p99_us
            )
        missed = min(grown.missed, placed.lost)
        return replace(grown, lost=placed.lost, delayed=placed.delayed, missed=missed, latency=latency)

    def _events(self, seen: ObservedSecond, flows: Mapping[Channel, SoakFlow]) -> list[LossEvent]:
        """Loss events that began, continued or were withdrawn in this second; each once."""
        changed: dict[int, LossEvent] = {}
        for wire, flow in flows.items():
            if flow.delayed:
                changed |= {event.number: event for event in self._taken_back(wire, flow.delayed)}
            if not flow.lost:
                self._open.pop(wire, None)
                self._silence_s.pop(wire, None)
                continue
            event = self._event(seen, wire, flow, max([self.chronicle.numbers, *changed]) + 1)
            changed[event.number] = self._open[wire] = event
        return list(changed.values())

    def _event(self, seen: ObservedSecond, wire: Channel, flow: SoakFlow, number: int) -> LossEvent:
        assert seen.sample is not None
        before = self._before.sample if self._before is not None else None
        why = why_disturbed(before, seen.sample, wire, flow.loss_ratio) or ""
        cause: Cause = "host" if why else "tester" if flow.missed * 2 > flow.lost else "dut"
        seconds = seen.sample.interval_s
        outage_s = self._outage_s(wire, flow, seconds)
        drops = dict(seen.telemetry.drops)
        known = self._open.get(wire)
        if known is None or known.cause != cause or known.number not in self.chronicle.events:
            return LossEvent(number, seen.at_s, seconds, wire, flow.lost, cause, outage_s, why, drops)
        known = self.chronicle.events[known.number]
        return replace(
            known,
            seconds=seen.at_s + seconds - known.at_s,
            lost=known.lost + flow.lost,
            outage_s=max(known.outage_s, outage_s),
            drops={name: known.drops.get(name, 0) + drops.get(name, 0) for name in (*known.drops, *drops)},
        )

    def _outage_s(self, wire: Channel, flow: SoakFlow, seconds: float) -> float:
        """The longest possible interruption up to this second: its loss may be continuous, and follow directly on the
        loss at the end of the second before."""
        lost_s = min(1.0, flow.lost / flow.offered) * seconds if flow.offered else seconds
        longest_s = self._silence_s.get(wire, 0.0) + lost_s
        self._silence_s[wire] = longest_s if lost_s >= _ALL * seconds else lost_s
        return longest_s

    def _taken_back(self, wire: Channel, count: int) -> list[LossEvent]:
        """The newest events of a direction, without packets that arrived later."""
        less = []
        for event in reversed(self.chronicle.events.values()):
            if event.channel != wire or count <= 0:
                continue
            taken = min(count, event.lost)
            count -= taken
            left = event.lost - taken
            less.append(replace(event, lost=left, outage_s=event.outage_s * left / event.lost))
            self._open.pop(wire, None)
        return less


def _span(seen: ObservedSecond, flows: Mapping[Channel, SoakFlow]) -> Span:
    assert seen.sample is not None
    preemption = seen.sample.preemption
    sides = (preemption.tester_preempted_s, preemption.dut_preempted_s) if preemption else ()
    known_s = [one for one in sides if one is not None]
    return Span(
        at_s=seen.at_s,
        watched_s=seen.sample.interval_s,
        flows=flows,
        lossy_s=seen.sample.interval_s if any(flow.lost for flow in flows.values()) else 0.0,
        preempted_s=sum(known_s) if known_s else None,
        steal_s=preemption.steal_s if preemption else None,
        dut=dut_span(seen.telemetry, seen.memory_bytes),
    )


def dut_span(telemetry: DutTelemetry, memory_bytes: int | None = None) -> DutSpan:
    """The part of a DUT's telemetry that a soak stores."""
    return DutSpan(
        drop_packets=telemetry.drop_packets,
        drops=dict(telemetry.drops),
        cpu_percent=dict(telemetry.cpu_percent),
        memory_bytes=memory_bytes,
        cycles_per_packet=telemetry.cycles_per_packet,
        watts=telemetry.watts,
        error=telemetry.error or "",
    )


def known_until(
    mark: ResumeMark, balance: Callable[[TrialReading, TrialReading, Channel], Balance]
) -> dict[Channel, Balance]:
    """The balances that `mark` was last seen with, by `balance` of two readings."""
    origin, latest = reading_of(mark.origin), reading_of(mark.latest)
    return {wire: balance(origin, latest, wire) for wire in mark.placed}
