"""Every kind of file gives facts of one type: data of collectors, inspections, soaks and RFC 2544 tests are used."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_kinds import search_of, soak_of, suite_of
from simulated_bench import FORWARD, Bench, ramp, run
from simulated_dut import SimulatedDut, step

from wirespeed.cases.facts import Case, CaseDut, CaseLoad, Worker
from wirespeed.cases.nic_counters import losses, pauses, queue_packets
from wirespeed.cases.telemetry import case_dut, cpus_told, drops_told, events_told, machine_told
from wirespeed.cli.main import main
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.evidence_file import cases_of as cases_of_text
from wirespeed.explain.sources.files import cases_of, read_cases
from wirespeed.explain.sources.inspection import with_inspection
from wirespeed.inspect.facts import facts_of
from wirespeed.inspect.tables import inspection_of
from wirespeed.inspect.transcript import TranscriptSection
from wirespeed.measurement.file import write_file
from wirespeed.measurement.loadtest.document import REQUIRED_VARS
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.measurement.rfc2544.result import SuiteTrial
from wirespeed.measurement.soak.result import Drift, SoakResult
from wirespeed.results.codec import from_json, to_json
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.dut_cpu import CpuLoad, MachineLoad
from wirespeed.results.inspection import inspection_to_json
from wirespeed.results.lab import LabFacts, MeterFacts
from wirespeed.results.outcome import PortFacts

HARDWARE = Path(__file__).parent / "data" / "hardware"
LINUX = DutFacts("ssh://box", "linux", cpus=(0, 1), details={"cpu": "Atom E3950 @ 1.60GHz", "nftables": "2 tables"})


def linux(seconds: float = 10.0) -> DutTelemetry:
    """One CPU in softirq, all packets in one queue of e0, the clock at three quarters."""
    busy = CpuLoad(0, {"softirq": 9.9, "idle": 0.1}, softnet={"processed": 5_000_000, "time_squeeze": 900})
    idle = CpuLoad(1, {"idle": 9.8, "system": 0.2}, softnet={"processed": 10})
    e0 = {"rx_queue_0_packets": 5_000_000, "rx_queue_1_packets": 12, "rx_missed_errors": 4_000_000}
    e1 = {"rx_flow_control_xoff": 0, "tx_flow_control_xoff": 70, "rx_crc_errors": 3}
    return DutTelemetry(
        interval_s=seconds,
        in_packets=5_000_000,
        out_packets=5_000_000,
        drops={"e0 rx drop": 4_000_000, "e1 tx drop": 7},
        events={"softnet time_squeeze": 900},
        machine=MachineLoad(
            cpus=(busy, idle),
            nics={"e0": e0, "e1": e1},
            temperatures_c={"coretemp": 99.0},
            frequencies_hz={"0": 1.2e9, "1": 1.6e9},
        ),
    )


def test_counters_of_drivers_are_sorted_by_what_they_mean() -> None:
    counters = {"rx_missed_errors": 3, "rx_packets": 9, "rx2_packets": 5, "rx_queue_1_drops": 4, "rx_crc_errors_phy": 1}
    assert losses("e0", counters) == {"e0: rx_missed_errors": 3, "e0: rx_queue_1_drops": 4, "e0: rx_crc_errors_phy": 1}
    assert queue_packets(counters | {"rx_queue_0_packets": 7, "rx-3.packets": 8}) == {"2": 5, "0": 7, "3": 8}
    assert pauses({"rx_flow_control_xoff": 2, "port.link_xoff_tx": 1, "rx_flow_control_xon": 9}) == 3


def test_what_a_collector_kept_is_read_cpu_by_cpu_and_nic_by_nic() -> None:
    told, dut = [linux(), linux()], LINUX
    assert [(cpu.name, round(cpu.percent["idle"]), cpu.packets) for cpu in cpus_told(told)] == [
        ("cpu0", 1, 10_000_000),
        ("cpu1", 98, 20),
    ]
    # The kernel's sum includes the driver's counter; that of e1's TX does not.
    assert drops_told(told) == {"e1 tx drop": 14, "e0: rx_missed_errors": 8_000_000, "e1: rx_crc_errors": 6}
    assert events_told(told) == {"softnet time_squeeze": 1800, "e1: pause frames": 140}
    machine = machine_told(told, dut, "here")
    assert [(clock.cpu, clock.share) for clock in machine.clocks] == [("cpu0", 0.75), ("cpu1", 1.0)]
    assert machine.nics[0].fullest_share == pytest.approx(1.0, abs=1e-5)
    made = case_dut(dut, (), "here")
    assert (made.system, made.cores, made.firewall) == ("linux", 2, True)


def test_facts_of_the_machine_are_evidence() -> None:
    told = [linux()]
    load = CaseLoad("one", 5e5, offered_pps=1e6, frame_bytes=64, line_bps=10e9, flows="many")
    case = Case(
        load,
        CaseDut("ssh://box", "linux", cores=2),
        machine=machine_told(told, LINUX, "it"),
        cpus=cpus_told(told),
    )
    one = explain(case)
    found = {finding.cause: finding for finding in (*one.named, *one.likely)}
    assert "fullest of 2 RX queues had 100 %" in found["queues"].evidence[0].text
    assert found["queues"].evidence[0].source == "it, ethtool -S e0"
    texts = [piece.text for piece in found["throttling"].evidence]
    assert texts == ["cpu0 ran at 1.2 GHz under load, rated 1.6 GHz", "coretemp at 99 °C"]


TYPED = """
schema: wirespeed-evidence/1
dut: {name: box, system: linux, cores: 2}
tests:
  - name: hot
    size: 64
    line: 10G
    flows: many
    offered: 2mpps
    received: 1mpps
    clocks: {cpu0: {now: 0.8e9, rated: 2.0e9}}
    throttled: 12
    numa: [{nic: e0, nic_node: 0, cpu: 3, cpu_node: 1}]
    nics: {e0: {rx_queue_0_packets: 990, rx_queue_1_packets: 10, rx_crc_errors: 4, rx_flow_control_xoff: 5}}
    power: {watts: 19, idle: 12}
    perf: {cycles: 400, instructions: 800}
