"""Attribution of losses: testbeds with known properties, and the verdicts on them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import pytest
from simulated_bench import FORWARD, LINE_BPS, Bench, Loads, ramp, run, seen, steps, verdict

from wirespeed.results.balance import Medium
from wirespeed.results.judge import judge
from wirespeed.results.point import points
from wirespeed.results.sample import Preemption
from wirespeed.units import line_rate_pps

LINE = line_rate_pps(64, LINE_BPS)
RING = Medium.RING
THRESHOLD = 0.001
Said = Literal["saturated", "lossy", "nothing"]
Forwards = Callable[[float], float]


def up_to(capacity_pps: float) -> Forwards:
    """A DUT that returns everything up to its capacity, and a given amount above."""
    return lambda pps: min(pps, capacity_pps)


def livelock(capacity_pps: float) -> Forwards:
    """A DUT whose output drops above its capacity, like a kernel in a receive livelock."""
    return lambda pps: pps if pps <= capacity_pps else capacity_pps * capacity_pps / pps


def queues(capacity_pps: float) -> Forwards:
    """One of four workers gets twice its share and overloads first."""
    return lambda pps: min(0.4 * pps, 0.25 * capacity_pps) + min(0.6 * pps, 0.75 * capacity_pps)


@dataclass(frozen=True)
class Case:
    bench: Bench
    loads: Loads = tuple(ramp(LINE))
    said: Said = "nothing"
    capacity_pps: float | None = None


QUICK = tuple(ramp(LINE, 12, 4))
SLOW_SERVER = Bench(account=False, port_pps=6e6)

TESTER = {
    "worker too slow, memif": Case(Bench(medium=RING, worker_pps=6e6)),
    "worker too slow, NIC": Case(Bench(worker_pps=9e6)),
    "worker too slow, quick test": Case(Bench(medium=RING, worker_pps=6e6, interval_s=0.1), QUICK),
    "worker too slow, steps": Case(Bench(medium=RING, worker_pps=5e6), tuple(steps([1e6, 4e6, 8e6, 12e6]))),
    "worker too slow at the end of the ramp": Case(Bench(worker_pps=0.97 * LINE)),
    "NIC refuses small packets": Case(Bench(port_pps=8e6)),
    "NIC refuses, quick test": Case(Bench(port_pps=8e6, interval_s=0.1), QUICK),
    "NIC behind a narrow PCIe link, 1514 bytes": Case(
        Bench(frame_bytes=1514, port_pps=0.6 * line_rate_pps(1514, LINE_BPS)),
        tuple(ramp(line_rate_pps(1514, LINE_BPS))),
    ),
    "kernel socket refuses": Case(Bench(port_pps=4e5), tuple(ramp(2e6))),
    "NIC ends just below the DUT": Case(Bench(port_pps=8e6, dut=up_to(8.2e6))),
    "buffers run out, memif": Case(Bench(medium=RING, buffers_pps=7e6)),
    "buffers run out, NIC": Case(Bench(buffers_pps=7e6)),
    "buffers run out and worker late": Case(Bench(medium=RING, buffers_pps=7e6, worker_pps=9e6)),
    "receiver misses": Case(Bench(receiver_pps=5e6), said="lossy"),
    "receiver misses, own packets known": Case(Bench(receiver_pps=5e6, signature=True), said="lossy"),
    "receiver misses, memif": Case(Bench(medium=RING, receiver_pps=5e6), said="lossy"),
    "receiver misses more than the DUT loses": Case(Bench(receiver_pps=5e6, dut=lambda pps: 0.99 * pps), said="lossy"),
    "ICMP errors beside a slow worker": Case(Bench(worker_pps=6e6, foreign_pps=1e5)),
    "LLDP flood beside a NIC that refuses": Case(Bench(port_pps=8e6, foreign_pps=1e6, foreign_known=False)),
    "duplicates beside a NIC that refuses": Case(Bench(port_pps=8e6, duplicates=0.01, signature=True)),
    "frames held at once beside a slow worker": Case(Bench(worker_pps=6e6, held=frozenset({20, 35}))),
    "lossy DUT and a NIC that ends at half": Case(Bench(port_pps=7e6, dut=lambda pps: 0.997 * pps), said="lossy"),
    "lossy DUT and a slow worker, memif": Case(
        Bench(medium=RING, worker_pps=7e6, dut=lambda pps: 0.997 * pps), said="lossy"
    ),
    "MPLS label removed, NIC refuses": Case(Bench(port_pps=8e6, frame_bytes=68, received_frame_bytes=64)),
    "server without account": Case(SLOW_SERVER),
    "server without account, steps": Case(SLOW_SERVER, tuple(steps([1e6, 4e6, 8e6, 12e6]))),
    "server without account, lossy DUT": Case(replace(SLOW_SERVER, dut=lambda pps: 0.997 * pps), said="lossy"),
    "the machine takes CPUs, worker too slow": Case(
        Bench(medium=RING, worker_pps=6e6, absences_hz=3, absence_s=0.0005)
    ),
}

CAPACITY = 4.2e6

DUT = {
    "memif ring stays full": Case(Bench(medium=RING, dut=up_to(CAPACITY)), said="saturated", capacity_pps=CAPACITY),
    "packets lost behind a NIC": Case(Bench(dut=up_to(CAPACITY)), said="saturated", capacity_pps=CAPACITY),
    "quick test": Case(Bench(dut=up_to(CAPACITY), interval_s=0.1), QUICK, "saturated", CAPACITY),
    "pause frames throttle the tester": Case(Bench(pause_above_pps=CAPACITY), said="saturated", capacity_pps=CAPACITY),
    "livelock": Case(Bench(dut=livelock(CAPACITY)), said="saturated", capacity_pps=CAPACITY),
    "breakdown": Case(Bench(dut=lambda pps: pps if pps < CAPACITY else 1e6), said="saturated", capacity_pps=CAPACITY),
    "stops at all beyond its limit": Case(
        Bench(dut=lambda pps: pps if pps < CAPACITY else 0.0), said="saturated", capacity_pps=CAPACITY
    ),
    "one queue of four is full first": Case(Bench(dut=queues(6e6)), said="saturated"),
    "loses 0.3 % at every load": Case(Bench(dut=lambda pps: 0.997 * pps), said="lossy"),
    "loses 5 % at every load, memif": Case(Bench(medium=RING, dut=lambda pps: 0.95 * pps), said="lossy"),
    "lossy, then saturated": Case(
        Bench(dut=lambda pps: min(0.997 * pps, CAPACITY)), said="saturated", capacity_pps=CAPACITY
    ),
    "ends before the tester's NIC": Case(
        Bench(dut=up_to(CAPACITY), port_pps=9e6), said="saturated", capacity_pps=CAPACITY
    ),
    "ends before the tester's worker, memif": Case(
        Bench(medium=RING, dut=up_to(2e6), worker_pps=6e6), said="saturated", capacity_pps=2e6
    ),
    "ends before the receiver": Case(
        Bench(dut=up_to(CAPACITY), receiver_pps=5e6), said="saturated", capacity_pps=CAPACITY
    ),
    "ICMP errors instead of packets": Case(
        Bench(dut=up_to(CAPACITY), foreign_pps=1e5), said="saturated", capacity_pps=CAPACITY
    ),
    "LLDP flood, own packets known": Case(
        Bench(dut=up_to(CAPACITY), foreign_pps=9e6, foreign_known=False, signature=True),
        said="saturated",
        capacity_pps=CAPACITY,
    ),
    "flood of a known kind as large as the loss": Case(
        Bench(dut=up_to(0.9 * LINE), foreign_pps=0.1 * LINE), said="saturated", capacity_pps=0.9 * LINE
    ),
    "duplicates, own packets known": Case(
        Bench(dut=up_to(CAPACITY), duplicates=0.5, signature=True), said="saturated", capacity_pps=CAPACITY
    ),
    "frames held at once": Case(
        Bench(dut=up_to(CAPACITY), held=frozenset({5, 30})), said="saturated", capacity_pps=CAPACITY
    ),
    "MPLS label added, the line behind is full": Case(
        Bench(dut=up_to(line_rate_pps(68, LINE_BPS)), received_frame_bytes=68),
        said="saturated",
        capacity_pps=line_rate_pps(68, LINE_BPS),
    ),
    "a port of 1 Gb/s behind a tester of 10": Case(
        Bench(dut=up_to(LINE / 10)), said="saturated", capacity_pps=LINE / 10
    ),
    "1514 bytes on a line of 1 Gb/s": Case(
        Bench(dut=up_to(70_000), frame_bytes=1514, line_bps=1e9),
        tuple(ramp(line_rate_pps(1514, 1e9))),
        "saturated",
        70_000,
    ),
    "server without account": Case(Bench(account=False, dut=up_to(CAPACITY)), said="saturated", capacity_pps=CAPACITY),
    "steps": Case(Bench(dut=up_to(CAPACITY)), tuple(steps([1e6, 2e6, 4e6, 6e6, 8e6])), "saturated", CAPACITY),
    "three steps": Case(Bench(dut=up_to(CAPACITY)), tuple(steps([1e3, 1e6, 1e7])), "saturated", CAPACITY),
    "every load is too much": Case(Bench(dut=up_to(1e5)), said="saturated", capacity_pps=1e5),
    "ramp ends just past the limit": Case(Bench(dut=up_to(0.97 * LINE)), said="saturated", capacity_pps=0.97 * LINE),
    "noisy capacity": Case(
        Bench(medium=RING, dut=up_to(CAPACITY), noise=0.02), said="saturated", capacity_pps=CAPACITY
    ),
    "the machine takes CPUs": Case(
        Bench(medium=RING, dut=up_to(CAPACITY), absences_hz=8, absence_s=0.001),
        said="saturated",
        capacity_pps=CAPACITY,
    ),
}

NOBODY = {
    "line rate": Case(Bench()),
    "line rate, memif": Case(Bench(medium=RING)),
    "flood of others": Case(Bench(foreign_pps=2e6, foreign_known=False)),
    "duplicates": Case(Bench(duplicates=0.02)),
    "frames under way at the last sample": Case(Bench(held=frozenset({69}))),
    "frames held at once": Case(Bench(held=frozenset({3, 20, 40, 60}))),
    "three samples held on end": Case(Bench(held=frozenset({66, 67, 68}))),
    "the machine takes CPUs": Case(Bench(medium=RING, absences_hz=5), tuple(ramp(LINE / 2))),
}


def said_of(bench: Bench, loads: Loads) -> tuple[Said, bool]:
    found = verdict(bench, loads, threshold=THRESHOLD)
    said: Said = "saturated" if found.saturation else "lossy" if found.loss_onset else "nothing"
    return said, found.tester_limited


@pytest.mark.parametrize("name", TESTER)
def test_the_tester_is_blamed(name: str) -> None:
    case = TESTER[name]
    assert said_of(case.bench, case.loads) == (case.said, True)


@pytest.mark.parametrize("name", DUT)
def test_the_dut_is_blamed(name: str) -> None:
    case = DUT[name]
    assert said_of(case.bench, case.loads) == (case.said, False)
    knee = verdict(case.bench, case.loads, threshold=THRESHOLD).saturation
    if case.capacity_pps is not None:
        assert knee is not None
        assert knee.low_pps <= case.capacity_pps <= knee.high_pps
        assert knee.offered_pps == pytest.approx(case.capacity_pps, rel=0.1)


@pytest.mark.parametrize("name", NOBODY)
def test_nobody_is_blamed(name: str) -> None:
    case = NOBODY[name]
    assert said_of(case.bench, case.loads) == ("nothing", False)


def at_half_load(seed: int, *, measured: bool) -> tuple[Bench, Loads]:
    """A DUT at up to half of its capacity, on a machine that preempts it for short times."""
    rng = random.Random(seed)
    capacity_pps, count = rng.uniform(2e6, 14e6), rng.choice([16, 30, 60, 120, 600])
    bench = Bench(
        medium=RING,
        dut=up_to(capacity_pps),
        noise=0.01,
        absences_hz=rng.uniform(1, 12),
        absence_s=rng.uniform(0.0002, 0.003),
        measured=measured,
        interval_s=rng.choice([0.1, 0.25, 1.0]),
    )
    return bench, ramp(capacity_pps / 2, count, max(3, count // 8))


TESTS = pytest.mark.parametrize("tests", [40, pytest.param(100, marks=pytest.mark.long("a hundred tests at random"))])


@TESTS
def test_moments_of_absence_at_half_load_are_no_saturation(tests: int) -> None:
    """Measured preemptions are not losses of the DUT either."""
    for seed in range(tests):
        found = verdict(*at_half_load(seed, measured=True), seed)
        assert (found.saturation, found.loss_onset, found.tester_limited) == (None, None, False), seed


@TESTS
def test_nor_are_they_where_nobody_measures_them(tests: int) -> None:
    found = [verdict(*at_half_load(seed, measured=False), seed) for seed in range(tests)]
    assert all(one.saturation is None for one in found)
    assert sum(one.loss_onset is not None for one in found) > 0.2 * tests, "the machine must cost enough to be seen"


def test_the_case_of_the_bench_that_lost_a_little_from_two_million_on() -> None:
    """0.15 % refused from 2 Mpps on, and forwarded up to 8.8: loss onset at 2, saturation only at 8.8."""
    bench = Bench(medium=RING, dut=lambda pps: min(pps if pps < 2e6 else 0.9985 * pps, 8.8e6))
    found = verdict(bench, ramp(LINE, 300))
    assert found.loss_onset is not None
    assert found.loss_onset.offered_pps == pytest.approx(2e6, rel=0.05)
    assert found.saturation is not None
    assert found.saturation.low_pps <= 8.8e6 <= found.saturation.high_pps
    assert verdict(bench, ramp(8e6)).saturation is None


@TESTS
def test_a_knee_is_found_where_it_is(tests: int) -> None:
    inside = 0
    for seed in range(1000, 1000 + tests):
        rng = random.Random(seed)
        count, top_pps = rng.choice([30, 60, 120, 600]), rng.uniform(2e6, LINE)
        capacity_pps = rng.uniform(0.2, 0.9) * top_pps
        bench = Bench(
            medium=rng.choice([RING, Medium.QUEUE]),
            dut=up_to(capacity_pps),
            noise=0.01,
            absences_hz=rng.uniform(0.1, 12),
            absence_s=rng.uniform(0.0002, 0.003),
            measured=rng.random() < 0.5,
            interval_s=rng.choice([0.25, 1.0]),
        )
        knee = verdict(bench, ramp(top_pps, count, max(3, count // 8)), seed).saturation
        assert knee is not None, seed
        assert knee.offered_pps == pytest.approx(capacity_pps, rel=0.03), seed
        assert knee.plateau_pps == pytest.approx(capacity_pps, rel=0.02), seed
        inside += knee.low_pps <= capacity_pps <= knee.high_pps
    assert inside >= 0.9 * tests


def test_the_order_of_samples_changes_no_knee() -> None:
    """The knee depends on loads, not on time: a test with decreasing loads finds it too."""
    bench = Bench(dut=up_to(CAPACITY))
    up, down = ramp(LINE), list(reversed(ramp(LINE)))
    rising, falling = (verdict(bench, loads).saturation for loads in (up, down))
    assert rising is not None
    assert falling is not None
    assert rising.offered_pps == pytest.approx(falling.offered_pps, rel=1e-6)
    assert (rising.low_pps, rising.high_pps) == pytest.approx((falling.low_pps, falling.high_pps), rel=1e-3)


def test_full_load_is_the_mean_of_the_hold_and_never_more_than_was_offered() -> None:
    bench = Bench(interval_s=0.25, held=frozenset({10, 20, 30}), signature=True)
    found = verdict(bench, ramp(1000, 40, 8)).full_load
    assert found is not None
    assert (found.samples, found.is_estimate, found.loss_ratio) == (8, False, 0)
    assert found.received_pps == pytest.approx(1000)
    assert found.received_pps <= found.offered_pps


def test_a_dut_that_is_lossy_holds_the_loads_below() -> None:
    found = verdict(Bench(dut=lambda pps: pps if pps < 5e6 else 0.99 * pps), ramp(LINE))
    assert found.forwarded is not None
    assert found.loss_onset is not None
    assert found.forwarded.received_pps < 5e6 <= found.loss_onset.offered_pps
    assert found.saturation is None


def test_a_lost_link_is_marked_and_left_out() -> None:
    """Three seconds without a link, at loads that the DUT forwards."""
    samples = run(Bench(dut=lambda pps: pps if not 5e6 < pps < 5.7e6 else 0.0), ramp(LINE))
    lost = [sample for sample in samples if sample.ports[0].tx_pps and not sample.ports[1].rx_pps]
    marked = [replace(sample, links_down=(1,)) if sample in lost else sample for sample in samples]
    found = points(marked, FORWARD, Medium.QUEUE, LINE_BPS)
    assert [point.disturbed for point in found if point.disturbed] == ["port 1 had no link"] * len(lost)
    ended = judge(found, threshold=THRESHOLD, line_bps=LINE_BPS)
    assert (ended.saturation, ended.loss_onset, ended.disturbed_samples) == (None, None, len(lost))


def test_spoilt_samples_count_when_told() -> None:
    bench, loads = at_half_load(26, measured=True)
    found = seen(bench, loads, 26)
    kept = judge(found, threshold=THRESHOLD, line_bps=LINE_BPS, exclude_disturbed=False)
    assert kept.loss_onset is not None
    failed = [point for point in found if point.measured and point.loss_ratio > THRESHOLD]
    assert kept.disturbed_samples == sum(point.disturbed is not None for point in failed)
    assert judge(found, threshold=THRESHOLD, line_bps=LINE_BPS).loss_onset is None


def test_a_sample_that_passed_though_the_machine_was_in_the_way_has_passed() -> None:
    bench = Bench(medium=RING, dut=up_to(6e6), absences_hz=5, absence_s=0.001)
    found = seen(bench, ramp(10e6, 100, 10))
    held = judge(found, threshold=THRESHOLD, line_bps=LINE_BPS).forwarded
    assert held is not None
    passed = sorted(point.offered_pps for point in found if point.loss_ratio <= THRESHOLD)
    assert held.offered_pps == pytest.approx(sum(passed[-3:]) / 3, rel=0.02)


def test_loss_far_beyond_what_the_machine_could_cause_is_not_its_doing() -> None:
    samples = run(Bench(dut=up_to(CAPACITY)), ramp(LINE))
    moment = Preemption(tester_preempted_s=0.001, dut_preempted_s=0.004)
    found = points([replace(one, preemption=moment) for one in samples], FORWARD, Medium.QUEUE, LINE_BPS)
    disturbed = [point.loss_ratio for point in found if point.disturbed]
    assert all(ratio <= 0.01 for ratio in disturbed)
    assert sum(point.loss_ratio > 0.01 for point in found) > 40


def test_a_tester_that_never_has_its_cpu_is_the_limit() -> None:
    """Preemptions explain each sample's shortfall, but all of them together are not a short disturbance."""
    samples = run(Bench(medium=RING, worker_pps=6e6), ramp(LINE))
    away = [
        replace(one, preemption=Preemption(tester_preempted_s=0.6 * one.interval_s, dut_preempted_s=0.0))
        for one in samples
    ]
    ended = judge(points(away, FORWARD, RING, LINE_BPS), threshold=THRESHOLD, line_bps=LINE_BPS)
    assert ended.tester_limited
    assert ended.saturation is None


