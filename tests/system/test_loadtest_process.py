"""Load tests of real processes: ports taken over by other users, lost links, owner time-outs, rings of three ports,
signatures.

A generator with two ports on one ring is connected to itself; where a device is needed, it is a wirespeed router.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from harness.programs import run_wirespeed, wirespeed
from harness.stopping import stop_process
from harness.waiting import wait_for
from joined_lab import joined_lab
from shared_labs import OWNER_TIMEOUT_S, RingLab, connected, ring_lab

from wirespeed.dut.spec import parse_dut
from wirespeed.lab.embedded import SHALLOW_SLOTS, EmbeddedLab
from wirespeed.lab.running import running
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus
from wirespeed.machine.ports import free_rpc_port
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.plan import LoadPlan
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.run import LoadTestProgress, load_for, run_loadtest
from wirespeed.profiles import load_profile
from wirespeed.results.channel import Channel
from wirespeed.router.client import ask
from wirespeed.trial import tester
from wirespeed.trial.directions import pair_directions, parse_directions
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

RATE_PPS = 20_000.0
SHORT = LoadPlan(
    "bench",
    {"size": "64", "vm": "var2"},
    warmup_rate=Rate(1000, "pps"),
    warmup_s=0.2,
    ramp_target=Rate(RATE_PPS, "pps"),
    ramp_s=0.6,
    hold_s=0.6,
    interval_s=0.2,
)


@contextmanager
def generator(directory: Path, ports: Sequence[str]) -> Iterator[str]:
    """A generator with these ports; yields its address."""
    address = f"127.0.0.1:{free_rpc_port()}"
    words = [word for port in ports for word in ("--port", port)]
    arguments = ["generator", *words, "--hugepages", "never", "--rpc", address]
    with Child("generator", arguments, directory / f"log-{address}").start():
        yield address


@pytest.mark.alone
def test_an_owners_time_out_ends_no_trial_of_ours(impatient_ring: RingLab) -> None:
    """One sample that is longer than the generator's owner time-out; only that sample is lost."""
    duration_s = 1.5 * OWNER_TIMEOUT_S
    plan = replace(SHORT, warmup_s=0.0, ramp_s=0.0, hold_s=duration_s, interval_s=duration_s)
    with connected(impatient_ring.rpc) as client:
        result = run_loadtest(plan, Execution(client))
    assert result.ending.status == "complete"
    (sample,) = result.samples
    balance = result.outcome.channels["0→1"].balance
    assert balance.received == balance.sent > 0
    assert balance.intended is not None
    assert balance.intended >= 0.9 * RATE_PPS * sample.interval_s


@pytest.mark.parametrize("user", ["thief", None])
def test_a_thief_in_the_hold_ends_the_test_and_keeps_what_it_took(ring: RingLab, user: str | None) -> None:
    """By another user, or by another session of the same user."""
    with connected(ring.rpc) as thief, connected(ring.rpc) as client:
        thief.user = user or thief.user

        def steal(progress: LoadTestProgress) -> None:
            if progress.step.phase == "hold":
                thief.acquire([0], force=True)
                thief.reset([0])
                thief.add_streams(0, load_profile("bench", {"size": "64"}, 0, 0))
                thief.start([0], Rate(50 * RATE_PPS, "pps"))
                before = thief.snapshot([0]).ports[0].opackets
                wait_for(lambda: thief.snapshot([0]).ports[0].opackets > before + 10 * RATE_PPS, "the thief's load")

        result = run_loadtest(replace(SHORT, hold_s=20.0), Execution(client, watch=steal))
        status = client.port_status([0, 1])
        assert (status[0].state, status[0].owner, status[1].owner) == ("TX", thief.user, "")
        thief.release([0])
    assert (result.ending.status, result.ending.exit_code) == ("failed", 4)
    assert "port 0 was lost during the test" in result.ending.reason
    assert [sample.phase for sample in result.samples].count("hold") == 1
    assert all(sample.ports[0].tx_pps < 3 * RATE_PPS for sample in result.samples)
    assert result.outcome.channels["0→1"].balance.sent < 3 * RATE_PPS


def test_a_port_that_somebody_stops_ends_the_test(ring: RingLab) -> None:
    with connected(ring.rpc) as client:

        def stop(progress: LoadTestProgress) -> None:
            if progress.step.phase == "hold":
                client.stop([1])

        result = run_loadtest(replace(SHORT, hold_s=20.0), Execution(client, watch=stop))
    assert "port 1 stopped sending during the test: its state is STREAMS" in result.ending.reason


