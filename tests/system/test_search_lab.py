"""Searches in the embedded lab: real packets through a router that deliberately loses some."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from harness.programs import run_wirespeed
from shared_labs import connected

from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_file
from wirespeed.measurement.search.goals import goals_of
from wirespeed.measurement.search.plan import LatencyPlan, SearchPlan
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.run import run_search
from wirespeed.router.client import ask
from wirespeed.trial.directions import pair_directions
from wirespeed.units import Rate

SHAPE = "exceed=50%,initial=0.3,final=0.3,sum=0.9,width=10%"
ONE_WAY = pair_directions(only="0-1")
PLAN = SearchPlan(
    "bench",
    {"size": "64"},
    goals=goals_of([f"ndr:loss=0,{SHAPE}", f"pdr:loss=5%,{SHAPE}"], "csit"),
    # Loads that a busy machine carries too: only the device's losses matter here.
    least=Rate(2000, "pps"),
    most=Rate(8000, "pps"),
    warmup_s=0.2,
    directions=ONE_WAY,
)


def search(lab: EmbeddedLab, plan: SearchPlan = PLAN) -> SearchResult:
    with connected(lab.rpc) as client:
        # A preemption loses no packet that the rings hold: at these loads they hold a whole trial.
        return run_search(plan.on(lab.facts, None), Execution(client, lab.dut))


def test_injected_loss_is_the_devices_whatever_the_load(lab: EmbeddedLab) -> None:
    """2 % at every load: a goal of 5 % is reached at the highest load, a goal of 0 nowhere."""
    ask(lab.control_socket, "set interface impairment e1 loss 0.02 seed 7")
    try:
        result = search(lab)
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    ndr, pdr = result.goals
    assert (ndr.lower_pps, ndr.limit) == (None, "minimum")
    assert "lost more than 0 %" in ndr.irregular
    assert pdr.limit == "maximum" and pdr.lower_pps == pytest.approx(8000, rel=0.001)
    assert pdr.conditional_pps == pytest.approx(0.98 * 8000, rel=0.02)
    balances = [trial.trial.balance for trial in result.trials]
    lost, offered = (sum(getattr(one, name) for one in balances) for name in ("lost", "offered"))
    assert lost / offered == pytest.approx(0.02, rel=0.25)


def test_injected_duplicates_and_reorders_are_found_as_injected(lab: EmbeddedLab) -> None:
    """With the latency stream, which numbers its packets. Few other packets are between them, so few reorderings go
    unseen; if two consecutive packets are lost or duplicated, one may hide the other.
    """
    plan = replace(PLAN, goals=goals_of([f"pdr:loss=10%,{SHAPE}"], "csit"), latency=LatencyPlan(8000.0, 2.0, (0.1,)))
    ask(lab.control_socket, "set interface impairment e1 loss 0.01 duplicate 0.02 reorder 0.03 delay 1ms seed 7")
    try:
        result = search(lab, plan)
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    assert result.of("latency"), [(trial.load_pps, trial.trial) for trial in result.trials]
    (trial,) = result.of("latency")
    latency = trial.trial.channels[ONE_WAY[0]].latency
    assert latency is not None and latency.packets > 5_000
    assert latency.lost / latency.packets > 0.006  # a busy machine may lose some as well
    assert latency.duplicates / latency.packets == pytest.approx(0.02, rel=0.4)
    assert latency.out_of_order / latency.packets == pytest.approx(0.03, rel=0.4)


def test_the_device_says_what_a_packet_cost_in_each_trial(lab: EmbeddedLab) -> None:
    result = search(lab)
    assert all(trial.trial.dut.cycles_per_packet for trial in result.trials)
    assert result.dut.kind == "router"
    explained = [channel.most_by_preemption for trial in result.trials for channel in trial.trial.channels.values()]
    assert set(explained) == {0.0}, explained


@pytest.mark.long("a lab of its own; test_first_commands.py has the command on the shared one")
def test_one_command_brings_up_the_lab_and_finds_ndr_and_pdr(tmp_path: Path) -> None:
    file = tmp_path / "lab.json"
    words = ["--min", "2kpps", "--max", "8kpps", "--goal", f"ndr:loss=0,{SHAPE}", "--goal", f"pdr:loss=5%,{SHAPE}"]
    words += ["--mrr", "2x0.2", "--latency", "9kpps,0.3", "-u", "-o", str(file)]
    done = run_wirespeed("search", "--lab", "embedded", *words)
    assert done.returncode == 0, done.stderr
    assert "NDR allows 0 % loss: " in done.stderr and "MRR: " in done.stderr
    assert "latency 0→1 at 90 % of PDR" in done.stderr
    result = read_file(file)
    assert isinstance(result, SearchResult)
    assert result.lab.kind == "embedded"
    assert json.loads(file.read_text())["schema"] == "wirespeed-search/2"
