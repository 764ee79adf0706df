"""VPP's reader and wirespeed's at a router's statistics socket, while interfaces are added and
deleted under traffic.
"""

from __future__ import annotations

import array
import mmap
import os
import socket
import stat
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import RouterProcess, command, router, wait_received
from test_router_statistics import CONFIG, frame, ports
from vpp_papi.vpp_stats import VPPStats

from wirespeed.cli.main import main
from wirespeed.dut.errors import parse_errors
from wirespeed.dut.runtime import parse_runtime
from wirespeed.statseg.reading import StatsReading
from wirespeed.statseg.segment import StatsSegment

UP = "set interface state e0 up\n"


@contextmanager
def vpp_reader(directory: Path) -> Iterator[VPPStats]:
    reader = VPPStats(str(directory / "stats.sock"))
    reader.connect()
    try:
        yield reader
    finally:
        reader.disconnect()


def come_and_go(running: RouterProcess, directory: Path, stop: threading.Event, failed: list[Exception]) -> None:
    """Add and delete sub-interfaces, loopbacks, and ports, which require new graphs."""
    try:
        number = 0
        running.ask(f"create memif socket id 1 filename {directory}/memif.sock")
        while not stop.is_set():
            number = number % 50 + 1
            running.ask(f"create sub-interfaces e0 {number}")
            running.ask(f"create loopback interface instance {number}")
            if number % 5 == 0:
                running.ask("create interface memif id 0 socket-id 1 master")
                running.ask("delete interface memif memif1/0")
            running.ask(f"delete sub-interface e0.{number}")
            running.ask(f"delete loopback interface intfc loop{number}")
    except Exception as error:
        failed.append(error)


@contextmanager
def changing(running: RouterProcess, directory: Path) -> Iterator[None]:
    stop, failed = threading.Event(), list[Exception]()
    changes = threading.Thread(target=come_and_go, args=(running, directory, stop, failed))
    changes.start()
    try:
        yield
    finally:
        stop.set()
        changes.join()
    assert not failed


def poll(once: Callable[[], None], epoch: Callable[[], int], changes: int) -> None:
    """Read until the interfaces have changed that often."""
    rounds, end = 0, epoch() + changes
    while epoch() < end or rounds < 5:
        once()
        rounds += 1


@pytest.mark.parametrize("changes", [20, pytest.param(2000, marks=pytest.mark.long("thousands of changes"))])
def test_readers_see_no_torn_value_while_interfaces_come_and_go(tmp_path: Path, changes: int) -> None:
    """`null` produces endless frames, and all are dropped."""
    before = {"drops": 0, "calls": 0, "vpp drops": 0, "vpp calls": 0}

    def grows(what: str, value: int) -> None:
        assert value >= before[what], what
        before[what] = value

    with router(tmp_path, ["e0=null"], f"set interface mac address e0 02:fe:00:00:00:00\n{UP}") as running:

        def by_ours() -> None:
            readings = stats.read(["^/if/", "^/interfaces/.*/(drops|rx)$", "^/nodes/dpdk-input/calls$"])
            links = {name.split("/")[2] for name in readings if name.startswith("/interfaces/")}
            names = readings["/if/names"].texts
            assert names[0] == "local0"
            assert {name.replace("/", "_") for name in names[1:] if name} == links
            for index, name in enumerate(names):
                if index and name:
                    assert_same(readings, name.replace("/", "_"), index)
            grows("drops", readings["/interfaces/e0/drops"].total[0])
            grows("calls", readings["/nodes/dpdk-input/calls"].total[0])

        def by_vpp() -> None:
            names = vpp["/if/names"]
            assert list(names[:2]) == ["local0", "e0"]
            grows("vpp drops", sum(vpp["/interfaces/e0/drops"]))
            grows("vpp calls", sum(vpp["/nodes/dpdk-input/calls"]))
            assert vpp["/sys/num_worker_threads"] == 1
            assert all(len(row) >= len(names) for row in vpp["/if/rx"])
            assert vpp.set_errors()
            for name in vpp.ls(["^/interfaces/.*/rx$", "^/nodes/.*/vectors$"])[-20:]:
                # A deleted one is reported as such.
                try:
                    assert len(vpp[name]) == 2
                except KeyError:
                    assert "e0/" not in name

        with (
            StatsSegment(tmp_path / "stats.sock") as stats,
            vpp_reader(tmp_path) as vpp,
            changing(running, tmp_path),
        ):
            for read in (by_ours, by_vpp):
                poll(read, lambda: vpp.epoch, changes)
    assert all(before.values())


