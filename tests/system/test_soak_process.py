"""Soaks of real processes: the controller is killed, the generator is killed, the lab's router deliberately loses
packets.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from harness.programs import run_wirespeed, wirespeed
from harness.waiting import PATIENCE_S, wait_for
from shared_labs import RingLab, connected, ring_lab

from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_file
from wirespeed.measurement.soak.plan import SoakPlan
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.run import run_soak
from wirespeed.router.client import ask
from wirespeed.units import Rate

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

LOAD = ("--load", "5kpps", "-t", "size=64")


def seconds_in(journal: Path) -> int:
    return journal.read_text().count('{"second"') if journal.exists() else 0


def soak_of(file: Path) -> SoakResult:
    result = read_file(file)
    assert isinstance(result, SoakResult)
    return result


@pytest.mark.long("two soaks one after the other; test_soak_cli.py resumes one of a simulated generator")
def test_a_killed_controller_leaves_the_traffic_and_the_soak_goes_on(ring: RingLab, tmp_path: Path) -> None:
    file, journal = tmp_path / "x.json", tmp_path / "x.json.part"
    first = subprocess.Popen(wirespeed("soak", "-s", ring.rpc, *LOAD, "--duration", "1000", "-q", "-o", file))
    try:
        wait_for(lambda: seconds_in(journal) >= 1, "a second in the journal")
    finally:
        first.kill()
        first.wait()
    with connected(ring.rpc) as client:
        assert {status.state for status in client.port_status([0, 1]).values()} == {"TX"}
        seen_s = soak_of(file).verdict.watched_s
        done = run_wirespeed("soak", "--resume", file, "--duration", f"{seen_s + 1:.1f}")
        assert done.returncode == 0, done.stderr
        assert {status.owner for status in client.port_status([0, 1]).values()} == {""}
    result = soak_of(file)
    assert not journal.exists()
    (gap,) = result.gaps
    assert gap.blind == "controller" and gap.offered is not None and gap.lost is not None
    # In the meantime packets of the load were sent and came back: the ring refuses none at such a rate.
    assert gap.offered > 1000
    assert result.verdict.watched_s > seen_s
    assert result.ending.status == "complete"
    assert "not observed for" in done.stderr


@pytest.mark.long("a wait for a generator that is started again")
def test_a_killed_generator_is_waited_for_and_leaves_a_gap(tmp_path: Path) -> None:
    file, journal = tmp_path / "x.json", tmp_path / "x.json.part"
    with ring_lab(tmp_path / "generator.log") as lab, (tmp_path / "said").open("w") as log:
        command = wirespeed("soak", "-s", lab.rpc, *LOAD, "--duration", "1000", "-o", file)
        with subprocess.Popen(command, stderr=log) as soak:
            try:
                wait_for(lambda: seconds_in(journal) >= 2, "two seconds in the journal")
                os.kill(lab.generator.pid, signal.SIGKILL)
                lab.generator.stop()
                lab.generator.start()
                wait_for(lambda: '{"gap"' in journal.read_text(), "the gap")
                before = seconds_in(journal)
                wait_for(lambda: seconds_in(journal) >= before + 2, "two seconds after the gap")
                soak.send_signal(signal.SIGINT)
                soak.wait(PATIENCE_S)
            finally:
                soak.kill()
    said = (tmp_path / "said").read_text()
    assert soak.returncode == 130, said
    result = soak_of(file)
    (gap,) = result.gaps
    assert (gap.blind, gap.offered, gap.lost) == ("generator", None, None)
    assert result.ending.status == "interrupted"
    assert "losses unknown" in said and "shown at 95 %" in said


def test_the_embedded_lab_is_soaked_and_its_routers_losses_are_found(lab: EmbeddedLab) -> None:
    """At a load that a busy machine carries too, the router loses one packet in fifty."""
    plan = SoakPlan("bench", {"size": "64"}, load=Rate(5000, "pps"), duration_s=4.0, target_ratio=1e-3)

    with connected(lab.rpc) as client:
        ask(lab.control_socket, "set interface impairment e1 loss 0.02 seed 7")
        try:
            result = run_soak(plan, Execution(client, lab.dut))
        finally:
            ask(lab.control_socket, "set interface impairment e1 off")
    verdict, total = result.verdict, result.total
    assert result.ending.status == "complete" and total is not None
    assert not verdict.shown and verdict.lower_ratio > 1e-3
    assert any(event.channel.rx == 1 and event.lost > 50 for event in result.events)
    assert total.dut.drop_packets and total.dut.drops
    assert total.dut.memory_bytes and total.dut.memory_bytes > 1_000_000
    assert total.dut.cycles_per_packet
    assert all(flow.latency is not None for flow in total.flows.values())


@pytest.mark.long("a lab by command line as test_search_lab.py has it")
def test_one_command_brings_up_the_lab_and_soaks_it(tmp_path: Path) -> None:
    file = tmp_path / "lab.json"
    done = run_wirespeed("soak", "--lab", "embedded", *LOAD, "--duration", "3", "--target-loss", "0.9", "-o", file)
    assert done.returncode == 0, done.stderr
    assert "0.9 shown at 95 %: yes" in done.stderr
    assert soak_of(file).lab.kind == "embedded"
    assert json.loads(file.read_text())["schema"] == "wirespeed-soak/2"
