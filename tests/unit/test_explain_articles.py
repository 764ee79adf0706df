"""Published tables, converted to files: the authors' conclusions are found, and nothing false about other devices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from article_files import IMIX_BYTES, Ramp, netgate_evidence, netgate_files

from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.evidence_file import cases_of
from wirespeed.explain.sources.files import read_cases

TESTER, CPUS, QUEUES, PLACEMENT = "tester", "all-cpus", "queues", "placement"
KERNEL = {"1514b": TESTER, "imix": CPUS, "64b": CPUS, "64b 1-flow": QUEUES}
CARRIED = {"1514b": TESTER, "imix": TESTER}
CONCLUSIONS = {
    **{(system, way): KERNEL for system in ("pfSense", "Ubuntu") for way in ("uni", "bi")},
    ("VPP 1Q", "uni"): CARRIED | {"64b": QUEUES, "64b 1-flow": QUEUES},
    ("VPP 1Q", "bi"): CARRIED | {"64b": PLACEMENT, "64b 1-flow": QUEUES},
    ("VPP 2Q", "uni"): CARRIED | {"64b": QUEUES, "64b 1-flow": QUEUES},
    ("VPP 2Q", "bi"): CARRIED | {"64b": PLACEMENT, "64b 1-flow": QUEUES},
    ("VPP 3Q", "uni"): CARRIED | {"64b": TESTER, "64b 1-flow": QUEUES},
    ("VPP 3Q", "bi"): CARRIED | {"64b": CPUS, "64b 1-flow": PLACEMENT},
}
BY_NAME = {
    f"{system} {load} {way}": cause for (system, way), loads in CONCLUSIONS.items() for load, cause in loads.items()
}


def by_file(name: str) -> str:
    return name.lower().replace(" bi", " bidir").replace(" uni", " unidir").replace(" ", "-")


def written(folder: Path, *, named: bool) -> list[Path]:
    for name, document in netgate_files(named=named):
        (folder / name).write_text(json.dumps(document))
    return sorted(folder.glob("*.json"))


def only(text: str) -> Explanation:
    (case,) = cases_of(text, "typed.yaml")
    return explain(case)


def test_the_netgate_table_typed_by_hand_gives_its_authors_conclusions() -> None:
    found = {case.load.name: explain(case).cause for case in cases_of(netgate_evidence(), "netgate.yaml")}
    assert found == BY_NAME


def test_forty_files_of_ten_named_devices_give_the_same(tmp_path: Path) -> None:
    found = {case.load.name: explain(case).cause for case in read_cases(written(tmp_path, named=True))}
    assert found == {by_file(name): cause for name, cause in BY_NAME.items()}


def test_files_without_a_device_are_not_compared_with_each_other(tmp_path: Path) -> None:
    paths = written(tmp_path, named=False)
    cases = read_cases(paths)
    assert not any(case.others for case in cases)
    assert all("39 other tests name no DUT either" in case.remarks[-1] for case in cases)
    assert {explain(case).cause for case in cases} == {TESTER, "unknown"}
    one, other = tmp_path / "vpp-2q-64b-unidir.json", tmp_path / "vpp-2q-64b-1-flow-unidir.json"
    (told,) = read_cases([one], [other])
    assert [load.name for load in told.others] == ["vpp-2q-64b-1-flow-unidir"]  # somebody says so


def test_one_flow_each_way_keeps_a_core_each_busy() -> None:
    """2.232 Mpps compared with one flow per direction, 1.280 in total: 3.49 cores of four."""
    cases = {case.load.name: case for case in cases_of(netgate_evidence(), "netgate.yaml")}
    verdict = explain(cases["pfSense 64b bi"]).verdict
    assert verdict is not None and "3.49 times the 640 kpps of one flow, on 4 cores" in verdict.evidence[0].text


PERCENT = """
schema: wirespeed-evidence/1
tests: [{name: a, size: 1514, line: 10G, directions: 2, percent: %s}]
"""


@pytest.mark.parametrize(
    ("told", "share", "remark"),
    [
        ("192, percent_of: one", 0.96, ""),
        ("96, percent_of: all", 0.96, ""),
        ("63, percent_of: one", 0.315, ""),
        ("192", 0.96, "192 % is read as of one line"),
        ("63", 0.63, "63 % is read as of all 2 lines"),
    ],
)
def test_a_percentage_of_two_directions_says_of_which_lines_it_is(told: str, share: float, remark: str) -> None:
    found = only(PERCENT % told)
    assert found.case.load.line_share == pytest.approx(share)
    assert any(remark in said for said in found.case.remarks) if remark else not found.case.remarks


APU6 = """
schema: wirespeed-evidence/1
tests:
  - {name: Linux imix, size: imix, line: 1G, directions: 2, flows: many, received: 150.21kpps, box: %(linux)s}
  - {name: Linux 64b, size: 64, line: 1G, directions: 2, flows: one, received: 96.93kpps, box: %(linux)s}
  - {name: OpenBSD imix, size: imix, line: 1G, directions: 2, flows: many, received: 145.52kpps, box: %(openbsd)s}
  - {name: OpenBSD 64b, size: 64, line: 1G, directions: 2, flows: one, received: 152.09kpps, box: %(openbsd)s}
  - {name: VPP imix, size: imix, line: 1G, directions: 2, flows: many, received: 654.4kpps, box: %(vpp)s}
  - {name: VPP 64b, size: 64, line: 1G, directions: 2, flows: one, received: 1.78Mpps, box: %(vpp)s}
  - {name: Danos imix, size: imix, line: 1G, directions: 2, flows: many, received: 655.53kpps, box: %(danos)s}
  - {name: Danos 64b, size: 64, line: 1G, directions: 2, flows: one, received: 2.30Mpps, box: %(danos)s}
