"""Packets held for their next hop's MAC address: senders get errors if there is no reply, and several workers hold for
one next hop.

Replies are tested in `native/tests/test_hold.c` and `tests/system/test_first_packets.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, ROUTER1, read_pcap, router, write_pcap
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw
from shared_router import shared
from test_router_workers import TWO, needs_two_cpus

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

    with shared(tmp_path, ports, CONFIG) as running:
        wait_for(lambda: told(running.ask("show errors")) == len(targets), "the errors")
    # A request at once, and one each second after that.
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


@needs_two_cpus
def test_several_workers_hold_for_one_next_hop(tmp_path: Path) -> None:
    """Each in a queue of its own; all are sent when the next hop replies to one of the requests."""
    names = ("e0", "e1", "e2")
    wires = [f"{name}=pcap:{tmp_path}/{name}-in.pcap,{tmp_path}/{name}-out.pcap" for name in names]
    config = "".join(
        f"set interface mac address e{number} {mac}\nset interface state e{number} up\n"
        f"set interface ip address e{number} 100.64.{number}.1/24\n"
        for number, mac in enumerate((ROUTER0, ROUTER1, "02:fe:00:00:00:02"))
    )
    for number, (router_mac, host_mac) in enumerate(((ROUTER0, HOST0), (ROUTER1, HOST1))):
        ip = IP(src=f"100.64.{number}.2", dst="100.64.2.2")
        frames = [
            bytes(Ether(src=host_mac, dst=router_mac) / ip / UDP(sport=100 * number + count, dport=9) / Raw(b"x" * 40))
            for count in range(4)
        ]
        write_pcap(tmp_path / f"e{number}-in.pcap", frames)
    write_pcap(tmp_path / "e2-in.pcap", [])
    with router(tmp_path, wires, config, *TWO) as running:
        wait_for(lambda: len(running.ask("show ip neighbor-hold").splitlines()) == 3, "two workers that hold")
        threads = [line.split()[2:4] for line in running.ask("show ip neighbor-hold").splitlines()[1:]]
        assert sorted(threads) == [["4", "1"], ["4", "2"]]
        running.ask(f"ip neighbor e2 100.64.2.2 {HOST1}")
        wait_for(lambda: len(running.ask("show ip neighbor-hold").splitlines()) == 1, "workers that hold nothing")
    sent = [Ether(frame) for frame in read_pcap(tmp_path / "e2-out.pcap")]
    ports = [frame[UDP].sport for frame in sent if UDP in frame]
    # All packets, those of each worker in order.
    assert [port for port in ports if port < 100] == [0, 1, 2, 3]
    assert [port for port in ports if port >= 100] == [100, 101, 102, 103]
    assert all(frame.dst == HOST1 for frame in sent if UDP in frame)
