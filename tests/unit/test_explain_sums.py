"""The arithmetic and the curves of explanations, and the picture of the CPUs' time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from simulated_bench import LINE_BPS, Bench, ramp, run

from wirespeed.cases.facts import Case, CaseDut, CaseLoad, CaseStep, CpuShares, worker_of
from wirespeed.cases.machine_facts import Clock, Energy, MachineFacts, Perf
from wirespeed.explain.cpu_budget import cpu_budget
from wirespeed.explain.curves import cost_curve, loss_curve
from wirespeed.explain.ranking import explain
from wirespeed.explain.reckoning import figures
from wirespeed.explain.sources.evidence_file import read_evidence
from wirespeed.measurement.loadtest.case import cases_of
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.report.budget_picture import budget_view
from wirespeed.results.dut import DutTelemetry, NodeCost, WorkerCost
from wirespeed.results.node_classes import class_of
from wirespeed.results.outcome import PortFacts

GOLDEN = Path(__file__).parents[1] / "golden" / "explain"


def steps(*received: float) -> tuple[CaseStep, ...]:
    """One load per Mpps, and the received rates in Mpps."""
    return tuple(CaseStep(number * 1e6, mpps * 1e6) for number, mpps in enumerate(received, start=1))


@pytest.mark.parametrize(
    ("shape", "received"),
    [
        ("none", (1, 2, 3, 4, 5, 6, 7, 8)),
        ("cliff", (1, 2, 3, 4, 5, 5, 5, 5, 5, 5)),
        ("collapse", (1, 2, 3, 4, 5, 4, 3, 2, 1.5, 1)),
        ("slope", (1, 1.99, 3, 3.98, 5, 5.98, 6.98, 8)),
        ("constant", tuple(0.7 * load for load in range(1, 11))),
    ],
)
def test_the_shape_of_a_loss_is_told(shape: str, received: tuple[float, ...]) -> None:
    found = loss_curve(steps(*received))
    assert found is not None and found.shape == shape, found


def test_a_knee_has_its_place() -> None:
    found = loss_curve(steps(1, 2, 3, 4, 5, 5, 5, 5, 5, 5))
    assert found is not None and found.knee is not None
    assert found.knee.at == pytest.approx(5e6, rel=0.02)
    assert found.text == "all comes back up to 5.00 Mpps, and 5.00 Mpps of any load beyond"


def test_few_loads_are_no_curve() -> None:
    assert loss_curve(steps(1, 2, 2)) is None
    assert loss_curve(tuple(CaseStep(10e6 + number, 5e6) for number in range(9))) is None  # one load, held
    assert cost_curve(steps(1, 2, 3, 4, 5)) is None  # no source reports their cost


def test_the_shape_speaks_for_causes_and_against_others() -> None:
    load = CaseLoad("it", 7e6, offered_pps=10e6, frame_bytes=64, line_bps=10e9)
    lost = {"ip4-lookup: no route": 3_000_000}
    case = Case(load, steps=steps(*(0.7 * number for number in range(1, 11))), drops=lost, lost_packets=3e6)
    (named, *_) = explain(case).named
    assert named.cause == "no-next-hop"
    assert "one share is lost at all loads: 30 %" in [piece.text for piece in named.speaks_for]


def test_cost_falls_with_vectors_and_turns() -> None:
    costs = (620, 400, 300, 200, 190, 260)
    loads = tuple(CaseStep(n * 1e6, n * 1e6, cycles, vectors=40.0 * n) for n, cycles in enumerate(costs, start=1))
    found = cost_curve(loads)
    assert found is not None and found.turns and found.least.offered_pps == 5e6 and found.full_pps == 6e6
    assert found.text.startswith(
        "620 cycles per packet at 1.00 Mpps (40 per call), 190 at 5.00 Mpps (200 per call), then 260"
    )
    smooth = cost_curve(loads[:5])
    assert smooth is not None and not smooth.turns and "larger vectors make it cheaper" in smooth.text


def told(case: Case) -> dict[str, tuple[float, str]]:
    assert all(figure.source for figure in figures(case))
    return {figure.name: (figure.value, figure.text) for figure in figures(case)}


def test_the_articles_core() -> None:
    """Netgate 6100, one flow: 437.9 cycles at 5.01 Mpps are the 2.2 GHz of its C3558."""
    case = next(one for one in read_evidence(GOLDEN / "netgate6100_vpp.yaml") if one.workers)
    found = told(case)
    assert found["effective_hz"][0] == pytest.approx(2.195e9, rel=0.002)
    assert (
        found["core_pps"] == (pytest.approx(5.02e6, rel=0.002), pytest.approx) or "can do 5.0" in found["core_pps"][1]
    )
    assert found["core_share"][0] == pytest.approx(1 / 3, rel=0.01)
    assert found["cores_for_line"][0] == pytest.approx(2.96, rel=0.01)
    assert "one packet per 67.2 ns is one per 148 cycles" in found["cores_for_line"][1]


def test_an_idle_core_can_do_at_least_so_much() -> None:
    """Empty polls are not work: 10 of 100 polls had packets, and the input node used half of all ticks."""
    nodes = (NodeCost("dpdk-input", 100, 1000, 100_000, 0), NodeCost("ethernet-input", 10, 1000, 100_000, 0))
    worker = worker_of("w0", 1.0, nodes, source="it", tsc_hz=1e9)
    case = Case(CaseLoad("it", 1000.0, source="it"), workers=(worker,))
    value, text = told(case)["core_pps"]
    assert value == pytest.approx(1e9 / 110) and text.startswith("one core can do at least 9.09 Mpps")


def test_the_energy_of_a_packet() -> None:
    machine = MachineFacts(energy=Energy(19.0, 12.0, "meter"), perf=Perf(400.0, 800.0, "perf"))
    found = told(Case(CaseLoad("it", 15.1e6), machine=machine))
    assert found["packet_uj"] == (
        pytest.approx(1.258, rel=0.001),
        "1.26 µJ per packet: 19 W at 15.1 Mpps, 0.464 above the 12 W before the load",
    )
    assert found["instructions_per_packet"][1] == "800 instructions per packet, 2 a cycle"


def test_a_kernel_is_reckoned_by_the_time_of_its_cpus() -> None:
    cpus = (CpuShares("cpu0", {"softirq": 99.0, "idle": 1.0}, 990), CpuShares("cpu1", {"idle": 100.0}, 10))
    machine = MachineFacts(clocks=(Clock("cpu0", 1e9, 1e9, "it"),), source="it")
    found = told(Case(CaseLoad("it", 1e6, source="it"), CaseDut(system="linux"), cpus=cpus, machine=machine))
    assert found["cpu_seconds_per_packet"] == (
        pytest.approx(0.99e-6),
        "990 ns of CPU time per packet: the kernel had 0.99 of 2 CPUs at 1.00 Mpps",
    )
    assert found["core_pps"][0] == pytest.approx(1 / 0.99e-6)
    assert found["fullest_cpu_share"][1] == "cpu0 took up 99.0 % of the packets; 2 of 2 CPUs had any"


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        ("dpdk-input", "input"),
        ("ethernet-input", "input"),
        ("ip4-input-no-checksum", "input"),
        ("ip4-lookup", "lookup"),
        ("ip6-load-balance", "lookup"),
        ("l2-fwd", "lookup"),
        ("ip4-rewrite", "rewrite"),
        ("mpls-label-imposition-uniform", "rewrite"),
        ("interface-output", "output"),
        ("TenGigabitEthernet6/0/0-output", "output"),
        ("TenGigabitEthernet6/0/0-tx", "tx"),
        ("error-drop", "other"),
    ],
)
def test_nodes_are_sorted_by_what_they_do(node: str, kind: str) -> None:
    assert class_of(node) == kind


def loaded(mpps: float, idle_polls: int) -> CaseStep:
    """A worker of 1 GHz for a second. Receiving a packet costs 40 ticks, forwarding it 60, and an empty poll 100."""
    packets = round(mpps * 1e6)
    calls = packets // 100
    nodes = (
        NodeCost("memif-input", calls + idle_polls, packets, 40 * packets + 100 * idle_polls, 0),
        NodeCost("ethernet-input", calls, packets, 10 * packets, 0),
        NodeCost("ip4-lookup", calls, packets, 30 * packets, 0),
        NodeCost("e1-tx", calls, packets, 20 * packets, 0),
    )
    worker = replace(worker_of("w0", 1.0, nodes, tsc_hz=1e9), preempted_s=0.001)
    return CaseStep(mpps * 1e6, mpps * 1e6, workers=(worker,))


def test_the_cpu_s_time_of_a_packet_is_all_accounted_for() -> None:
    budget = cpu_budget([loaded(0.001, 9_900_000), loaded(5, 4_000_000), loaded(9, 0)])
    assert budget is not None and budget.of == "the worker"
    for bar in budget.bars:
        assert sum(part.share for part in bar.parts) == pytest.approx(1.0)
        assert sum(part.ticks or 0 for part in bar.parts) == pytest.approx(bar.ticks)
    top = {part.name: part.ticks for part in budget.bars[-1].parts}
    # A thousandth of the total time was preemption.
    assert [top["lookup"], top["tx"], top["input"]] == pytest.approx([29.97, 19.98, 49.95])
    assert "idle" not in top and top["away"] == pytest.approx(1e6 / 9e6)
    half = {part.name: part.ticks for part in budget.bars[-2].parts}
    # 4 million empty polls of 100 ticks each, less the share estimated from the load with hardly any packets.
    assert half["idle"] == pytest.approx(80, rel=0.01) and half["input"] == pytest.approx(50, rel=0.02)
    view = budget_view(budget, "it")
    assert view.bars[-1].budget == "111 cycles each"
    assert sum(float(part.width) for part in view.bars[0].parts) == pytest.approx(100, abs=0.5)
    assert view.table.headings[0] == "Offered" and view.table.headings[-1] == "All"


def test_waits_for_larger_vectors_are_idle_time() -> None:
    step = loaded(5, 0)
    (worker,) = step.workers
    waited = replace(step, workers=(replace(worker, preempted_s=None, idle_s=0.45),))
    budget = cpu_budget([waited])
    assert budget is not None
    ticks = {part.name: part.ticks for part in budget.bars[0].parts}
    assert (ticks["idle"], ticks["between nodes"]) == pytest.approx((90, 10))
    assert sum(part.share for part in budget.bars[0].parts) == pytest.approx(1.0)


def test_a_kernels_time_is_drawn_by_its_kinds() -> None:
    def kernel(load: float, softirq: float) -> CaseStep:
        return CaseStep(load, load, cpus=(CpuShares("cpu0", {"softirq": softirq, "idle": 95 - softirq, "steal": 5.0}),))

    budget = cpu_budget([kernel(1e5, 20), kernel(5e5, 90)])
    assert budget is not None and budget.names == ("softirq", "away", "idle")
    assert budget_view(budget, "it").bars[-1].budget == "2 µs each"


def test_without_telemetry_there_is_no_picture() -> None:
    assert cpu_budget(steps(1, 2, 3, 4)) is None


def test_what_a_packet_costs_is_the_same_in_all_figures_of_a_worker_that_was_away() -> None:
    nodes = (
        NodeCost("dpdk-input", 1_000_000, 10_000_000, 2_000_000_000, 0),
        NodeCost("ethernet-input", 500_000, 10_000_000, 3_000_000_000, 0),
        NodeCost("ip4-lookup", 500_000, 10_000_000, 5_000_000_000, 0),
    )
    worker = worker_of("w0", 10.0, nodes, tsc_hz=2.0e9, preempted_s=8.0)
    load = CaseLoad("a", 1e6, offered_pps=2e6, frame_bytes=64, line_bps=10e9)
    told = {figure.name: figure.value for figure in explain(Case(load, workers=(worker,))).figures}
    assert told["work_cycles_per_packet"] == pytest.approx(2.0e9 / told["core_pps"], rel=0.01)


def test_a_worker_that_was_away_all_the_time_has_no_cost_of_a_packet() -> None:
    nodes = (NodeCost("dpdk-input", 1_000, 10_000, 2_000_000, 0), NodeCost("ip4-lookup", 500, 10_000, 5_000_000, 0))
    load = CaseLoad("a", 1e3, offered_pps=2e3, frame_bytes=64, line_bps=10e9)
    for preempted_s in (0.4, 0.9):  # a preemption may begin before the interval
        worker = worker_of("w0", 0.4, nodes, tsc_hz=2.0e9, preempted_s=preempted_s)
        told = {figure.name for figure in explain(Case(load, workers=(worker,))).figures}
        assert told.isdisjoint({"core_pps", "effective_hz", "work_cycles_per_packet"})


def loaded_test(packets: int, empty_polls: int, preempted_s: float = 0.0) -> Result:
    """A test in one direction. A packet takes 100 ticks in nodes and its share of looks of 2,000 ticks at the queue, of
    which `empty_polls` of each sample find nothing; `preempted_s` is the time of others in each second."""
    calls = packets // 200
    nodes = (
        NodeCost("memif-input", calls + empty_polls, packets, (calls + empty_polls) * 2_000, 0),
        NodeCost("ip4-input", calls, packets, 60 * packets, 0),
        NodeCost("ip4-rewrite", calls, packets, 40 * packets, 0),
    )
    cost = WorkerCost("wk_0", 1, 1.0, 2_600_000_000, 1000, 2_600_000_000, nodes, preempted_s=preempted_s)
    dut = DutTelemetry(1.0, (cost,)).to_json()
    samples = tuple(replace(one, dut=dut) for one in run(Bench(), ramp(float(packets), 10, 5)))
    settings = LoadTestSettings(profile_file="bench", unidirectional=True, rampup_duration=10, hold_duration=5)
    return Result("t", settings, samples, ports={port: PortFacts(port, speed_bps=LINE_BPS) for port in (0, 1)})


def test_cycles_per_packet_of_a_load_test_are_those_of_explain() -> None:
    results = [loaded_test(1_000_000, 500_000), loaded_test(4_000_000, 20_000), loaded_test(4_000_000, 20_000, 0.5)]
    assert [one.cycles_per_packet for one in results] == [pytest.approx(cost) for cost in (110, 110, 55)]
    for one in results:
        (explanation,) = (explain(case) for case in cases_of(one, "t.json"))
        told = {figure.name: figure.value for figure in explanation.figures}
        assert one.cycles_per_packet == pytest.approx(told["work_cycles_per_packet"], rel=0.01)
    bare = replace(results[0], samples=tuple(replace(one, dut={}) for one in results[0].samples))
    assert bare.cycles_per_packet is None