""" % {
    system: f"{{{name}system: {system}, cores: 4{', workers: 3' if system in ('vpp', 'danos') else ''}}}"
    for name in ("name: APU6, ",)
    for system in ("linux", "openbsd", "vpp", "danos")
}


APU6_RIGHT = {
    **{"Linux imix": "unknown", "Linux 64b": "unknown"},
    **{"OpenBSD imix": "kernel-lock", "OpenBSD 64b": "kernel-lock"},
    **{"VPP imix": "line-rate", "VPP 64b": "all-cpus", "Danos imix": "line-rate", "Danos 64b": "all-cpus"},
}


@pytest.mark.parametrize("text", [APU6, APU6.replace("name: APU6, ", "")], ids=["named", "without a name"])
def test_systems_on_one_dut_are_not_compared_with_each_other(text: str) -> None:
    found = {case.load.name: explain(case) for case in cases_of(text, "apu6.yaml")}
    assert {name: one.cause for name, one in found.items()} == APU6_RIGHT
    for name, one in found.items():
        system = name.split()[0]
        assert all(load.name.startswith(system) for load in one.case.others)


def test_what_a_device_lacks_to_its_line_is_told_in_workers() -> None:
    """The author's 200 / 154: three cores forward 2.30 of 2.976 Mpps."""
    found = {case.load.name: explain(case) for case in cases_of(APU6, "apu6.yaml")}["Danos 64b"]
    (figure,) = [figure for figure in found.figures if figure.name == "workers_for_line"]
    assert (
        figure.value == pytest.approx(3 * 2.976 / 2.30, abs=0.01) and "1.29 times as much: 3.9 workers" in figure.text
    )


CYCLES = """
schema: wirespeed-evidence/1
box: {name: Netgate 6100, system: vpp, cores: 4, workers: %d, hz: 2.2e9}
tests: [{name: a, size: 64, line: 10G, flows: %s, cycles: %s, received: %s}]
"""