def test_marks_tell_ours_from_what_others_push_and_latency_goes_with_every_sample(tmp_path: Path) -> None:
    noise = bytes.fromhex("020000000002020000000001" + "88b5") + bytes(50)
    with (
        ring_lab(tmp_path / "log", "--calibrate") as lab,
        connected(lab.rpc) as client,
        connected(lab.rpc) as other,
    ):

        def push(_: LoadTestProgress) -> None:
            other.call("push_pkts", port_id=0, pkts=[packet(noise)] * 20, ipg_usec=0, force=True)

        plan = replace(SHORT, signature=True, latency_rate_pps=1000.0)
        result = run_loadtest(plan, Execution(client, watch=push))
    there, back = (result.outcome.channels[name].balance for name in ("0→1", "1→0"))
    assert back.extraneous == 0
    assert back.sent == back.received > 0
    assert 0 < there.extraneous <= 20 * len(result.samples)
    assert there.lost == 0  # pushed packets are not part of the load, though the port sent them
    for sample in result.samples:
        assert sorted(map(str, sample.latency)) == ["0→1", "1→0"]
        for told in sample.latency.values():
            assert 0 < told.min_us <= told.percentiles["50"] <= told.max_us
            assert told.lost == told.duplicates == 0
    packets = sum(sample.latency[Channel(0, 1)].packets for sample in result.samples)
    assert there.intended is not None
    sent_share = there.sent / there.intended  # a worker that is preempted sends less of both
    assert packets == pytest.approx(1000 * result.samples[-1].t_s * sent_share, rel=0.2)
    assert result.lab.latency_baseline["0→1"].median_us > 0


def packet(raw: bytes) -> dict[str, object]:
    return {"binary": b64encode(raw).decode(), "use_port_dst_mac": False, "use_port_src_mac": False}


def test_the_other_direction_alone_and_each_load_in_turn(ring: RingLab) -> None:
    plan = replace(SHORT, directions=pair_directions(only="1-0"), hold_s=0.4)
    plan = replace(plan, step_loads=(Rate(5000, "pps"), Rate(10_000, "pps")))
    with connected(ring.rpc) as client:
        result = run_loadtest(plan, Execution(client))
    assert [sample.phase for sample in result.samples] == ["warm-up"] + ["step"] * 4
    assert all(sample.ports[0].tx_pps == 0 for sample in result.samples)
    asked = [sample.ports[1].intended_pps for sample in result.samples if sample.measured]
    assert asked[1] == pytest.approx(5000, rel=0.2)
    assert asked[3] == pytest.approx(10_000, rel=0.2)


def test_a_trial_measures_one_load_after_another(ring: RingLab) -> None:
    with connected(ring.rpc) as client:
        pair = tester.Tester(client, pair_directions())
        with Trial(pair, load_for(replace(SHORT, latency_rate_pps=1000.0))) as trial:
            results = [trial.measure(Rate(pps, "pps"), 0.5) for pps in (2000.0, 10_000.0)]
        assert {one.owner for one in client.port_status([0, 1]).values()} == {""}
    for result, pps in zip(results, (2000, 10_000), strict=True):
        assert result.drain.settled
        for channel in result.channels.values():
            assert channel.balance.sent == channel.balance.received
            assert channel.balance.intended == pytest.approx((pps + 1000) * result.duration_s, rel=0.02)
            assert channel.offered_pps == channel.received_pps
            assert channel.latency is not None and channel.latency.packets > 0
        assert result.preemption is not None
    assert results[0].ended_s < results[1].began_s


def test_a_trial_that_is_told_to_stop_leaves_nothing_that_sends(ring: RingLab) -> None:
    with connected(ring.rpc) as client:
        stop = threading.Event()
        trial = Trial(tester.Tester(client, pair_directions()), load_for(SHORT), stop=stop)
        threading.Timer(0.2, stop.set).start()
        with trial, pytest.raises(KeyboardInterrupt):
            trial.measure(Rate(1000, "pps"), 60.0)
        before = client.snapshot([0]).ports[0].opackets
        time.sleep(0.1)
        assert client.snapshot([0]).ports[0].opackets == before


