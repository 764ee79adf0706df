"""vhost-user ports with DPDK's virtio_user driver: the other end as in a virtual machine, without one."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from generator_child import GeneratorChild
from harness.waiting import wait_for
from router_run import CROSSED, router, worker_cpu
from test_generator_core import burst, packet
from test_memif_links import settle, wait_for_traffic
from testpmd import TESTPMD, needs_testpmd

from wirespeed._native.port_checks import check_ports
from wirespeed._native.stream_records import Stream
from wirespeed.errors import WirespeedError
from wirespeed.model import parse_port_spec
from wirespeed.seam.ports import PortMedium

with_testpmd = needs_testpmd("vhost was NOT tried against DPDK's virtio driver")


def ports(directory: Path, role: str) -> list[str]:
    return [f"vhost:{directory}/v{index}.sock,role={role},mac=02:ee:00:00:00:0{index}" for index in (0, 1)]


@contextmanager
def drivers(directory: Path, role: str) -> Iterator[subprocess.Popen[bytes]]:
    """Two virtio NICs as in a guest, in the opposite role, bridged to each other."""
    cpu = worker_cpu()
    server = ",server=1" if role == "client" else ""
    words = [str(TESTPMD), "--lcores", f"0@{cpu},1@{cpu}", "--file-prefix", f"vhost{os.getpid()}", "--no-pci"]
    words += ["--no-huge", "-m", "256", "--no-telemetry"]
    words += [f"--vdev=net_virtio_user{index},path={directory}/v{index}.sock{server}" for index in (0, 1)]
    words += ["--", "--forward-mode=io", "--auto-start", "--total-num-mbufs=16384"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@with_testpmd
@pytest.mark.parametrize("rounds", [2, pytest.param(10, marks=pytest.mark.long("each burst waits for testpmd's turn"))])
@pytest.mark.parametrize("role", [pytest.param("client", marks=pytest.mark.long("testpmd as server")), "server"])
def test_packets_go_through_the_other_sides_driver_whenever_it_is_there(tmp_path: Path, role: str, rounds: int) -> None:
    """All packets sent while both links are up come back; a killed side is found again."""
    with GeneratorChild(*ports(tmp_path, role)) as child:
        assert child.medium(0) == PortMedium.RING
        for _ in range(2):
            with drivers(tmp_path, role):
                child.start(0, Stream(1, packet(), rate_pps=20e3))
                wait_for_traffic(child)
                child.change("stop", 0)
                before = settle(child)
                # At most a ring's worth at a time, however late the other side's driver runs.
                for sent in range(200, 200 * rounds + 1, 200):
                    child.start(0, burst(1, 5e4, 100), burst(2, 5e4, 100, size=1514))
                    assert child.finish()[0].tx_packets - before[0].tx_packets == sent
                    wait_for(
                        lambda want=before[1].rx_packets + sent: child.snapshot().ports[1].rx_packets >= want,
                        "all of them",
                    )
                after = child.snapshot().ports
                assert after[1].rx_bytes - before[1].rx_bytes == 100 * rounds * (64 + 1514)
            for path in tmp_path.glob("v*.sock"):
                if role == "client":
                    path.unlink()


@with_testpmd
def test_the_router_has_them_as_well(tmp_path: Path) -> None:
    """Generator, memif, wirespeed router, vhost, the other side's bridge, vhost, wirespeed router, memif."""
    crossed = CROSSED + CROSSED.replace("e0", "e2").replace("e1", "e3")
    crossed = crossed.replace("xconnect e0 e1", "xconnect e0 e2").replace("xconnect e1 e0", "xconnect e1 e3")
    crossed = crossed.replace("xconnect e2 e3", "xconnect e2 e0").replace("xconnect e3 e2", "xconnect e3 e1")
    wires = [f"memif:{tmp_path}/w{index}.sock,role=server" for index in (0, 1)]
    interfaces = [f"e{index}={port}" for index, port in enumerate([*wires, *ports(tmp_path, "client")])]
    with drivers(tmp_path, "client"), router(tmp_path, interfaces, crossed) as running:
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") >= 2, "both vhost links")
        assert "02:ee:00:00:00:01" in running.ask("show hardware-interfaces e3")
        with GeneratorChild(*(wire.replace("role=server", "role=client") for wire in wires)) as child:
            child.start(0, Stream(1, packet(), rate_pps=10e3))
            wait_for_traffic(child)
            child.change("stop", 0)


