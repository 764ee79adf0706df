"""memif between processes: links recover whichever end stops, and DPDK's driver works at the other end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from generator_child import GeneratorChild
from harness.programs import started
from harness.waiting import wait_for
from router_run import CROSSED, command, router, worker_cpu
from test_generator_core import burst, packet
from testpmd import TESTPMD, needs_testpmd

from wirespeed._native.generator import PortTraffic
from wirespeed._native.stream_records import Stream
from wirespeed.model import parse_port_spec

with_testpmd = needs_testpmd("memif was NOT tried against DPDK's driver")


OTHER_ROLE = pytest.mark.long("the other role")
ONE_END = pytest.mark.long("three more routers; the short form has both ends")


class Ended(Exception):
    """The test has ended a process itself."""


@contextmanager
def mortal_router(directory: Path, *interfaces: str) -> Iterator[subprocess.Popen[str]]:
    """A cross-connecting router that the test may end at any time."""
    (directory / "start.conf").write_text(CROSSED)
    words = command(directory / "router.sock", interfaces, "--exec", str(directory / "start.conf"))
    with started(words) as process:
        assert process.stdout is not None
        try:
            assert any(line.startswith("ready") for line in process.stdout)
            yield process
        finally:
            process.kill()


def wires(directory: Path, role: str) -> list[str]:
    return [f"memif:{directory}/w{index}.sock,role={role}" for index in (0, 1)]


def lent(directory: Path, role: str) -> list[str]:
    """As the generator has them."""
    return [str(parse_port_spec(wire).lending()) for wire in wires(directory, role)]


def interfaces(directory: Path, role: str) -> list[str]:
    return [f"e{index}={wire}" for index, wire in enumerate(wires(directory, role))]


def wait_for_traffic(child: GeneratorChild) -> None:
    before = child.snapshot().ports[1].rx_packets
    wait_for(lambda: child.snapshot().ports[1].rx_packets > before + 1000, "traffic through the router")


def settle(child: GeneratorChild) -> tuple[PortTraffic, ...]:
    """The counters once a packet of another length has arrived after all sent ones: a forwarder keeps the order."""
    capture = child.start_capture([], [1], 1 << 14)
    marker = packet(99)
    child.push(0, [marker])
    wait_for(lambda: any(one.data == marker for one in child.read_capture(capture)), "the last packet")
    child.change("stop_capture", capture)
    return child.finish()


def wait_for_count(child: GeneratorChild, packets: int) -> None:
    wait_for(lambda: child.snapshot().ports[1].rx_packets >= packets, f"{packets} packets")
    assert child.snapshot().ports[1].rx_packets == packets


@pytest.mark.parametrize("role", ["server", pytest.param("client", marks=OTHER_ROLE)])
@pytest.mark.parametrize(
    "ends",
    [
        (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM),
        pytest.param((signal.SIGTERM,) * 3, marks=ONE_END),
        pytest.param((signal.SIGKILL,) * 3, marks=ONE_END),
    ],
)
def test_traffic_runs_again_when_the_router_does(tmp_path: Path, role: str, ends: tuple[signal.Signals, ...]) -> None:
    other = "client" if role == "server" else "server"
    with GeneratorChild(*lent(tmp_path, other)) as child:
        child.start(0, Stream(1, packet(), rate_pps=50e3))
        for end in ends:
            with mortal_router(tmp_path, *interfaces(tmp_path, role)) as process:
                wait_for_traffic(child)
                process.send_signal(end)
                process.wait()
        child.change("stop", 0)


@pytest.mark.parametrize("role", ["server", pytest.param("client", marks=OTHER_ROLE)])
def test_traffic_runs_again_when_the_generator_does(tmp_path: Path, role: str) -> None:
    other = "client" if role == "server" else "server"
    with router(tmp_path, interfaces(tmp_path, role), CROSSED) as running:
        for end in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
            with suppress(Ended), GeneratorChild(*lent(tmp_path, other)) as child:
                child.start(0, Stream(1, packet(), rate_pps=50e3))
                wait_for_traffic(child)
                os.kill(child.pid, end)
                raise Ended
            wait_for(
                lambda: running.ask("show hardware-interfaces").count("carrier down") == 2, "the loss of both links"
            )


@pytest.mark.parametrize(
    ("role", "first"),
    [
        ("server", "router"),
        ("client", "generator"),
        pytest.param("server", "generator", marks=OTHER_ROLE),
        pytest.param("client", "router", marks=OTHER_ROLE),
    ],
)
def test_traffic_runs_again_whoever_comes_first(tmp_path: Path, role: str, first: str) -> None:
    """After both were killed. The full test is bench/restarts.py."""
    other = "client" if role == "server" else "server"
    for _ in range(2):
        with suppress(Ended), ExitStack() as stack:
            child = GeneratorChild(*lent(tmp_path, other)) if first == "generator" else None
            process = stack.enter_context(mortal_router(tmp_path, *interfaces(tmp_path, role)))
            child = stack.enter_context(child or GeneratorChild(*lent(tmp_path, other)))
            child.start(0, Stream(1, packet(), rate_pps=50e3))
            wait_for_traffic(child)
            process.kill()
            os.kill(child.pid, signal.SIGKILL)
            raise Ended


def test_a_client_whose_server_is_deleted_finds_the_next_one(tmp_path: Path) -> None:
    config = f"create memif socket id 1 filename {tmp_path}/m.sock\n"
    make = "create interface memif id 0 socket-id 1 master"
    with router(tmp_path, ["e0=null"], config) as running, GeneratorChild(f"memif:{tmp_path}/m.sock") as child:
        child.start(0, Stream(1, packet(), rate_pps=50e3))
        for _ in range(3):
            assert running.ask(make) == "memif1/0\n"
            running.ask("set interface state memif1/0 up")
            wait_for(lambda: "rx packets" in running.ask("show interface memif1/0"), "packets")
            running.ask("delete interface memif memif1/0")


@pytest.mark.parametrize("mode", ["adaptive", "interrupt"])
def test_a_packet_wakes_the_worker(tmp_path: Path, mode: str) -> None:
    modes = "".join(f"set interface rx-mode e{index} {mode}\n" for index in (0, 1))
    with (
        router(tmp_path, interfaces(tmp_path, "server"), CROSSED + modes) as running,
        GeneratorChild(*lent(tmp_path, "client")) as child,
    ):
        # A client has its rings shortly after its server; a burst in between is refused.
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
        wait_for(lambda: all(child.port_info(port)["link_up"] for port in (0, 1)), "both ends")
        for bursts in range(1, 6):
            child.start(0, burst(1, 1e5, 10))
            wait_for_count(child, 10 * bursts)
        assert int(running.ask("show threads").splitlines()[1].split()[5]) > 0


# ---- DPDK's driver


@contextmanager
def forwarder_of_dpdk(directory: Path, role: str) -> Iterator[None]:
    """It waits for free slots in the ring of its peer; testpmd itself drops such packets."""
    cpu = worker_cpu()
    patient = directory / "testpmd.txt"
    patient.write_text("set fwd io retry\nset burst tx delay 100 retry 1000000\n")
    words = [str(TESTPMD), "--lcores", f"0@{cpu},1@{cpu}", "--file-prefix", f"memif{os.getpid()}", "--no-pci"]
    words += ["--no-huge", "-m", "256", "--no-telemetry"]
    words += [
        f"--vdev=net_memif{i},role={role},id=0,socket={directory}/w{i}.sock,socket-abstract=no,rsize=10" for i in (0, 1)
    ]
    words += ["--", f"--cmdline-file={patient}", "--auto-start", "--total-num-mbufs=16384"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()


@with_testpmd
@pytest.mark.parametrize("role", ["server", pytest.param("client", marks=OTHER_ROLE)])
def test_packets_go_through_dpdks_driver_and_back(tmp_path: Path, role: str) -> None:
    """All packets sent while both links are up come back, short and long, more than the rings hold at once."""
    other = "client" if role == "server" else "server"
    with GeneratorChild(*lent(tmp_path, other)) as child:
        for _ in range(2):
            with forwarder_of_dpdk(tmp_path, role):
                child.start(0, Stream(1, packet(), rate_pps=50e3))
                wait_for_traffic(child)
                child.change("stop", 0)
                before = settle(child)
                child.start(0, burst(1, 2e5, 20_000), burst(2, 1e5, 10_000, size=1514))
                after = child.finish()
                assert after[0].tx_packets - before[0].tx_packets == 30_000
                wait_for_count(child, before[1].rx_packets + 30_000)
                after = child.snapshot().ports
                assert after[1].rx_bytes - before[1].rx_bytes == 20_000 * 64 + 10_000 * 1514
            for path in tmp_path.glob("w*.sock"):
                if role == "server":
                    path.unlink()
