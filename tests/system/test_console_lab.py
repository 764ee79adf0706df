"""The console in the embedded lab: wirespeed's generator and router, with packets between them."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.programs import run_wirespeed
from harness.waiting import wait_for
from scapy.layers.inet import IP, UDP
from scapy.utils import rdpcap
from shared_labs import connected

from wirespeed.lab.embedded import GENERATOR_MACS, ROUTER_MACS, EmbeddedLab

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


@pytest.fixture
def rpc(lab: EmbeddedLab) -> str:
    return lab.rpc


def script(rpc: str, *lines: str) -> str:
    """Run lines that must all succeed; returns their output."""
    done = run_wirespeed("console", "-s", rpc, input="\n".join(lines))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wait_until_idle(rpc: str) -> None:
    with connected(rpc) as client:
        wait_for(lambda: client.port_status([0])[0].state != "TX", "the end of the run")


def test_the_router_answers_arp_and_ping(rpc: str) -> None:
    said = script(
        rpc,
        "service",
        "l3 -p 0 --src 100.64.1.2 --dst 100.64.1.1",
        "arp -p 0",
        "ping -p 0 -d 100.64.1.1 -n 3 -i 0",
        f"l2 -p 0 --dst {ROUTER_MACS[0]}",
        "service --off",
    )
    assert f"100.64.1.1 is at {ROUTER_MACS[0]}" in said
    assert "3 of 3 answered" in said


def test_what_goes_through_the_router_is_captured(rpc: str, tmp_path: Path) -> None:
    file = tmp_path / "forwarded.pcap"
    said = script(
        rpc,
        "service",
        "capture record start --rx 1 -f udp --limit 50",
        "start -f stl/bench.py -m 1kpps -p 0 -d 0.2 -t size=128,vm=var2 --force",
    )
    assert "recording as capture" in said
    wait_until_idle(rpc)
    number = said.partition("recording as capture ")[2].partition(";")[0]
    script(rpc, f"capture record stop --id {number} -o {file}", "service --off")
    packets = rdpcap(str(file))
    assert len(packets) == 50
    assert {(packet.src, packet.dst) for packet in packets} == {(ROUTER_MACS[1], GENERATOR_MACS[1])}
    assert all(packet[IP].ttl == 63 and packet[UDP].dport == 12 and len(packet) == 124 for packet in packets)
    assert packets[0][IP].src == "16.0.0.4" and packets[1][IP].src == "16.0.0.5"


def test_a_router_hides_which_port_is_where(rpc: str) -> None:
    assert script(rpc, "map").splitlines()[-2:] == ["port 0 -> nothing came back", "port 1 -> nothing came back"]
