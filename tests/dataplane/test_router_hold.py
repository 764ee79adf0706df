"""Packets that wait for their next hop's MAC address: sent once it is known, answered when nobody tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, read_pcap, router, wait_for, wait_received, write_pcap
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from wirespeed.dut.errors import parse_errors

HELD = 4
CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/24
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip neighbor e0 100.64.1.2 {HOST0}
ip neighbor e0 2001:db8:1::2 {HOST0}
ip route add 16.0.0.0/8 via 100.64.1.2
ip route add 48.0.0.0/8 via 100.64.2.2
ip route add 2001:db8:16::/48 via 2001:db8:1::2
ip route add 2001:db8:48::/48 via 2001:db8:2::2
"""


def frames_to(destination: str, count: int) -> list[bytes]:
    ip: Packet = (
        IPv6(src="2001:db8:16::1", dst=destination) if ":" in destination else IP(src="16.0.0.1", dst=destination, id=1)
    )
    return [
        bytes(Ether(src=HOST0, dst=ROUTER0) / ip / UDP(sport=number, dport=9) / Raw(b"x" * 40))
        for number in range(count)
    ]


def is_question(frame: bytes) -> bool:
    return ARP in Ether(frame) or ICMPv6ND_NS in Ether(frame)


@pytest.fixture
def ports(tmp_path: Path) -> list[str]:
    write_pcap(tmp_path / "e1-in.pcap", [])
    return [f"{name}=pcap:{tmp_path}/{name}-in.pcap,{tmp_path}/{name}-out.pcap" for name in ("e0", "e1")]


@pytest.mark.parametrize(
    ("destination", "next_hop"),
    [
        pytest.param("48.0.0.1", "100.64.2.2", id="next hop of a route"),
        pytest.param("100.64.2.77", "100.64.2.77", id="host of a subnet"),
        pytest.param("2001:db8:48::1", "2001:db8:2::2", id="ip6 next hop of a route"),
        pytest.param("2001:db8:2::77", "2001:db8:2::77", id="ip6 host of a subnet"),
    ],
)
def test_a_few_packets_wait_for_the_answer(tmp_path: Path, ports: list[str], destination: str, next_hop: str) -> None:
    sent = frames_to(destination, 10)
    write_pcap(tmp_path / "e0-in.pcap", sent)
    with router(tmp_path, ports, CONFIG) as running:
        wait_received(running, len(sent))
        running.ask(f"ip neighbor e1 {next_hop} {HOST1}")
        wait_for(lambda: f"tx packets {HELD + 1}" in " ".join(running.ask("show interface e1").split()), "what waited")
        errors = {f"{row.node}: {row.reason}": row.count for row in parse_errors(running.ask("show errors"))}
    came = read_pcap(tmp_path / "e1-out.pcap")
    assert [is_question(frame) for frame in came] == [True, *[False] * HELD]
    for frame, before in zip(came[1:], sent, strict=False):
        after = Ether(frame)
        assert after.dst == HOST1
        assert after[UDP].sport == Ether(before)[UDP].sport
        assert bytes(after[UDP]) == bytes(Ether(before)[UDP])
    assert sum(count for name, count in errors.items() if "packets held" in name) == HELD
    assert sum(count for name, count in errors.items() if "throttled" in name) == len(sent) - HELD


def test_senders_are_told_when_nobody_answers(tmp_path: Path, ports: list[str]) -> None:
    targets = ["48.0.0.1", "100.64.2.77", "2001:db8:48::1", "2001:db8:2::77"]
    write_pcap(tmp_path / "e0-in.pcap", [frame for target in targets for frame in frames_to(target, 1)])

    def told(running_errors: str) -> int:
        return sum(
            row.count for row in parse_errors(running_errors) if row.reason == "destination unreachable response sent"
        )

    with router(tmp_path, ports, CONFIG) as running:
        wait_for(lambda: told(running.ask("show errors")) == len(targets), "the errors")
    # Asked for at once and each second after that.
    questions = read_pcap(tmp_path / "e1-out.pcap")
    assert all(map(is_question, questions)) and len(questions) == 3 * len(targets)
    answers = [Ether(frame) for frame in read_pcap(tmp_path / "e0-out.pcap")]
    assert len(answers) == len(targets)
    for answer in answers:
        if IPv6 in answer:
            assert (answer[IPv6].src, answer[IPv6].dst) == ("2001:db8:1::1", "2001:db8:16::1")
            assert answer[ICMPv6DestUnreach].code == 3
        else:
            assert (answer[IP].src, answer[IP].dst) == ("100.64.1.1", "16.0.0.1")
            assert (answer[ICMP].type, answer[ICMP].code) == (3, 1)


def test_what_waits_goes_with_its_interface(tmp_path: Path, ports: list[str]) -> None:
    write_pcap(tmp_path / "e0-in.pcap", frames_to("198.51.100.9", 3))
    sub = "create sub-interfaces e1 10\nset interface state e1.10 up\nset interface ip address e1.10 198.51.100.1/24\n"
    with router(tmp_path, ports, CONFIG + sub) as running:
        wait_received(running, 3)
        running.ask("delete sub-interface e1.10")
        for line in sub.splitlines():
            running.ask(line)
        running.ask(f"ip neighbor e1.10 198.51.100.9 {HOST1}")
        loops = running.ask("show runtime")
        wait_for(lambda: running.ask("show runtime") != loops, "another look")
    assert all(is_question(frame) for frame in read_pcap(tmp_path / "e1-out.pcap"))