"""


def test_evidence_typed_by_hand_has_facts_of_the_machine_too() -> None:
    (case,) = cases_of_text(TYPED, "typed.yaml")
    assert case.machine.clocks[0].share == 0.4 and case.machine.crossings[0].cpu_node == 1
    assert (case.drops, case.events) == ({"e0: rx_crc_errors": 4}, {"e0: pause frames": 5})
    one = explain(case)
    assert {"throttling", "numa", "flow-control"} <= {finding.cause for finding in one.named}
    texts = [figure.text for figure in one.figures]
    assert texts[:1] == ["800 instructions per packet, 2 a cycle"]
    assert texts[-1] == "19 µJ per packet: 19 W at 1.00 Mpps, 7 above the 12 W before the load"


def inspection(text: dict[str, str], name: str = "box", **ports: tuple[float, ...]):
    answers = {key: TranscriptSection(value) for key, value in text.items()}
    return inspection_of(facts_of(name, answers, ports), (), answers, "today")


def test_an_inspection_tells_the_links() -> None:
    found = inspection({"dmesg": (HARDWARE / "r86s-dmesg.txt").read_text()}, **{"05:00": (10e9, 10e9)})
    # Facts after a round trip through a file.
    found = replace(found, facts=json.loads(inspection_to_json(found))["facts"])
    load = CaseLoad("U2", 13.4e6, frame_bytes=64, line_bps=10e9, flows="many")
    one = explain(with_inspection(Case(load), found))
    assert [(link.gts, link.width, link.ports) for link in one.case.dut.links] == [(5.0, 4, 2)]
    assert one.cause == "pcie"
    assert any(figure.name == "link_share" and "PCIe 5 GT/s x4" in figure.text for figure in one.figures)


def test_an_inspection_knows_who_crosses_between_sockets() -> None:
    lspci = "0000:05:00.0 Ethernet controller [0200]: Intel X710 [8086:1572]\n\tNUMA node: 1\n"
    cpus = "/sys/devices/system/cpu/online = 0-1\n" + "".join(
        f"/sys/devices/system/cpu/cpu{cpu}/topology/core_id = {cpu}\n"
        f"/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id = {cpu}\n"
        f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list = {cpu}\n"
        f"/sys/devices/system/node/node{cpu}/cpulist = {cpu}\n"
        for cpu in (0, 1)
    )
    worker = Worker("w0", 10.0, 45_000_000, 200_000, 200_000, 25_000_000_000, 5_000_000_000, tsc_hz=2.5e9)
    load = CaseLoad("it", 4.5e6, offered_pps=10e6, frame_bytes=64, line_bps=10e9)
    case = Case(load, CaseDut(cpus=(0,)), workers=(worker,))
    one = explain(with_inspection(case, inspection({"lspci": lspci, "cpus": cpus})))
    assert [(found.nic, found.nic_node, found.cpu, found.cpu_node) for found in one.case.machine.crossings] == [
        ("0000:05:00", 1, 0, 0)
    ]
    assert "numa" in [finding.cause for finding in one.named]
    near = with_inspection(replace(case, dut=CaseDut(cpus=(1,))), inspection({"lspci": lspci, "cpus": cpus}))
    assert not near.machine.crossings


def test_an_inspection_of_another_version_is_told_and_nothing_else_is_lost() -> None:
    found = replace(inspection({}), facts={"cpu": {"places": "many"}})
    case = with_inspection(Case(CaseLoad("it", 1e6, offered_pps=2e6)), found)
    assert "cannot be used: its cpu.places is not as known" in case.remarks[0]


def steps_test(name: str, dut: DutFacts, telemetry: DutTelemetry | None = None) -> Result:
    samples = tuple(run(Bench(dut=lambda pps: min(pps, 5e5)), ramp(1e6, 20, 3), 1))
    if telemetry is not None:
        samples = tuple(replace(sample, dut=telemetry.to_json()) for sample in samples)
    ports = {number: PortFacts(number, speed_bps=10e9) for number in (0, 1)}
    settings = from_json(LoadTestSettings, dict.fromkeys(REQUIRED_VARS, 1))
    return Result(name, settings, samples, dut=dut, ports=ports, directions=(FORWARD,))


def test_a_collection_stands_beside_a_test_that_asked_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_file(steps_test("64b", DutFacts("ssh://box", "linux")), tmp_path / "64b.json")
    dut = to_json(LINUX) | {"telemetry": linux().to_json(), "texts": {}}
    collected = tmp_path / "box.json"
    collected.write_text(json.dumps({"format": "wirespeed-dut/1", "dut": dut, "samples": []}))
    (case,) = read_cases([tmp_path / "64b.json", collected])
    assert (case.dut.system, len(case.cpus), case.drops["e0: rx_missed_errors"]) == ("linux", 2, 4_000_000)
    (alone,) = read_cases([collected])
    assert alone.load.received_pps == 5e5 and alone.cpus
    assert main(["explain", str(collected)]) == 0
    assert "cpu0 took up 100 % of the packets; 2 of 2 CPUs had any" in capsys.readouterr().out


def test_what_the_device_told_wrongly_is_said_and_the_rest_is_explained() -> None:
    test = steps_test("later", DutFacts("box"), linux())
    samples = tuple(replace(sample, dut=sample.dut | {"drops": {"x": 1.5}}) for sample in test.samples)
    (case,) = cases_of(replace(test, samples=samples), "later.json")
    assert "the counters of the DUT are missing: x of drops of dut is '1.5', not a whole number" in case.remarks[0]
    assert explain(case).losses is not None


def test_a_meter_without_a_device_that_is_asked_tells_watts_alone() -> None:
    test = steps_test("metered", DutFacts("box"))
    samples = tuple(replace(sample, dut={"watts": 19.0}) for sample in test.samples)
    lab = LabFacts(power=MeterFacts("constant:19", "box", 12.0))
    (case,) = cases_of(replace(test, samples=samples, lab=lab), "metered.json")
    assert case.machine.energy is not None
    assert (case.machine.energy.watts, case.machine.energy.idle_w, case.tells_drops) == (19.0, 12.0, False)
    one = explain(case)
    assert "packet_uj" in [figure.name for figure in one.figures]
    assert any("drops by reason" in what for what in one.missing)


def test_a_test_of_another_dut_is_not_compared_with(tmp_path: Path) -> None:
    for name, dut in (("one", "a"), ("two", "b")):
        write_file(steps_test(name, DutFacts(dut)), tmp_path / f"{name}.json")
    (case,) = read_cases([tmp_path / "one.json"], [tmp_path / "two.json"])
    assert case.others == ()
    assert case.remarks == ("two is of another DUT (b, here a): it is not compared with",)


def test_a_file_without_a_load_is_told_and_does_not_stop_the_others(tmp_path: Path) -> None:
    write_file(steps_test("full", DutFacts()), tmp_path / "full.json")
    write_file(replace(search_of(), trials=(), goals=()), tmp_path / "empty.json")
    full, empty = read_cases([tmp_path / "full.json", tmp_path / "empty.json"])
    assert explain(full).losses is not None
    assert explain(empty).cause == "unknown" and empty.remarks == ("empty.json: no load was held in it",)


# ---- searches, soaks, RFC 2544


def test_a_search_has_a_verdict_a_direction() -> None:
    (case,) = cases_of(search_of(dut=SimulatedDut(step(5e6))), "search.json")
    one = explain(case)
    assert [direction.case.load.name for direction in one.directions] == ["0→1", "1→0"]
    assert all(direction.case.load.directions == 1 for direction in one.directions)
    assert case.load.by_direction == tuple(direction.case.load.received_pps for direction in one.directions)


def test_a_soak_is_explained_by_what_drifts() -> None:
    soak = soak_of(lossy=((10, 30_000), (200, 60_000)))
    grown = replace(soak.verdict, memory_bytes=Drift(200 << 20, 400 << 20))
    assert isinstance(soak, SoakResult)
    (case,) = cases_of(replace(soak, verdict=grown), "soak.json")
    one = explain(case)
    named = {finding.cause: finding.sentence for finding in one.named}
    assert "memory of the DUT's process: 200 MiB at first, 400 MiB at last (+100.00 %)" in named["drift"]
    assert "2 loss events (2 of them the dut's)" in case.remarks[0]
    (steady,) = cases_of(replace(soak, verdict=replace(soak.verdict, memory_bytes=Drift(200 << 20, 201 << 20))), "it")
    assert "drift" in [finding.cause for finding in explain(steady).ruled_out]


def test_tests_of_rfc_2544_are_explained_by_frame_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite, dut = suite_of(), SimulatedDut(step(7e6))
    loads = ((1, "64", 7.07e6), (2, "64", 6.5e6), (3, "1518", 812_743.0))
    trials = tuple(
        SuiteTrial(number, "throughput", load, 2.0, dut(load, 2.0, "search").trial, frame)
        for number, frame, load in loads
    )
    write_file(dataclasses.replace(suite, trials=trials), tmp_path / "rfc.json")
    assert main(["explain", str(tmp_path / "rfc.json"), "--format", "json"]) == 0
    small, large = json.loads(capsys.readouterr().out)
    assert (small["test"], large["test"]) == ("rfc, 64", "rfc, 1518")
    assert large["cause"] == "line-rate"
    assert "at the load above its throughput" in small["likely"][0]["evidence"][0]["source"]
    assert all(piece["source"] for found in large["named"] for piece in found["evidence"])