# ---- through a router


@contextmanager
def three_ports(directory: Path, *crossings: tuple[int, int]) -> Iterator[str]:
    """A generator with three ports and a router that sends packets received on one interface to another."""
    socket = directory / "r"
    faces = [f"e{port}=memif:{directory}/m{port},role=server" for port in range(3)]
    arguments = [word for face in faces for word in ("--interface", face)]
    speeds = ("1G", "2.5G", "10G")
    ends = tuple(f"memif:{directory}/m{port},role=client,speed={speed}" for port, speed in enumerate(speeds))
    router = ["router", *arguments, "--socket", str(socket), "--hugepages", "never"]
    with Child("router", router, directory / "log-router").start():
        for port in range(3):
            ask(socket, f"set interface state e{port} up")
        cross(socket, *crossings)
        with generator(directory, ends) as address, connected(address) as client:
            wait_for(lambda: all(one.link_up for one in client.port_status([0, 1, 2]).values()), "the links")
            yield address


def cross(socket: Path, *crossings: tuple[int, int]) -> None:
    """Each router forwards from its first interface to its second one."""
    for from_port, to_port in crossings:
        ask(socket, f"set interface l2 xconnect e{from_port} e{to_port}")


def test_three_ports_in_a_ring_by_their_own_lines_then_two_into_one(short_directory: Path) -> None:
    ring = replace(SHORT, directions=parse_directions("0>1,1>2,2>0"), ramp_target=Rate(0.1, "percentage"))
    marked = replace(SHORT, directions=parse_directions("0>2,1>2"), signature=True)
    with three_ports(short_directory, (0, 1), (1, 2), (2, 0)) as address, connected(address) as client:
        result = run_loadtest(ring, Execution(client))
        cross(short_directory / "r", (0, 2), (1, 2))
        merged = run_loadtest(marked, Execution(client))
    assert result.ending.status == "complete"
    assert list(result.outcome.channels) == ["0→1", "1→2", "2→0"]
    held = [sample for sample in result.samples if sample.phase == "hold"]
    for port, line_bps in enumerate((1e9, 2.5e9, 10e9)):
        assert held[-1].ports[port].intended_pps == pytest.approx(line_bps / 672 / 1000, rel=0.2)
    for ended in result.outcome.channels.values():
        assert ended.balance.sent == ended.balance.test_frames > 0
        assert ended.line_bps in (1e9, 2.5e9, 10e9)
    balances = [merged.outcome.channels[name].balance for name in ("0→2", "1→2")]
    for balance in balances:  # a busy machine may lose some, of whichever it is
        assert 0 < balance.test_frames <= balance.sent
        assert balance.received == sum(one.test_frames for one in balances)


@pytest.fixture
def short_directory() -> Iterator[Path]:
    """A directory with a short path: a socket's path has at most 107 bytes, which pytest's own
    directories may exceed.
    """
    with tempfile.TemporaryDirectory(prefix="ws-") as name:
        yield Path(name)


@pytest.mark.parametrize("ride", [False, True])
def test_a_router_that_dies_takes_the_links_with_it(ride: bool) -> None:
    """A lost link ends the test with the data measured so far, or is tolerated and marked."""
    with joined_lab() as lab, connected(lab.rpc) as client:

        def kill(progress: LoadTestProgress) -> None:
            if progress.step.phase == "ramp" and lab.router.alive:
                os.kill(lab.router.pid, signal.SIGKILL)
                wait_for(lambda: not client.port_status([1])[1].link_up, "the end of the link")

        result = run_loadtest(replace(SHORT, ignore_link_down=ride), Execution(client, watch=kill))
        assert {one.owner for one in client.port_status([0, 1]).values()} == {""}
    down = [sample.links_down for sample in result.samples]
    assert down[:2] == [(), ()]
    if ride:
        assert result.ending.status == "complete"
        assert down[2:] == [(0, 1)] * 5
    else:
        assert (result.ending.status, result.ending.exit_code) == ("failed", 4)
        assert "lost its link during the test" in result.ending.reason
        assert result.samples[-1].phase == "ramp"
    assert all(ended.saturation is None for ended in result.outcome.channels.values())


