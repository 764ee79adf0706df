"""The place of a loss excludes causes, and packets that arrived after the end were never lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from simulated_bench import FORWARD, Bench, ramp, run

from wirespeed.cases.facts import Case, CaseDut, CaseLoad, CaseStep, CpuShares, Worker
from wirespeed.cases.machine_facts import MachineFacts, NicFacts
from wirespeed.explain.ranking import explain
from wirespeed.measurement.loadtest.case import cases_of
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Balance, Medium
from wirespeed.results.outcome import ChannelOutcome, Outcome, PortFacts

LOAD = CaseLoad("low", 6e3, offered_pps=10e3, frame_bytes=64, line_bps=10e9, flows="one")
STEADY = tuple(CaseStep(k * 1e3, k * 0.6e3) for k in range(1, 11))
TIME_LEFT = Worker("w0", 1.0, 10_000, 9_000_000, 9_000, 2_500_000_000, 2_490_000_000, tsc_hz=2.5e9)
LINUX = CaseDut("box", "linux", cores=4)
LOST_INSIDE = Case(LOAD, LINUX, steps=STEADY, lost_packets=4e3, in_packets=10_000, out_packets=6_000, tells_drops=True)


def test_one_share_of_all_loads_is_a_wire_where_nothing_else_is_known() -> None:
    assert explain(Case(LOAD, steps=STEADY)).cause == "bad-wire"


def test_what_preemption_explains_in_every_sample_is_the_host_and_no_wire() -> None:
    """The same share of the time costs the same share of each load."""
    found = explain(Case(replace(LOAD, disturbed_share=1.0), steps=STEADY))
    assert found.cause == "preemption" and "bad-wire" in {finding.cause for finding in found.likely}
    for share in (0.1, 0.6):
        assert explain(Case(replace(LOAD, disturbed_share=share), steps=STEADY)).cause == "bad-wire"
    for longest_s, cause in ((0.1, "preemption"), (0.016, "bad-wire")):  # any ring holds the packets of 16 ms
        load = replace(LOAD, disturbed_share=1.0, longest_preemption_s=longest_s)
        assert explain(Case(load, steps=STEADY)).cause == cause


def test_where_nothing_comes_back_no_wire_loses_a_share() -> None:
    silent = tuple(CaseStep(step.offered_pps, 0.0) for step in STEADY)
    found = explain(Case(replace(LOAD, received_pps=0.0), steps=silent))
    assert found.cause == "unknown" and "bad-wire" not in {finding.cause for finding in (*found.named, *found.likely)}


def test_what_the_device_took_in_was_not_lost_on_a_wire() -> None:
    found = explain(LOST_INSIDE)
    assert found.cause == "unknown"
    assert "bad-wire" in {finding.cause for finding in found.ruled_out}
    outside = replace(LOST_INSIDE, in_packets=6_000)
    assert explain(outside).cause == "bad-wire"


def test_what_a_kernel_lost_and_nobody_counted_a_rule_dropped() -> None:
    assert explain(replace(LOST_INSIDE, dut=replace(LINUX, firewall=True))).cause == "firewall"
    counted = replace(LOST_INSIDE, dut=replace(LINUX, firewall=True), drops={"Ip OutNoRoutes": 4_000})
    assert explain(counted).cause == "no-next-hop"


def test_who_asks_for_a_neighbour_and_sends_nothing_has_none() -> None:
    nothing = replace(LOST_INSIDE, load=replace(LOAD, received_pps=0.0), lost_packets=1e4, out_packets=0)
    assert explain(replace(nothing, foreign={"arp": 3})).cause == "no-next-hop"
    one_way = replace(LOAD, received_pps=5e3, directions=2, by_direction=(5e3, 0.0))
    both = replace(nothing, load=one_way, lost_packets=5e3, out_packets=5_000, foreign={"arp": 3})
    assert explain(both).cause == "no-next-hop"
    assert explain(replace(LOST_INSIDE, foreign={"arp": 3})).cause == "unknown"  # four in ten is not a neighbour


def test_more_packets_out_than_in_were_cut_if_they_are_long() -> None:
    made = Case(replace(LOAD, frame_bytes=1400, received_pps=10e3), LINUX, in_packets=10_000, out_packets=20_000)
    assert explain(made).cause == "mtu"
    assert explain(replace(made, load=replace(made.load, frame_bytes=64))).cause == "unknown"


@pytest.mark.parametrize(
    ("cause", "worker"),
    [
        ("rx-overrun", TIME_LEFT),
        ("worker", replace(TIME_LEFT, packets=2_560_000, polls=10_000, calls=10_000)),
        ("unknown", replace(TIME_LEFT, polls=9_050)),
    ],
    ids=["looks that find nothing", "full vectors", "neither"],
)
def test_a_full_ring_is_the_ring_only_if_the_worker_has_time(cause: str, worker: Worker) -> None:
    case = Case(replace(LOAD, refused_share=1.0), steps=STEADY, workers=(worker,), lost_packets=4e3)
    assert explain(replace(case, dut=CaseDut(has_nics=False))).cause == cause


def test_few_drops_of_a_test_that_lost_next_to_nothing_limit_nothing() -> None:
    load = replace(LOAD, received_pps=9_999.0)
    found = explain(Case(load, workers=(TIME_LEFT,), drops={"e1-tx: no free tx slots": 1}, lost_packets=1.0))
    assert [finding.cause for finding in found.named] == ["tester"]


def test_a_cpu_full_of_programs_is_no_cpu_that_forwards() -> None:
    busy = replace(LOST_INSIDE, cpus=(CpuShares("cpu0", {"user": 80.0, "system": 8.0, "softirq": 12.0, "idle": 0.0}),))
    assert explain(busy).cause == "unknown"
    behind = explain(replace(busy, steps=(), events={"softnet dropped": 4_000}))
    assert "preemption" in {finding.cause for finding in behind.named}


def test_what_came_in_after_the_drain_was_under_way() -> None:
    loads = ramp(5e6, 20, 5)
    for held in (frozenset(), frozenset({len(loads) - 1}), frozenset(range(18, len(loads)))):
        samples = tuple(run(Bench(medium=Medium.QUEUE, dut=lambda pps: pps, held=held), loads, 1))
        ports = {number: PortFacts(number, speed_bps=10e9, medium=Medium.QUEUE) for number in (0, 1)}
        sent = sum(sample.ports[0].tx_pps * sample.interval_s for sample in samples)
        balance = Balance(sent, sent, intended=sent, medium=Medium.QUEUE)
        end = ChannelOutcome(balance, 64.0, 64.0, 10e9, None, None, None, None, tester_limited=False)
        outcome = Outcome(channels={str(FORWARD): end})
        result = Result("held", LoadTestSettings(), samples, outcome=outcome, ports=ports, directions=(FORWARD,))
        (case,) = cases_of(result, "held.json")
        assert (case.load.loss_ratio or 0.0) < 0.001, held
        assert explain(case).cause == "tester"


def test_what_the_sample_before_sent_is_no_surplus() -> None:
    loads = ramp(5e6, 20, 5)
    samples = tuple(run(Bench(medium=Medium.QUEUE, held=frozenset({21, 23})), loads, 1))
    sent = sum(sample.ports[0].tx_pps * sample.interval_s for sample in samples)
    end = ChannelOutcome(Balance(sent, sent, intended=sent), 64.0, 64.0, 10e9, None, None, None, None, False)
    ports = {number: PortFacts(number, speed_bps=10e9, medium=Medium.QUEUE) for number in (0, 1)}
    outcome = Outcome(channels={str(FORWARD): end})
    (case,) = cases_of(
        Result("held", LoadTestSettings(), samples, outcome=outcome, ports=ports, directions=(FORWARD,)), "held.json"
    )
    assert explain(case).cause == "tester"


def test_tests_without_a_rate_and_rows_without_clocks_are_compared_with_nothing() -> None:
    nothing = replace(LOAD, name="none", received_pps=0.0, cycles=0.0, flows="many")
    full = replace(TIME_LEFT, packets=2_560_000, polls=10_000, calls=10_000, clocks=0, polling_clocks=0)
    for mine, other in ((LOAD, nothing), (nothing, LOAD)):
        assert explain(Case(replace(mine, cycles=0.0), others=(other,), workers=(full,))).next


NIC_MISSED = Case(
    replace(LOAD, received_pps=5e6, offered_pps=10e6, flows="many"),
    workers=(replace(TIME_LEFT, packets=5_000_000, polls=9_000_000, calls=1_000_000),),
    drops={"e0: rx-miss": 5_000_000},
    lost_packets=5e6,
)


def test_a_rate_that_no_load_changes_is_the_nics_and_not_a_burst() -> None:
    cliff = tuple(CaseStep(k * 1e6, min(k * 1e6, 5e6)) for k in range(1, 11))
    found = explain(replace(NIC_MISSED, steps=cliff))
    assert found.cause == "nic" and "rx-overrun" not in {finding.cause for finding in (*found.named, *found.likely)}
    assert explain(NIC_MISSED).cause == "rx-overrun"  # nothing tells the rate at other loads


@pytest.mark.parametrize(
    ("frames", "loss", "cause"), [(1, 0.93, "unknown"), (300, 0.9, "flow-control"), (300, 0.99, "flow-control")]
)
def test_pause_frames_must_be_as_many_as_the_loss_needs(frames: int, loss: float, cause: str) -> None:
    load = replace(LOAD, offered_pps=14e6, received_pps=14e6 * (1 - loss))
    assert explain(Case(load, events={"eth0: pause frames": frames}, interval_s=1.0)).cause == cause


def test_a_counter_of_the_whole_loss_leaves_none_for_a_wire() -> None:
    missed = Case(LOAD, steps=STEADY, workers=(TIME_LEFT,), drops={"e0: rx-miss": 4_000}, lost_packets=4e3)
    assert "bad-wire" in {finding.cause for finding in explain(missed).ruled_out}
    typed = replace(missed, lost_packets=None, interval_s=1.0)
    assert "bad-wire" in {finding.cause for finding in explain(typed).ruled_out}


@pytest.mark.parametrize(("share", "named"), [(0.8, True), (0.95, True), (0.55, False), (0.26, False)])
def test_one_queue_with_four_fifths_of_the_packets_is_named(share: float, named: bool) -> None:
    queues = {"0": round(1000 * share), **{str(one): round(1000 * (1 - share) / 3) for one in (1, 2, 3)}}
    load = replace(LOAD, hashed=False, flows="many")
    found = explain(Case(load, LINUX, machine=MachineFacts(nics=(NicFacts("e0", queue_packets=queues),))))
    assert ("queues" in {finding.cause for finding in found.named}) is named


def test_a_loss_and_equal_rates_alone_are_no_nic() -> None:
    """The number of directions makes no difference, and a curve with a knee alone says nothing about a NIC: 57 %."""
    cliff = tuple(CaseStep(k * 1e6, min(k * 1e6, 5e6)) for k in range(1, 11))
    load = replace(LOAD, offered_pps=10e6, received_pps=5e6)
    both = replace(load, name="both", directions=2)
    assert explain(Case(load, steps=cliff, others=(both,))).cause == "unknown"