@pytest.mark.parametrize(
    ("mtu", "queues", "data_size"),
    [
        pytest.param(1500, 1, 2048, marks=pytest.mark.long("frames of two sizes of three, by one queue of two")),
        (9000, 2, 2048),
        pytest.param(9000, 2, 9216, marks=pytest.mark.long("buffers that hold a frame each, as most tests have them")),
    ],
)
def test_both_ends_are_ours(tmp_path: Path, mtu: int, queues: int, data_size: int) -> None:
    """The generator's virtio, the router's vhost and back. Frames that are longer than the router's buffers span
    several.
    """
    (tmp_path / "buffers.conf").write_text(f"buffers {{ default data-size {data_size} }}\n")
    options = f"mtu={mtu},rxq={queues},txq={queues}"
    interfaces = [f"e{index}={port},{options}" for index, port in enumerate(ports(tmp_path, "server"))]
    flows = 64
    with router(tmp_path, interfaces, CROSSED, "--config", str(tmp_path / "buffers.conf")) as running:
        ends = [f"virtio:{tmp_path}/v{index}.sock,{options}" for index in (0, 1)]
        with GeneratorChild(*ends, memory_mb=384, mtu=mtu) as child:
            wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
            assert running.ask("show interface rx-placement").count("queue") >= 2 * queues
            child.start(0, Stream(1, packet(), rate_pps=10e3))
            wait_for_traffic(child)
            child.change("stop", 0)
            before = settle(child)
            lengths = [64, 1518, mtu + 18]
            child.start(0, *(burst(number, 1e4, flows, size=length) for number, length in enumerate(lengths, 1)))
            child.finish()
            want = before[1].rx_packets + flows * len(lengths)
            wait_for(lambda: child.snapshot().ports[1].rx_packets >= want, "all of them")
            after = child.snapshot().ports[1]
            assert after.rx_packets == want
            assert after.rx_bytes - before[1].rx_bytes == flows * sum(lengths)


def test_what_cannot_be_is_told_in_one_line(tmp_path: Path) -> None:
    def refusal(*given: str) -> str:
        with pytest.raises(WirespeedError) as told:
            check_ports([parse_port_spec(one) for one in given])
        return str(told.value)

    plain = tmp_path / "plain"
    plain.touch()
    assert "exists and is not a socket" in refusal(f"vhost:{plain}")
    assert f"directory {tmp_path}/none does not exist" in refusal(f"vhost:{tmp_path}/none/v0.sock")
    assert "vhost-user socket belongs to one port" in refusal(f"vhost:{tmp_path}/v0.sock", f"vhost:{tmp_path}/v0.sock")
    with socket.socket(socket.AF_UNIX) as owner:
        owner.bind(f"{tmp_path}/v1.sock")
        owner.listen(1)
        assert "is in use by another process" in refusal(f"vhost:{tmp_path}/v1.sock,role=server")


def test_the_socket_of_a_dead_owner_is_taken_over(tmp_path: Path) -> None:
    for name in ("v0", "v1"):
        with socket.socket(socket.AF_UNIX) as owner:
            owner.bind(f"{tmp_path}/{name}.sock")
    with GeneratorChild(f"vhost:{tmp_path}/v0.sock,role=server", f"vhost:{tmp_path}/v1.sock") as child:
        with socket.socket(socket.AF_UNIX) as other_side:
            other_side.connect(f"{tmp_path}/v0.sock")
        assert child.medium(0) == PortMedium.RING
