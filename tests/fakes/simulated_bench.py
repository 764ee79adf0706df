"""A testbed with known properties: the capacities of its DUT, tester, receiver and host are given, and samples follow
from them.

Each sample has a generator's counters: intended packets are sent, refused, late or without a buffer; sent ones are
returned by the DUT or lost; returned ones are received or missed. Preemptions of workers are single events and cost
what a ring of 1024 slots does not hold.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wirespeed.results.balance import Balance, Medium
from wirespeed.results.channel import Channel
from wirespeed.results.judge import judge
from wirespeed.results.outcome import ChannelOutcome
from wirespeed.results.point import Point, points
from wirespeed.results.sample import PortSample, Preemption, Sample, balance
from wirespeed.results.skew import allow_for_skew
from wirespeed.units import l1_bits

FORWARD = Channel(0, 1)
RING_SLOTS = 1024
LINE_BPS = 10e9

Loads = Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Bench:
    """Capacities of all parts, in packets per second; `dut` returns the received rate for an offered one. Preemptions
    of `absence_s` on average happen to tester and DUT `absences_hz` times per second; `measured`: samples report them.
    `held` are samples whose frames are delayed until the next one. `signature`: the receiver recognises test packets.
    `account`: the server reports packets that it could not send. Sent and received packets are each read up to `skew_s`
    before the end of a sample.
    """

    medium: Medium = Medium.QUEUE
    dut: Callable[[float], float] = lambda pps: pps
    worker_pps: float = math.inf
    port_pps: float = math.inf
    buffers_pps: float = math.inf
    receiver_pps: float = math.inf
    port_refuses: Callable[[float], float] = lambda pps: 0.0
    pause_above_pps: float | None = None
    foreign_pps: float = 0.0
    foreign_known: bool = True
    duplicates: float = 0.0
    signature: bool = False
    account: bool = True
    held: frozenset[int] = frozenset()
    noise: float = 0.0
    absences_hz: float = 0.0
    absence_s: float = 0.0005
    measured: bool = True
    frame_bytes: float = 64.0
    received_frame_bytes: float | None = None
    line_bps: float = LINE_BPS
    interval_s: float = 1.0
    skew_s: float = 0.0


_COUNTERS = (
    *("intended", "opackets", "refused", "no_buffer", "late"),
    *("ipackets", "rx_missed", "foreign", "test_frames", "pauses"),
)


class _Totals:
    def __init__(self) -> None:
        self.counts = dict.fromkeys(_COUNTERS, 0.0)

    def add(self, **packets: float) -> None:
        for name, value in packets.items():
            self.counts[name] += value


def ramp(top_pps: float, count: int = 60, hold: int = 10) -> Loads:
    """Loads that rise linearly to `top_pps` and stay there."""
    return [("ramp", top_pps * (index + 1) / count) for index in range(count)] + [("hold", top_pps)] * hold


def steps(loads: Sequence[float], count: int = 5) -> Loads:
    return [("step", load) for load in loads for _ in range(count)]


def run(bench: Bench, loads: Loads, seed: int = 0) -> list[Sample]:
    """The samples of a test with these intended loads, in order, and the drain."""
    rng, totals, kept = random.Random(seed), _Totals(), 0.0
    reader = random.Random(seed)
    samples: list[Sample] = []
    for index, (phase, load) in enumerate([*loads, ("drain", 0.0)]):
        asked = load * bench.interval_s
        moment, dut_away, tester_away = _absences(bench, rng)
        late = max(0.0, load - bench.worker_pps) * bench.interval_s
        no_buffer = max(0.0, asked - late - bench.buffers_pps * bench.interval_s)
        tried = asked - late - no_buffer
        port = min(bench.port_pps, bench.pause_above_pps or math.inf)
        refused = max(0.0, tried - port * bench.interval_s) + bench.port_refuses(load) * bench.interval_s
        # A full ring is one that the DUT did not drain, since it was preempted or too slow.
        lost_away = sum(max(0.0, load * seconds - RING_SLOTS) for seconds in dut_away)
        lost_away += sum(max(0.0, load * seconds - 4 * RING_SLOTS) for seconds in tester_away)
        sent = tried - refused
        quicker = 1 + rng.gauss(0, bench.noise)  # its capacity, not its losses, has noise: half the load has none
        speed = bench.dut(sent / bench.interval_s / quicker) * quicker
        returned = max(0.0, min(sent - lost_away, speed * bench.interval_s))
        if bench.medium is Medium.RING:
            refused += sent - returned
            sent = returned
        missed = max(0.0, returned - bench.receiver_pps * bench.interval_s)
        arrived = returned - missed
        if index in bench.held:
            kept, arrived = kept + arrived, 0.0
        else:
            kept, arrived = 0.0, arrived + kept
        foreign = bench.foreign_pps * bench.interval_s
        twice = arrived * bench.duplicates
        paused = bench.pause_above_pps is not None and refused > 0
        totals.add(intended=asked, opackets=sent, refused=refused, no_buffer=no_buffer, late=late, rx_missed=missed)
        totals.add(ipackets=arrived + foreign + twice, foreign=foreign, test_frames=arrived, pauses=paused)
        early = _early(bench, reader, opackets=sent, ipackets=arrived)
        samples.append(_sample(bench, index, phase, load, totals, early, samples, moment))
    return samples


def _early(bench: Bench, reader: random.Random, **counted: float) -> dict[str, float]:
    """Packets of a sample that each counter misses since it was read too early."""
    return {counter: count / bench.interval_s * reader.uniform(0, bench.skew_s) for counter, count in counted.items()}


def seen(bench: Bench, loads: Loads, seed: int = 0) -> tuple[Point, ...]:
    return _points(bench, run(bench, loads, seed))


def verdict(bench: Bench, loads: Loads, seed: int = 0, threshold: float = 0.001) -> ChannelOutcome:
    """Verdict on a test on `bench`, with the balance after the drain, as for a load test."""
    samples = run(bench, loads, seed)
    found = _points(bench, samples)
    return judge(found, threshold=threshold, line_bps=bench.line_bps, balance=after_drain(bench, samples))


def _points(bench: Bench, samples: Sequence[Sample]) -> tuple[Point, ...]:
    found = points(samples, FORWARD, bench.medium, bench.line_bps)
    return allow_for_skew(samples, found, FORWARD, after_drain(bench, samples))


def after_drain(bench: Bench, samples: Sequence[Sample]) -> Balance:
    """The balance of the whole test from its counters."""
    sender, receiver = samples[-1].ports[0], samples[-1].ports[1]
    return balance(
        sent=sender.opackets or 0,
        received=receiver.ipackets or 0,
        intended=sender.intended,
        refused=sender.refused or 0,
        no_buffer=sender.no_buffer or 0,
        late=sender.late or 0,
        missed=receiver.rx_missed or 0,
        foreign=receiver.foreign or 0,
        test_frames=samples[-1].test_frames.get(FORWARD),
        medium=bench.medium,
        paused=bool(sender.rx_pause_frames),
    )


def line_pps(bench: Bench) -> float:
    return bench.line_bps / l1_bits(bench.frame_bytes)


def _absences(bench: Bench, rng: random.Random) -> tuple[Preemption | None, list[float], list[float]]:
    """Preemptions in one interval; each affects the DUT or the tester, with equal probability."""
    away: tuple[list[float], list[float]] = ([], [])
    at_s = rng.expovariate(bench.absences_hz) if bench.absences_hz else math.inf
    while at_s < bench.interval_s:
        away[rng.random() < 0.5].append(rng.expovariate(1 / bench.absence_s))
        at_s += rng.expovariate(bench.absences_hz)
    dut, tester = away
    if not bench.measured or not bench.absences_hz:
        return None, dut, tester
    moment = Preemption(
        tester_preempted_s=sum(tester),
        tester_longest_preemption_s=max(tester, default=0.0),
        dut_preempted_s=sum(dut),
        dut_longest_preemption_s=max(dut, default=0.0),
    )
    return moment, dut, tester


def _sample(
    bench: Bench,
    index: int,
    phase: str,
    load: float,
    totals: _Totals,
    early: dict[str, float],
    before: Sequence[Sample],
    moment: Preemption | None,
) -> Sample:
    now = {name: round(value - early.get(name, 0.0)) for name, value in totals.counts.items()}
    old_tx = before[-1].ports[0].opackets or 0 if before else 0
    old_rx = before[-1].ports[1].ipackets or 0 if before else 0
    tx_pps, rx_pps = (now["opackets"] - old_tx) / bench.interval_s, (now["ipackets"] - old_rx) / bench.interval_s
    length = bench.received_frame_bytes or bench.frame_bytes

    def kept(counter: str) -> int | None:
        return now[counter] if bench.account else None

    sender = PortSample(
        *(tx_pps, 0, tx_pps * bench.frame_bytes * 8, 0, tx_pps / line_pps(bench) * 100, 0),
        opackets=now["opackets"],
        ipackets=0,
        intended_pps=load,
        intended=kept("intended"),
        refused=kept("refused"),
        no_buffer=kept("no_buffer"),
        late=kept("late"),
        rx_pause_frames=kept("pauses"),
    )
    receiver = PortSample(
        *(0, rx_pps, 0, rx_pps * length * 8, 0, rx_pps * l1_bits(length) / bench.line_bps * 100),
        opackets=0,
        ipackets=now["ipackets"],
        rx_missed=kept("rx_missed"),
        foreign=kept("foreign") if bench.foreign_known else None,
    )
    ours = {FORWARD: now["test_frames"]} if bench.signature else {}
    at_s = (index + 1) * bench.interval_s
    return Sample(at_s, bench.interval_s, phase, {0: sender, 1: receiver}, test_frames=ours, preemption=moment)
