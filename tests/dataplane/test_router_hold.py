"""Packets that wait for their next hop's MAC address: who sent them is told when nobody answers. (Those that are
answered: `native/tests/test_hold.c`, `tests/system/test_first_packets.py`.)"""

from __future__ import annotations

from pathlib import Path

import pytest
from router_run import HOST0, INTERFACES, ROUTER0, read_pcap, router, wait_for, write_pcap
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from wirespeed.dut.errors import parse_errors

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
    assert all(map(is_question, questions)) and 2 * len(targets) <= len(questions) <= 3 * len(targets)
    answers = [Ether(frame) for frame in read_pcap(tmp_path / "e0-out.pcap")]
    assert len(answers) == len(targets)
    for answer in answers:
        if IPv6 in answer:
            assert (answer[IPv6].src, answer[IPv6].dst) == ("2001:db8:1::1", "2001:db8:16::1")
            assert answer[ICMPv6DestUnreach].code == 3
        else:
            assert (answer[IP].src, answer[IP].dst) == ("100.64.1.1", "16.0.0.1")
            assert (answer[ICMP].type, answer[ICMP].code) == (3, 1)