def assert_same(readings: dict[str, StatsReading], name: str, index: int) -> None:
    """A link refers to its interface's own element, which is the same word."""
    for what in ("drops", "rx"):
        of_vector = tuple(row[index] for row in readings[f"/if/{what}"].rows)
        assert readings[f"/interfaces/{name}/{what}"].values == of_vector


def test_vpps_reader_reads_what_the_router_says(tmp_path: Path) -> None:
    with router(tmp_path, ports(tmp_path), CONFIG) as running, vpp_reader(tmp_path) as vpp:
        wait_received(running, 42)
        wait_for(lambda: vpp["/if/rx"][:, 1].sum_packets() == 42, "an update of the drivers' counters")
        assert vpp["/if/rx"][:, 1].sum_octets() == 42 * len(frame("9.9.9.9"))
        assert vpp["/interfaces/e1/tx"].sum_packets() == 30
        assert sum(vpp["/interfaces/e0/drops"]) == 12
        assert sum(vpp["/interfaces/e0/ip4"]) == 42
        rows = parse_errors(running.ask("show errors"))
        assert vpp.set_errors() == {f"/err/{row.node}/{row.reason}": row.count for row in rows}
        (thread,) = parse_runtime(running.ask("show runtime"))
        for node in thread.nodes:
            if node.state == "active":
                assert vpp[f"/nodes/{node.name}/calls"] == [0, node.calls]
                assert vpp[f"/nodes/{node.name}/vectors"] == [0, node.vectors]
        sizes = vpp["/sys/vector-sizes"]
        assert sizes.min_exp == 0 and sizes.sum() >= 1
        for name in vpp.ls("/"):
            assert vpp[name] is not None, name


def test_the_socket_is_the_users_and_what_it_hands_out_is_read_only(tmp_path: Path) -> None:
    with router(tmp_path, ["e0=ring:a"]) as running:
        path = tmp_path / "stats.sock"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        # Clients that send nothing, read nothing or disconnect at once delay no others.
        idle = [connect(path) for _ in range(20)]
        connect(path).close()
        assert "e0" in running.ask("show interface")
        with connect(path) as client:
            descriptors = array.array("i")
            _, ((_, _, rights),), _, _ = client.recvmsg(16, socket.CMSG_SPACE(4))
            descriptors.frombytes(rights)
            assert client.recv(16) == b""
        with pytest.raises(PermissionError):
            mmap.mmap(descriptors[0], 0)
        with pytest.raises(OSError):
            os.write(descriptors[0], b"x")
        os.close(descriptors[0])
        for client in idle:
            client.close()
        assert main(["ctl", "stats", "dump", "--file", str(path), "^/sys/num_worker_threads$"]) == 0
    assert not path.exists()


def connect(path: Path) -> socket.socket:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # With a timeout it would return at once if others are waiting already.
    client.connect(str(path))
    client.settimeout(60)
    return client


def test_start_up_file_names_socket_and_size(tmp_path: Path) -> None:
    conf = tmp_path / "startup.conf"
    conf.write_text(f"statseg {{ socket-name {tmp_path}/vpp.sock per-node-counters off update-interval 0.1 }}\n")
    with router(tmp_path, ["e0=ring:a"], "", "--config", str(conf)):
        with StatsSegment(tmp_path / "vpp.sock") as stats:
            assert stats.names(["^/nodes/", "^/sys/node/"]) == []
            assert stats.names(["^/err/ip4-input/"])
        assert not (tmp_path / "stats.sock").exists()
    conf.write_text("statseg { size 1M }\n")
    words = command(tmp_path / "router.sock", ["e0=ring:a"], "--config", str(conf))
    refused = subprocess.run(words, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "statseg { size } allows 1024 kB; allow more" in refused.stderr
