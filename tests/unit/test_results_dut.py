"""Telemetry of a DUT, as a value and in files, including old ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wirespeed.results.codec import from_json, to_json
from wirespeed.results.dut import FLAT, DutFacts, DutTelemetry, NodeCost, WorkerCost, forwarding_cost

GOLDEN = Path(__file__).parent.parent / "golden/report/wirespeed.json"
NODES = (
    NodeCost("dpdk-input", calls=1000, vectors=4000, clocks=400_000, suspends=0),
    NodeCost("ethernet-input", calls=250, vectors=4000, clocks=80_000, suspends=0),
    NodeCost("ip4-lookup", calls=250, vectors=4000, clocks=120_000, suspends=2),
    NodeCost("main-input", calls=1000, vectors=0, clocks=50_000, suspends=0),
)
BUSY = WorkerCost("ws_wk_0", 1, 0.5, 2_000_000, 1000, 1_000_000, NODES, preempted_s=0.001, longest_preemption_s=0.0004)
IDLE = WorkerCost("ws_wk_1", None, 0.5, 2_000_000, 900, 1_000_000, (NodeCost("dpdk-input", 900, 0, 90_000, 0),))
TOLD = DutTelemetry(
    0.5,
    (BUSY, IDLE),
    in_packets=4000,
    out_packets=3900,
    drop_packets=100,
    drops={"ip4-lookup: no route": 100},
    events={"e0 rx-no-buf": 3},
)


def test_figures_follow_from_the_nodes_of_all_workers() -> None:
    # By hand: 600 000 ticks of nodes with packets; 250 calls with packets out of 1900 polls.
    assert TOLD.cycles_per_packet == 150
    assert TOLD.cycles_per_packet_without_input == 50
    assert TOLD.vectors_per_call == 16
    assert TOLD.idle_polls == pytest.approx(1 - 250 / 1900)
    assert (TOLD.in_pps, TOLD.out_pps, TOLD.drop_pps) == (8000, 7800, 200)


def test_a_worker_sums_to_all_its_ticks() -> None:
    assert BUSY.outside_nodes == 350_000
    assert IDLE.outside_nodes == 910_000


def test_nothing_came_in_so_a_packet_has_no_cost() -> None:
    idle = DutTelemetry(0.5, (IDLE,), in_packets=0, out_packets=0, drop_packets=0)
    assert forwarding_cost(IDLE.nodes) is None
    assert (idle.cycles_per_packet, idle.vectors_per_call, idle.idle_polls, idle.in_pps) == (None, None, None, 0)
    assert "cycles_per_packet" not in idle.to_json()


@pytest.mark.parametrize(
    "told",
    [
        TOLD,
        DutTelemetry(),
        DutTelemetry(error="the router was restarted"),
        DutTelemetry(1.0, in_packets=7, drop_packets=0, cpu_percent={"softirq": 97.5, "idle": 2.5}),
    ],
)
def test_it_survives_its_file(told: DutTelemetry) -> None:
    text = json.dumps(told.to_json(), allow_nan=False)
    assert DutTelemetry.from_json(json.loads(text)) == told


def test_old_viewers_find_their_keys_in_new_files() -> None:
    raw = TOLD.to_json()
    assert {name: raw[name] for name in FLAT} == {name: getattr(TOLD, name) for name in FLAT}
    assert raw["workers"][0]["nodes"]["ip4-lookup"] == [250, 4000, 120_000, 2]


def test_old_files_keep_what_they_say() -> None:
    samples = [sample["dut"] for sample in json.loads(GOLDEN.read_text())["stats"].values() if "dut" in sample]
    assert samples
    for raw in samples:
        told = DutTelemetry.from_json(raw)
        assert told.cycles_per_packet == raw["cycles_per_packet"]
        assert told.vectors_per_call == raw["vectors_per_call"]
        assert (told.workers, told.in_pps, told.idle_polls) == ((), None, None)
        assert told.to_json() == raw


def test_what_old_files_say_is_passed_over_where_it_is_no_number() -> None:
    raw = {"cycles_per_packet": "x", "vectors_per_call": True, "in_pps": float("nan"), "out_pps": 3, "error": 5}
    told = DutTelemetry.from_json(raw)
    assert (told.told, told.error) == ({"out_pps": 3.0}, "5")


def whole(**changes: Any) -> dict[str, Any]:
    return {**TOLD.to_json(), **changes}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ([], "dut in sample 3 is not an object"),
        (whole(interval="1"), "interval of dut in sample 3 is '1', not a valid number"),
        (whole(interval=float("inf")), "interval of dut in sample 3 is 'inf'"),
        (whole(interval=10**400), "interval of dut in sample 3 is '1000"),
        (whole(in_packets=1.5), "in_packets of dut in sample 3 is '1.5', not a whole number"),
        (whole(drops={"no route": None}), "drops of dut in sample 3 is 'None', not a whole number"),
        (whole(cpu_percent=[1]), "cpu_percent of dut in sample 3 is not an object"),
        (whole(workers={}), "workers of dut in sample 3 is not a list"),
        (whole(workers=[{"nodes": {"x": [1, 2]}}]), "node x of worker 0 of dut in sample 3 is not a list of calls"),
        (whole(workers=[{"nodes": {"x": [1, 2, 3, "4"]}}]), "node x of worker 0 of dut in sample 3 is '4'"),
        (whole(workers=[{"cpu": True}]), "cpu of worker 0 of dut in sample 3 is 'True'"),
    ],
)
def test_files_that_are_wrong_say_where(raw: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        DutTelemetry.from_json(raw, "dut in sample 3")


def test_facts_survive_their_file_and_old_ones_load() -> None:
    facts = DutFacts("wirespeed", "router", "v0.1.0", ("set int state e0 up",), (1, 3), {"code": "x86-64-v4"})
    assert from_json(DutFacts, json.loads(json.dumps(to_json(facts)))) == facts
    assert from_json(DutFacts, {"name": "router"}) == DutFacts("router", "")
    with pytest.raises(ValueError, match="cpu 0 of dut is 'x', not a whole number"):
        from_json(DutFacts, {"cpus": ["x"]}, "dut")
    with pytest.raises(ValueError, match="commands of dut is not a list"):
        from_json(DutFacts, {"commands": "show run"}, "dut")
