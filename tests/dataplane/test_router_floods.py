"""Floods and storms: tables stay bounded, every packet is accounted for, and forwarding continues."""

from __future__ import annotations

import random
import struct
from ipaddress import ip_address
from pathlib import Path

import pytest
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, ROUTER1, Outcome, assert_conserved, route
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Raw

LIAR = "02:bb:00:00:00:01"
CONFIG = f"""\
{INTERFACES}set interface ip address e0 10.0.0.1/16
set interface ip address e1 10.1.0.1/24
set interface ip address e0 2001:db8::1/64
set interface ip address e1 2001:db8:1::1/64
ip neighbor e0 10.0.0.2 {HOST0}
ip neighbor e1 10.1.0.2 {HOST1}
ip neighbor e0 2001:db8::2 {HOST0}
ip neighbor e1 2001:db8:1::2 {HOST1}
"""
# More than the router's default limit.
HOSTS = 6000
MOST_NEIGHBORS = 4096
UDP_64 = UDP(sport=1, dport=2) / Raw(b"x" * 20)


def number_of(first: str, host: int) -> str:
    return str(ip_address(first) + host)


def mac_of(host: int) -> str:
    return f"02:ee:00:00:{host >> 8:02x}:{host & 255:02x}"


def arp(sender: str, mac: str) -> bytes:
    """A request for the router's address, built by hand, since scapy takes milliseconds for each."""
    hardware = bytes.fromhex(mac.replace(":", ""))
    header = b"\xff" * 6 + hardware + bytes.fromhex("0806 0001 0800 06 04 0001")
    return header + hardware + ip_address(sender).packed + bytes(6) + ip_address("10.0.0.1").packed + bytes(18)


def checksum(data: bytes) -> bytes:
    """RFC 1071, of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", (total + (total >> 16)) & 0xFFFF ^ 0xFFFF)


def solicitation(sender: str, mac: str) -> bytes:
    hardware, target = bytes.fromhex(mac.replace(":", "")), ip_address("2001:db8::1").packed
    addresses = ip_address(sender).packed + target
    message = bytes([135, 0, 0, 0]) + bytes(4) + target + bytes([1, 1]) + hardware
    length = struct.pack("!H", len(message))
    message = message[:2] + checksum(addresses + length + b"\0\x3a" + message) + message[4:]
    header = bytes.fromhex("60000000") + length + b"\x3a\xff"
    return bytes.fromhex(ROUTER0.replace(":", "")) + hardware + b"\x86\xdd" + header + addresses + message


def bound_for(destination: str, frame: bytes) -> bytes:
    """The frame with another destination; its UDP checksum, which routers do not check, is then wrong."""
    address = ip_address(destination).packed
    if len(address) == 16:
        return frame[:38] + address + frame[54:]
    header = frame[14:24] + b"\0\0" + frame[26:30] + address
    return frame[:14] + header[:10] + checksum(header) + header[12:] + frame[34:]


def transit(src: str, dst: str) -> bytes:
    """From the host behind e1."""
    ip = IPv6(src=src, dst=dst) if ":" in dst else IP(src=src, dst=dst)
    return bytes(Ether(src=HOST1, dst=ROUTER1) / ip / UDP_64)


def neighbors(outcome: Outcome) -> list[str]:
    return [line for line in outcome.answers[0].splitlines() if " e0" in line or " e1" in line]


FAMILIES = [
    pytest.param("10.0.1.0", "10.0.0.2", "10.1.0.2", "show ip neighbors", arp, id="ip4"),
    pytest.param("2001:db8::100", "2001:db8::2", "2001:db8:1::2", "show ip6 neighbors", solicitation, id="ip6"),
]


@pytest.mark.parametrize(("first", "near", "far", "show", "question"), FAMILIES)
def test_questions_of_thousands_of_hosts_fill_no_more_than_the_table(
    tmp_path: Path, first: str, near: str, far: str, show: str, question: type
) -> None:
    burst = [question(number_of(first, host), mac_of(host)) for host in range(HOSTS)]
    lies = [question(near, LIAR)] * 50
    outcome = route(tmp_path, CONFIG, burst + lies, [transit(far, near)] * 50, ask=[show])
    assert 2 <= len(neighbors(outcome)) <= MOST_NEIGHBORS
    assert LIAR not in outcome.answers[0]
    arrived = [frame for frame in outcome.frames[0] if frame[:6] == bytes.fromhex(HOST0.replace(":", ""))]
    assert sum(frame.endswith(b"x" * 20) for frame in arrived) == 50
    assert_conserved(outcome)


@pytest.mark.parametrize(("first", "near", "far", "show", "question"), FAMILIES)
def test_packets_to_thousands_of_absent_hosts_fill_no_more_than_the_table(
    tmp_path: Path, first: str, near: str, far: str, show: str, question: type
) -> None:
    one = transit(far, near)
    scan = [bound_for(number_of(first, host), one) for host in range(HOSTS)]
    outcome = route(tmp_path, CONFIG, [], [*scan, *[one] * 50], ask=[show])
    assert len(neighbors(outcome)) <= MOST_NEIGHBORS
    assert sum(frame.endswith(b"x" * 20) for frame in outcome.frames[0]) == 50
    assert_conserved(outcome)


def labels(count: int) -> bytes:
    return b"".join((label << 12 | (label == count - 1) << 8 | 64).to_bytes(4, "big") for label in range(count))


def tags(count: int) -> Packet:
    packet: Packet = Ether(src=HOST0, dst=ROUTER0)
    for tag in range(count):
        packet = packet / (Dot1AD(vlan=tag + 1) if tag % 2 else Dot1Q(vlan=tag + 1))
    return packet / IP(src="10.0.0.2", dst="10.1.0.2") / UDP_64


def options(draw: random.Random, dst: str) -> bytes:
    """Options of any kind and length, valid or not."""
    length = draw.randrange(4, 44, 4)
    header = IP(src="10.0.0.2", dst=dst, ihl=5 + length // 4)
    payload = ICMP() / Raw(b"p" * 8) if dst == "10.0.0.1" else UDP_64
    text = bytes(header / Raw(draw.randbytes(length)) / payload)
    return bytes(Ether(src=HOST0, dst=ROUTER0)) + bytes(IP(text[:20])) + text[20:]


def test_a_storm_of_what_nobody_sends_is_accounted_for(tmp_path: Path) -> None:
    draw = random.Random(1)
    storm = [bytes(Ether(src=HOST0, dst=ROUTER0, type=0x8847)) + labels(count) for count in (0, 1, 2, 17, 350)] * 20
    storm += [bytes(tags(count)) for count in range(1, 40)] * 5
    storm += [options(draw, dst) for dst in ("10.0.0.1", "10.1.0.2") for _ in range(300)]
    draw.shuffle(storm)
    good = bytes(Ether(src=HOST0, dst=ROUTER0) / IP(src="10.0.0.2", dst="10.1.0.2", id=7) / UDP_64)
    config = CONFIG + "mpls table add 0\nset interface mpls e0 enable\n"
    outcome = route(tmp_path, config, storm + [good] * 50, [])
    assert sum(frame[18:20] == b"\0\7" for frame in outcome.frames[1]) == 50
    assert_conserved(outcome)