@pytest.mark.parametrize(
    ("workers", "flows", "cycles", "received", "cause"),
    [
        (3, "one", "437.9", "5.01426Mpps", "worker"),
        (3, "many", "437.9", "14.1Mpps", "all-cpus"),
        (1, "many", "437.9", "5.01426Mpps", "worker"),
        (3, "one", "437.9", "2.5Mpps", "unknown"),
        (3, "many", "437.9", "9.0Mpps", "unknown"),
    ],
)
def test_cycles_and_a_clock_make_the_sum_of_the_article(
    workers: int, flows: str, cycles: str, received: str, cause: str
) -> None:
    found = only(CYCLES % (workers, flows, cycles, received))
    assert found.cause == cause
    if received == "5.01426Mpps":
        assert "437.9 cycles × 5.01 Mpps = 2,196 of 2,200 MHz" in found.figures[0].text


TABLE = """
Graph Node Name                  Clocks          Vectors/Call
----------------------------------------------------------------
TenGigabitEthernet3/0/1-output   1.41e1          256.00
TenGigabitEthernet3/0/1-tx       1.23e2          256.00
dpdk-input                       7.95e1          256.00
ethernet-input                   6.74e1          256.00
ip4-input-no-checksum            3.95e1          256.00
ip4-load-balance                 2.54e1          256.00
ip4-lookup                       4.12e1          256.00
ip4-rewrite                      4.78e1          256.00
"""
TOTALS = "5.01426e+06 packets/sec, at 437.9 cycles/packet, 358 cycles/pkt not counting DPDK\n"


@pytest.mark.parametrize("text", [TABLE + TOTALS, TABLE], ids=["with its totals", "without"])
def test_a_table_trimmed_to_three_columns_is_read(text: str) -> None:
    indented = "".join(f"      {line}\n" for line in text.splitlines())
    head = "schema: wirespeed-evidence/1\nbox: {name: b, system: vpp, workers: 3, hz: 2.2e9}\n"
    body = (
        "tests:\n  - name: a\n    size: 64\n    line: 10G\n    flows: one\n    received: 5.01426Mpps\n    show_run: |\n"
    )
    found = only(head + body + indented)
    assert found.cause == "worker"
    assert any("437.9 cycles × 5.01 Mpps = 2.2 GHz of 2.2" in piece.text for piece in found.named[0].evidence)
    figures = {figure.name: figure.value for figure in found.figures}
    assert figures["cycles_per_packet_without_polling"] == pytest.approx(358, abs=1)


GIGABIT = 1e9
APU4 = {
    # Nine series as graph.rb showed them, in Mpps per direction: the same shapes, generated.
    "vyos-64b": (64.0, 0.058),
    "openbsd68-64b": (64.0, 0.087),
    "vpp-3threads-64b": (64.0, 0.909),
    "vpp-3threads-2RX-2TX-64b": (64.0, 0.864),
    "danos-64b": (64.0, 1.296),
    "vyos-imix": (IMIX_BYTES, 0.077),
    "openbsd68-imix": (IMIX_BYTES, 0.075),
    "vpp-3threads-imix": (IMIX_BYTES, 0.329),
    "danos-imix": (IMIX_BYTES, 0.329),
}


def series(name: str) -> dict[str, object]:
    size, cap_mpps = APU4[name]
    return Ramp(size, GIGABIT, 2, cap_mpps * 1e6).document()


@pytest.mark.parametrize("name", APU4)
def test_a_device_with_a_knee_far_below_the_line_has_no_bad_wire(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.json").write_text(json.dumps(series(name)))
    (case,) = read_cases([tmp_path / f"{name}.json"])
    found = explain(case)
    assert found.cause in ("unknown", "line-rate", "tester")
    assert "bad-wire" not in {finding.cause for finding in (*found.named, *found.likely)}
    if APU4[name][1] < 0.3:
        assert found.losses is not None and found.losses.shape == "cliff"


def test_a_share_that_is_lost_from_the_least_load_on_is_a_wire_still(tmp_path: Path) -> None:
    ramp = Ramp(64.0, GIGABIT, 1, 2e6, lost_share=0.02)
    (tmp_path / "dirty.json").write_text(json.dumps(ramp.document()))
    (case,) = read_cases([tmp_path / "dirty.json"])
    assert explain(case).cause == "bad-wire"
