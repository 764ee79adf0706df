"""Soaks of real processes: the controller killed, the generator killed, the lab whose router loses on purpose."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from joined_lab import joined_lab

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.lab import free_rpc_port
from wirespeed.lab.process import Child
from wirespeed.results.file import read_file
from wirespeed.results.soak import SoakResult
from wirespeed.router.client import ask
from wirespeed.soak.plan import SoakPlan
from wirespeed.soak.run import Progress, run_soak
from wirespeed.units import Rate

pytestmark = pytest.mark.alone

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

DEADLINE_S = 60.0
SOAK = (sys.executable, "-m", "wirespeed", "soak")
LOAD = ("--load", "5kpps", "-t", "size=64")


@contextmanager
def generator(directory: Path, address: str) -> Iterator[Child]:
    """One whose two ports are the ends of one ring."""
    ports = ["--port", "ring:loop,speed=10G"] * 2
    arguments = ["generator", *ports, "--hugepages", "never", "--rpc", address]
    with Child("generator", arguments, directory / "generator.log").start() as child:
        yield child


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def seconds_in(journal: Path) -> int:
    return journal.read_text().count('{"second"') if journal.exists() else 0


def soak_of(file: Path) -> SoakResult:
    result = read_file(file)
    assert isinstance(result, SoakResult)
    return result


def test_a_killed_controller_leaves_the_traffic_and_the_soak_goes_on(tmp_path: Path) -> None:
    file, address = tmp_path / "x.json", f"127.0.0.1:{free_rpc_port()}"
    journal = tmp_path / "x.json.part"
    with generator(tmp_path, address):
        first = subprocess.Popen([*SOAK, "-s", address, *LOAD, "--for", "1000", "-q", "-o", str(file)])
        try:
            wait_for(lambda: seconds_in(journal) >= 2)
        finally:
            first.kill()
            first.wait()
        with GeneratorClient(address) as client:
            client.connect()
            assert {status.state for status in client.port_status([0, 1]).values()} == {"TX"}
        seen_s = soak_of(file).verdict.watched_s
        command = [*SOAK, "--resume", str(file), "--for", f"{seen_s + 3:.1f}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        assert done.returncode == 0, done.stderr
        with GeneratorClient(address) as client:
            client.connect()
            assert {status.owner for status in client.port_status([0, 1]).values()} == {""}
    result = soak_of(file)
    assert not journal.exists()
    (gap,) = result.gaps
    assert gap.blind == "controller" and gap.offered is not None and gap.lost is not None
    # What went on meanwhile was sent by the load, and came back: the ring refuses nothing at such a rate for long.
    assert gap.offered > 1000
    assert result.verdict.watched_s > seen_s
    assert result.ending.status == "complete"
    assert "nobody watched for" in done.stderr


def test_a_killed_generator_is_waited_for_and_leaves_a_gap(tmp_path: Path) -> None:
    file, address = tmp_path / "x.json", f"127.0.0.1:{free_rpc_port()}"
    journal = tmp_path / "x.json.part"
    with generator(tmp_path, address) as child:
        with (tmp_path / "said").open("w") as log:
            command = [*SOAK, "-s", address, *LOAD, "--for", "1000", "-o", str(file)]
            soak = subprocess.Popen(command, stderr=log)
        wait_for(lambda: seconds_in(journal) >= 2)
        os.kill(child.pid, signal.SIGKILL)
    try:
        with generator(tmp_path, address):
            wait_for(lambda: '{"gap"' in journal.read_text())
            before = seconds_in(journal)
            wait_for(lambda: seconds_in(journal) >= before + 2)
            soak.send_signal(signal.SIGINT)
            soak.wait(DEADLINE_S)
    finally:
        soak.kill()
        soak.wait()
    said = (tmp_path / "said").read_text()
    assert soak.returncode == 130, said
    result = soak_of(file)
    (gap,) = result.gaps
    assert (gap.blind, gap.offered, gap.lost) == ("generator", None, None)
    assert result.ending.status == "interrupted"
    assert "what was lost is not known" in said and "shown at 95 %" in said


def test_the_embedded_lab_is_soaked_and_its_routers_losses_are_found() -> None:
    """Loads that a busy machine carries too. After two seconds the router loses one packet in fifty."""
    plan = SoakPlan("bench", Rate(5000, "pps"), 6.0, {"size": "64"}, target_ratio=1e-3)
    with joined_lab() as lab, GeneratorClient(lab.rpc) as client:
        client.connect()

        def watch(progress: Progress) -> None:
            if progress.chronicle.watched_s < 2:
                ask(lab.control_socket, "set interface impairment e1 loss 0.02 seed 7")

        result = run_soak(plan, client, dut=lab.dut, watch=watch)
    verdict, total = result.verdict, result.total
    assert result.ending.status == "complete" and total is not None
    assert not verdict.shown and verdict.lower_ratio > 1e-3
    assert any(event.channel.rx == 1 and event.lost > 50 for event in result.events)
    assert total.dut.drop_packets and total.dut.drops
    assert total.dut.memory_bytes and total.dut.memory_bytes > 1_000_000
    assert total.dut.cycles_per_packet
    assert all(flow.latency is not None for flow in total.flows.values())


def test_one_command_brings_up_the_lab_and_soaks_it(tmp_path: Path) -> None:
    file = tmp_path / "lab.json"
    command = [*SOAK, "--lab", "embedded", *LOAD, "--for", "3", "--show", "0.9", "-o", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "0.9 shown at 95 %: yes" in done.stderr
    assert soak_of(file).lab["kind"] == "embedded"
    assert json.loads(file.read_text())["schema"] == "wirespeed-soak/1"
