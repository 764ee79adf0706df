"""Limits found for the published tests of five DUTs, from their own figures (tests/golden/explain)."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.evidence_file import read_evidence

GOLDEN = Path(__file__).parents[1] / "golden" / "explain"

EXPECTED = {
    "fitlet2_l2xc": {"i211 to i210": "nic", "i210 to i211": "line-rate", "both ways": "tx-ring"},
    "fitlet2_l3": {
        "both ways 1514": "line-rate",
        "both ways imix": "line-rate",
        "both ways 64": "line-rate",
        "both ways 64 one flow": "line-rate",
        "one way 1514": "unknown",
        "one way imix": "unknown",
        "one way 64": "unknown",
        "one way 64 one flow": "unknown",
    },
    "netgate6100_vpp": {
        "64 one flow at 10 Mpps": "worker",
        "1Q 64 one way": "queues",
        "1Q 64 one flow one way": "queues",
        "1Q 1514 one way": "tester",
        "1Q imix one way": "tester",
    },
    "netgate6100_vpp_2q": {
        "2Q 64 one way": "queues",
        "2Q 64 one flow one way": "queues",
        "2Q 64 both ways": "placement",
    },
    "netgate6100_vpp_3q": {
        "3Q 64 one way": "tester",
        "3Q 64 one flow one way": "queues",
        "3Q 64 one flow both ways": "placement",
    },
    "netgate6100_kernels": {
        "Linux 64 one flow": "queues",
        "Linux 64": "all-cpus",
        "Linux imix": "all-cpus",
        "Linux 1514": "tester",
    },
    "apu6": {"imix": "kernel-lock", "64b": "kernel-lock"},
    "r86s_i226": {"U1 1514": "line-rate", "U2 64": "pcie", "U3 64 one flow": "pcie", "B2 64": "pcie"},
    "r86s_x520": {
        "U1 1514": "line-rate",
        "U2 64": "pcie",
        "U3 64 one flow": "queues",
        "U4 64 MPLS": "queues",
        "B1 1514": "pcie",
        "B2 64": "pcie",
        "B3 64 one flow": "pcie",
        "B4 64 MPLS": "placement",
    },
    "r86s_cx3": {
        "U1 1514": "line-rate",
        "U2 64": "nic",
        "U3 64 one flow": "nic",
        "B2 64": "nic",
        "B3 64": "nic",
    },
    "r86s_cx5": {
        "U1 1514": "line-rate",
        "U2 64": "all-cpus",
        "U3 64 one flow": "queues",
        "B1 1514": "pcie",
        "B3 64 one flow": "placement",
    },
}


def explained(name: str) -> dict[str, Explanation]:
    return {case.load.name: explain(case) for case in read_evidence(GOLDEN / f"{name}.yaml")}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_limited_the_dut(name: str) -> None:
    found = explained(name)
    assert {test: found[test].cause for test in EXPECTED[name]} == EXPECTED[name]


def test_no_file_is_forgotten() -> None:
    assert {path.stem for path in GOLDEN.glob("*.yaml")} == set(EXPECTED)


def test_the_arithmetic_of_a_saturated_core_stands_in_its_evidence() -> None:
    """437.9 cycles × 5.01 Mpps are the 2.2 GHz of the C3558."""
    verdict = explained("netgate6100_vpp")["64 one flow at 10 Mpps"].verdict
    assert verdict is not None
    assert any("437.9 cycles × 5.01 Mpps = 2.2 GHz of 2.2" in piece.text for piece in verdict.evidence)


def test_blocks_that_contradict_themselves_are_named() -> None:
    remarks = {
        name: [remark for one in explained(name).values() for remark in one.case.remarks]
        for name in ("fitlet2_l2xc", "fitlet2_l3", "r86s_i226", "r86s_cx3", "r86s_cx5")
    }
    assert "its 27,119,701 vectors in 23.8 s are 1.14 Mpps" in remarks["fitlet2_l2xc"][0]
    assert "98.8 % of the line is given" in remarks["fitlet2_l3"][0]
    assert "its 2,846,586 vectors in 10.9 s are 261" in remarks["r86s_i226"][0]
    assert "84.06 bytes per frame, of 64" in remarks["r86s_cx3"][0]
    assert "46.4 % of the line is given" in remarks["r86s_cx5"][0]


def test_another_reading_is_told_beside_ours() -> None:
    one = explained("r86s_x520")["U2 64"]
    assert one.cause == "pcie" and "claimed: the CPU's cache" in one.case.remarks