def test_a_tester_that_lost_its_cpu_while_the_load_was_held_is_the_limit() -> None:
    """Half of one sample of four is missing, explained by a preemption: the figure is less than the load."""
    found = list(seen(Bench(medium=RING, frame_bytes=1514), ramp(8e5, 12, 4)))
    place = [point.phase for point in found].index("hold") + 2
    whole = found[place]
    sent = whole.balance.sent // 2
    balance = replace(whole.balance, sent=sent, received=sent, late=whole.balance.sent - sent)
    found[place] = replace(whole, balance=balance, offered_pps=4e5, received_pps=4e5, preempted_share=0.6)
    ended = judge(found, threshold=THRESHOLD, line_bps=LINE_BPS)
    assert ended.tester_limited
    assert ended.full_load is not None
    assert ended.full_load.received_pps == pytest.approx(7e5)
    assert not judge(found[: place - 2] + [whole] * 4, threshold=THRESHOLD, line_bps=LINE_BPS).tester_limited


def test_steal_counts_by_the_cpu_where_absences_are_unknown() -> None:
    (sample, _) = run(Bench(dut=lambda pps: 0.98 * pps), [("ramp", 1e6)])

    def disturbed(**machine: float) -> bool:
        stolen = replace(sample, preemption=Preemption(**machine))  # type: ignore[arg-type]
        return points([stolen], FORWARD, Medium.QUEUE, LINE_BPS)[0].disturbed is not None

    assert disturbed(steal_s=0.02, cpus=2)
    assert not disturbed(steal_s=0.02, cpus=64)
    assert disturbed(steal_s=0.64, cpus=64)
    assert not disturbed(steal_s=0.02, cpus=2, tester_preempted_s=0.0, dut_preempted_s=0.0)