def test_a_generator_that_was_started_anew_ends_the_test() -> None:
    with joined_lab() as lab, connected(lab.rpc, timeout_s=2.0) as client:
        plan = replace(SHORT, hold_s=20.0)

        def restart(progress: LoadTestProgress) -> None:
            if progress.step.phase == "hold":
                os.kill(lab.generator.pid, signal.SIGKILL)

        result = run_loadtest(plan, Execution(client, watch=restart))
        assert result.ending.exit_code == 4
        assert "stopped answering" in result.ending.reason
        assert result.samples[-1].phase == "hold"


def test_telemetry_of_the_router_goes_with_a_trial(lab: EmbeddedLab) -> None:
    with connected(lab.rpc) as client:
        dut = parse_dut(f"router:{lab.control_socket}")
        dut.prepare()
        try:
            with Trial(tester.Tester(client, pair_directions()), load_for(SHORT), dut=dut) as trial:
                result = trial.measure(Rate(RATE_PPS, "pps"), 0.5)
        finally:
            dut.close()
    assert result.dut.in_packets is not None and result.dut_after.in_packets is not None
    assert result.dut_before.in_packets == 0
    assert result.dut.in_packets + result.dut_after.in_packets == result.balance.sent
    assert (result.dut.cycles_per_packet or 0) > 0


def test_counters_at_rest_prove_nothing_while_the_router_is_preempted() -> None:
    """The device holds packets in its rings then, and the test waits for them."""
    with (
        running(EmbeddedLab(choose_cpus(), ring_slots=SHALLOW_SLOTS)) as lab,
        connected(lab.rpc) as client,
        Trial(tester.Tester(client, pair_directions()), load_for(SHORT), dut=lab.dut) as trial,
    ):

        def wait_for_packets() -> None:
            before, wires = trial.snapshot(), trial.tester.wires
            wait_for(
                lambda: all(trial.balance(before, trial.snapshot(), wire).sent > 50 for wire in wires),
                "packets sent both ways",
            )

        trial.set_rate(Rate(1000, "pps"))
        wait_for_packets()
        stop_process(lab.router.pid)
        resumed = threading.Timer(0.8, os.kill, (lab.router.pid, signal.SIGCONT))
        resumed.start()
        wait_for_packets()
        end, drain = trial.drain()
        resumed.join()
        balances = [trial.balance(trial.basis.origin, end, wire) for wire in trial.tester.wires]
    assert drain.settled
    assert all(one.test_frames == one.sent > 100 for one in balances), balances


def test_a_kill_loses_no_sample(impatient_ring: RingLab, tmp_path: Path) -> None:
    """kill -9 of the load tester; the generator's owner time-out then ends the traffic."""
    file = tmp_path / "x.json"
    words = ["-wd", "0.2", "-rd", "60", "-rt", "20kpps", "--interval", "0.1", "--latency", "--signature"]
    command = wirespeed("loadtest", "-s", impatient_ring.rpc, "-p", "bench", "-o", file, *words)
    with connected(impatient_ring.rpc) as client:
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            wait_for(lambda: len(lines_of(Path(f"{file}.part"))) > 3 or process.poll() is not None, "some samples")
            ended = process.poll()
            process.kill()
            assert ended is None, process.stderr.read()
        left = sum(1 for _ in lines_of(Path(f"{file}.part"))) - 1
        assert len(read_as(Result, file).samples) == left
        wait_for(lambda: client.port_status([0])[0].state != "TX", "the end of the traffic")
        done = run_wirespeed("loadtest", "--recover", file)
        assert done.returncode == 0, done.stderr
    result = read_as(Result, file)
    assert len(result.samples) == left
    assert result.samples[-1].latency
    assert result.ending.status == "interrupted"


def lines_of(path: Path) -> list[str]:
    text = path.read_text() if path.exists() else ""
    return [line for line in text.split("\n")[:-1] if line]


def test_an_owners_time_out_ends_no_long_trial(impatient_ring: RingLab) -> None:
    """During a trial that the generator ends by itself, the client asks often enough to remain the owner."""
    duration_s = 1.5 * OWNER_TIMEOUT_S
    with connected(impatient_ring.rpc) as client:
        pair = tester.Tester(client, pair_directions())
        with Trial(pair, load_for(SHORT)) as trial:
            result = trial.measure(Rate(1000, "pps"), duration_s)
    assert result.duration_s == pytest.approx(duration_s, rel=0.02)
    assert result.balance.intended == pytest.approx(2 * 1000 * duration_s, rel=0.02)
