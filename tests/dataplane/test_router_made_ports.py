"""Ports on files and rings that are added and deleted while the real router runs."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import RouterProcess, read_pcap, received, wait_received, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from shared_router import interfaces

FRAMES = [
    bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP() / UDP(sport=n) / (b"x" * n)) for n in range(40)
]


def crossed(one: str, other: str) -> str:
    return f"set interface l2 xconnect {one} {other}\nset interface l2 xconnect {other} {one}\n"


def up(*names: str) -> str:
    return "".join(f"set interface state {name} up\n" for name in names)


def made(directory: Path, *more: str) -> list[str]:
    """A file to read, one to write, and more."""
    write_pcap(directory / "in.pcap", FRAMES)
    return [f"create pcap name e0 input {directory}/in.pcap", f"create pcap name e1 output {directory}/out.pcap", *more]


def test_a_file_is_read_once_its_interface_is_up_and_written_once_it_is_deleted(tmp_path: Path) -> None:
    with interfaces(tmp_path, made(tmp_path), up("e1")) as running:
        running.ask("set interface l2 xconnect e0 e1")
        # Packets circulate in a ring of one port: the worker has polled all of its queues.
        wait_received(running, 0)
        assert received(running) == 0
        running.ask("set interface state e0 up")
        wait_received(running, len(FRAMES))
        running.ask("set interface l3 e0")
        running.ask("delete interface e1")
        assert read_pcap(tmp_path / "out.pcap") == FRAMES


def test_the_ends_of_a_ring_come_and_go(tmp_path: Path) -> None:
    """Two ends are connected to each other, a single one to itself, whichever was first."""
    rings = ["create ring wire name r0", "create ring wire name r1"]
    config = crossed("e0", "r0") + crossed("r1", "e1") + up("r0", "r1", "e1", "e0")
    with interfaces(tmp_path, made(tmp_path, *rings), config) as running:
        wait_for(lambda: sent(running, "e1") == len(FRAMES), "frames through the ring")
        for name in ("e0", "r0", "r1"):
            running.ask(f"set interface l3 {name}")
        running.ask("delete interface r0")
        running.ask("set interface ip address r1 192.0.2.1/24")  # it tells its own address, and hears itself
        running.ask("ip neighbor r1 192.0.2.9 02:00:00:00:00:09")
        before = count(running, "r1", "rx")
        running.ask("ping 192.0.2.9 repeat 1")
        wait_for(lambda: count(running, "r1", "rx") > before, "a packet back from the ring")
        running.ask("create ring wire name r2")
        running.ask("set interface rx-mode r2 interrupt")
        running.ask("set interface state r2 up")
        before, far = count(running, "r1", "rx"), count(running, "r2", "rx")
        running.ask("ping 192.0.2.9 repeat 1")
        wait_for(lambda: count(running, "r2", "rx") > far, "a packet at the other end")
        assert count(running, "r1", "rx") == before
        running.ask("set interface l3 e1")


def count(running: RouterProcess, name: str, what: str) -> int:
    found = re.search(rf"{what} packets +(\d+)", running.ask(f"show interface {name}"))
    return int(found[1]) if found else 0


def sent(running: RouterProcess, name: str) -> int:
    return count(running, name, "tx")


@pytest.mark.parametrize("rounds", [30, pytest.param(2000, marks=pytest.mark.long("thousands of ports"))])
def test_nothing_is_kept_of_ports_that_came_and_went(tmp_path: Path, rounds: int) -> None:
    """Buffers, files and memory are freed, also for rings with packets in them."""

    def one_round(number: int) -> None:
        rings = [f"create ring wire{number} name r{end}" for end in range(2)]
        # Packets sent into r0 stay in the ring, since r1 is down.
        config = "set interface l2 xconnect e0 r0\n" + up("r0", "e0")
        with interfaces(tmp_path, made(tmp_path, *rings), config) as running:
            wait_for(lambda: sent(running, "r0") == len(FRAMES), "frames into the ring")

    def held() -> tuple[str, int, int]:
        with interfaces(tmp_path, [], "") as running:
            folder = Path(f"/proc/{running.process.pid}")
            resident = re.search(r"VmRSS:\s+(\d+) kB", (folder / "status").read_text())
            assert resident
            used = running.ask("show buffers").splitlines()[-1].split()
            return used[-1], len(os.listdir(folder / "fd")), int(resident[1])  # noqa: PTH208

    for number in range(10):
        one_round(number)
    before = held()
    for number in range(rounds):
        one_round(number)
    after = held()
    assert after[0] == before[0]
    assert after[1] < before[1] + 5  # the control connections of this test may still be open
    assert after[2] - before[2] < 4096
