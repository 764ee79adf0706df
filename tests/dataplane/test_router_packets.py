"""IPv4 in the router, byte for byte: expected packets are written by hand from the RFCs.

Two interfaces: e0 is 100.64.1.1/30 with a neighbor .2, e1 is 100.64.2.1/30 with a neighbor .2.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from router_run import (
    HOST0,
    HOST1,
    INTERFACES,
    ROUTER0,
    ROUTER1,
    assert_conserved,
    read_pcap,
    route,
    wait_received,
    write_pcap,
)
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw
from shared_router import shared

ADDRESSES = (
    INTERFACES
    + """\
set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/30
ip route add 16.0.0.0/8 via 100.64.1.2
ip route add 48.0.0.0/8 via 100.64.2.2
"""
)
CONFIG = ADDRESSES + f"ip neighbor e0 100.64.1.2 {HOST0}\nip neighbor e1 100.64.2.2 {HOST1}\n"

# To the router: 16.0.0.1 → 48.0.0.1, UDP 1025 → 12, 50 bytes of IPv4, TTL 64; checksum by RFC 1071.
ETHERNET = "02fe00000000 02ee00000000 0800"
HEADER = "45000032 00000000 40113aba 10000001 30000001"
DATAGRAM = "0401000c 001e0000" + "00" * 22


def frame(*parts: str) -> bytes:
    return bytes.fromhex("".join(parts))


def checksum(data: bytes) -> int:
    """RFC 1071, of a header whose own checksum is zero."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(padded[i : i + 2], "big") for i in range(0, len(padded), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def to_router(payload: Packet, dst: str = "48.0.0.1", **fields: object) -> bytes:
    return bytes(Ether(src=HOST0, dst=ROUTER0) / IP(src="16.0.0.1", dst=dst, **fields) / payload)


def arp_to_all(sender: str = "100.64.1.2", mac: str = HOST0, **fields: object) -> bytes:
    """ARP from host 0; default: a valid request for the router's address."""
    ether = Ether(src=HOST0, dst="ff:ff:ff:ff:ff:ff")
    return bytes(ether / ARP(hwsrc=mac, psrc=sender, pdst="100.64.1.1", **fields) / Raw(b"\0" * 18))


# ---- Forwarding


def test_a_packet_is_forwarded_with_ttl_less_one_and_new_addresses(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG, [frame(ETHERNET, HEADER, DATAGRAM)], [])
    # The TTL's byte falls by one, so the checksum's upper byte rises by one (RFC 1624).
    expected = frame("02ee00000001 02fe00000001 0800", "45000032 00000000 3f113bba 10000001 30000001", DATAGRAM)
    assert outcome.frames == [[], [expected]]
    assert not any("error" in name for name in outcome.counters)


def test_packet_files_may_have_long_paths(tmp_path: Path) -> None:
    # Together they exceed 128 bytes, the limit of DPDK 24.11 for the name of a hot-plugged device.
    directory = tmp_path / ("long" * 25)[: max(1, 100 - len(str(tmp_path)))]
    directory.mkdir()
    write_pcap(directory / "in.pcap", [frame(ETHERNET, HEADER, DATAGRAM)] * 3)
    ports = [f"e0=pcap:{directory}/in.pcap,{directory}/back.pcap", f"e1=pcap:,{directory}/out.pcap"]
    with shared(tmp_path, ports, CONFIG) as running:
        wait_received(running, 3)
    assert [len(read_pcap(directory / name)) for name in ("back.pcap", "out.pcap")] == [0, 3]


def test_both_directions_at_once(tmp_path: Path) -> None:
    back = bytes(Ether(src=HOST1, dst=ROUTER1) / IP(src="48.0.0.1", dst="16.0.0.1", ttl=2) / UDP() / Raw(b"x" * 18))
    outcome = route(tmp_path, CONFIG, [frame(ETHERNET, HEADER, DATAGRAM)] * 300, [back] * 300)
    assert [len(frames) for frames in outcome.frames] == [300, 300]
    assert outcome.frames[0][0][:14] == frame("02ee00000000 02fe00000000 0800")
    assert {sent[22] for sent in outcome.frames[0]} == {1}


def test_a_checksum_at_its_edge_stays_right(tmp_path: Path) -> None:
    # Cases in which the checksum after the decrement is 0x0000, 0xffff or close to it (RFC 1624 section 3).
    packets = []
    for ident in range(0x3A00, 0x3C00):
        header = bytearray(frame("45000032", f"{ident:04x}0000", "4011 0000 10000001 30000001"))
        header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
        packets.append(frame(ETHERNET) + bytes(header) + frame(DATAGRAM))
    outcome = route(tmp_path, CONFIG, packets, [])
    assert len(outcome.frames[1]) == len(packets)
    for sent in outcome.frames[1]:
        header = bytearray(sent[14:34])
        stored = int.from_bytes(header[10:12], "big")
        header[10:12] = b"\0\0"
        assert stored == checksum(bytes(header))


def test_a_fragment_is_forwarded_like_any_packet(tmp_path: Path) -> None:
    packet = to_router(Raw(b"f" * 40), flags="MF", frag=100, proto=17, ttl=9)
    outcome = route(tmp_path, CONFIG, [packet], [])
    assert outcome.frames[1][0][34:] == packet[34:]
    assert outcome.frames[1][0][20:22] == packet[20:22]


# ---- ICMP errors


# 100.64.1.1 → 16.0.0.1, 78 bytes: 20 of IPv4, 8 of ICMP, 50 quoted. TOS 0xc0 (RFC 1812 section 4.3.2.5).
ERROR_HEAD = "02ee00000000 02fe00000000 080045c0004e 00000000 400104ae 64400101 10000001"


def test_an_expired_ttl_is_answered(tmp_path: Path) -> None:
    expired = "45000032 00000000 011179ba 10000001 30000001"
    outcome = route(tmp_path, CONFIG, [frame(ETHERNET, expired, DATAGRAM)], [])
    # Type 11 code 0. The quoted header adds up to 0xffff, the rest to 0x042b, so the checksum is ~0x0f2b.
    assert outcome.frames == [[frame(ERROR_HEAD, "0b00f0d4 00000000", expired, DATAGRAM)], []]
    assert outcome.counters["ip4-rewrite: ip4 ttl <= 1"] == 1
    assert outcome.counters["ip4-icmp-error: hop limit exceeded response sent"] == 1


def test_no_route_is_answered(tmp_path: Path) -> None:
    lost = "45000032 00000000 401107ba 10000001 63000001"
    outcome = route(tmp_path, CONFIG, [frame(ETHERNET, lost, DATAGRAM)], [])
    # Type 3 code 0, network unreachable: ~(0x0300 + 0x042b).
    assert outcome.frames == [[frame(ERROR_HEAD, "0300f8d4 00000000", lost, DATAGRAM)], []]


def test_a_packet_too_big_to_go_unfragmented_is_answered_with_the_mtu(tmp_path: Path) -> None:
    packet = to_router(UDP() / Raw(b"b" * 1372), flags="DF", ttl=64)
    assert len(packet) == 14 + 1400
    config = CONFIG + "set interface mtu packet 1399 e1\n"
    outcome = route(tmp_path, config, [packet, to_router(UDP() / Raw(b"b" * 1371), flags="DF")], [])
    assert len(outcome.frames[1]) == 1
    answer = outcome.frames[0][0]
    # RFC 1191: type 3 code 4, the next hop's MTU in the last 16 bits; RFC 1812: as much as 576 bytes hold.
    assert len(answer) == 14 + 576
    assert answer[34:36] == frame("0304")
    assert answer[38:42] == frame("00000577")
    assert answer[42:] == packet[14 : 14 + 548]
    assert checksum(answer[14:24] + b"\0\0" + answer[26:34]) == int.from_bytes(answer[24:26], "big")
    assert checksum(answer[34:36] + b"\0\0" + answer[38:]) == int.from_bytes(answer[36:38], "big")


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (to_router(ICMP(type=11), ttl=1), "no icmp4 error about an icmp4 error"),
        (to_router(Raw(b"f" * 40), ttl=1, frag=7, proto=17), "no icmp4 error about a later fragment"),
    ],
)
def test_some_packets_get_no_icmp_error(tmp_path: Path, packet: bytes, reason: str) -> None:
    outcome = route(tmp_path, CONFIG, [packet], [])
    assert outcome.frames == [[], []]
    assert outcome.counters[f"ip4-icmp-error: {reason}"] == 1
    assert_conserved(outcome)


def test_a_ping_that_expires_is_answered_as_well(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG, [to_router(ICMP() / Raw(b"x" * 32), ttl=1)], [])
    assert outcome.frames[0][0][34] == 11


def test_icmp_errors_are_limited_in_rate(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG, [to_router(UDP() / Raw(b"x" * 22), ttl=1)] * 2000, [])
    limited = outcome.counters["ip4-icmp-error: icmp4 error rate limited"]
    assert len(outcome.frames[0]) + limited == 2000
    # A tenth of a second's limit may be sent at once, however long the rest takes.
    assert 100 <= len(outcome.frames[0]) < 2000
    assert_conserved(outcome)


# ---- Packets to the router


def test_a_ping_is_answered(tmp_path: Path) -> None:
    data = "00010002 6162636465666768"
    request = frame(ETHERNET, "45000024 12340000 40019e22 64400102 64400101", "08006667", data)
    outcome = route(tmp_path, CONFIG, [request], [])
    # RFC 792: addresses swapped, type 0. Its checksum rises by 0x0800; swapping changes no sum.
    reply = "45000024 12340000 40019e22 64400101 64400102", "00006e67", data
    assert outcome.frames == [[frame("02ee00000000 02fe00000000 0800", *reply)], []]


def test_a_ping_to_the_far_address_is_answered(tmp_path: Path) -> None:
    request = to_router(ICMP(id=7) / Raw(b"z" * 1400), dst="100.64.2.1")
    outcome = route(tmp_path, CONFIG, [request], [])
    (reply,) = outcome.frames[0]
    assert reply[26:34] == frame("64400201 10000001")
    assert reply[34:36] == b"\0\0" and reply[38:] == request[38:]


def test_udp_to_the_router_is_refused(tmp_path: Path) -> None:
    packet = to_router(UDP(dport=9) / Raw(b"x" * 22), dst="100.64.1.1")
    (answer,) = route(tmp_path, CONFIG, [packet], []).frames[0]
    assert answer[34:36] == frame("0303")
    assert answer[42:] == packet[14:]


# ---- ARP


def arp(operation: str, *fields: str) -> str:
    return "".join(["0806 0001 0800 06 04", operation, *fields])


def test_arp_is_answered(tmp_path: Path) -> None:
    padding = "00" * 18
    request = frame("ffffffffffff 02ee00000000", arp("0001", "02ee00000000 64400102", "000000000000 64400101"), padding)
    outcome = route(tmp_path, ADDRESSES, [request], [], ask=["show ip neighbors"])
    reply = frame("02ee00000000 02fe00000000", arp("0002", "02fe00000000 64400101", "02ee00000000 64400102"), padding)
    assert outcome.frames == [[reply], []]
    assert outcome.answers[0].splitlines()[1].split()[1:] == ["100.64.1.2", "DS", HOST0, "e0"]


def test_an_unknown_next_hop_is_asked_for_once_a_second(tmp_path: Path) -> None:
    outcome = route(tmp_path, ADDRESSES, [frame(ETHERNET, HEADER, DATAGRAM)] * 50, [], ask=["show ip neighbors"])
    request = frame("ffffffffffff 02fe00000001", arp("0001", "02fe00000001 64400201", "000000000000 64400202"))
    assert outcome.frames[1][0] == request
    # The first four are held for the reply, one of them as a copy next to the request.
    assert outcome.counters["ip4-arp: ARP requests throttled"] == 46
    assert outcome.counters["ip4-arp: packets held for an ARP reply"] == 4
    assert outcome.answers[0].splitlines()[-1].split()[1:] == ["100.64.2.2", "I", "-", "e1"]


def test_a_connected_destination_is_asked_for_itself(tmp_path: Path) -> None:
    config = ADDRESSES.replace("100.64.2.1/30", "100.64.2.1/24")
    packet = to_router(UDP(), dst="100.64.2.77")
    (request,) = route(tmp_path, config, [packet], []).frames[1]
    assert request[38:42] == frame("6440024d")


def test_what_arp_taught_is_forwarded_to(tmp_path: Path) -> None:
    reply = ARP(op=2, hwsrc=HOST1, psrc="100.64.2.2", hwdst=ROUTER1, pdst="100.64.2.1")
    claim = bytes(Ether(src=HOST1, dst=ROUTER1) / reply)
    outcome = route(tmp_path, ADDRESSES, [], [claim], ask=["show ip fib 48.1.2.3"])
    assert "ipv4 via 100.64.2.2 e1: mtu:1500 flags:[] 02ee0000000102fe000000010800" in outcome.answers[0]


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (arp_to_all(sender="9.9.9.9"), "IP4 source address not local to subnet"),
        (arp_to_all(sender="100.64.1.1"), "IP4 source address matches local interface"),
        (arp_to_all(mac=HOST1), "ARP hw addr does not match L2 frame src addr"),
        (arp_to_all(op=9), "ARP opcode neither request nor reply"),
        (arp_to_all(hwtype=6), "ARP hw type not ethernet"),
        (arp_to_all(ptype=0x86DD), "ARP protocol type not IP4"),
    ],
)
def test_arp_that_lies_is_dropped(tmp_path: Path, packet: bytes, reason: str) -> None:
    outcome = route(tmp_path, ADDRESSES, [packet], [], ask=["show ip neighbors e0"])
    assert outcome.frames == [[], []]
    assert outcome.counters == {f"arp-input: {reason}": 1}
    assert " D " not in outcome.answers[0]


# ---- Cross-connect


def test_a_cross_connect_changes_nothing(tmp_path: Path) -> None:
    frames = [
        frame(ETHERNET, HEADER, DATAGRAM),
        bytes(Ether(src=HOST0, dst=HOST1) / Dot1Q(vlan=100) / IP(ttl=1) / TCP()),
        bytes(Ether(src=HOST0, dst="ff:ff:ff:ff:ff:ff") / ARP()),
        frame("ffffffffffff 02ee00000000 8847 00010140") + b"mpls" * 30,
        frame("01005e000001 02ee00000000 0800", "00" * 46),
        b"\x02" * 1514,
    ]
    config = INTERFACES + "set interface l2 xconnect e0 e1\nset interface l2 xconnect e1 e0\n"
    outcome = route(tmp_path, config, frames, list(reversed(frames)))
    assert outcome.frames == [list(reversed(frames)), frames]
    assert outcome.dropped == 0


def test_a_cross_connect_goes_one_way_unless_asked_for_both(tmp_path: Path) -> None:
    config = CONFIG + "set interface l2 xconnect e0 e1\n"
    back = bytes(Ether(src=HOST1, dst=ROUTER1) / IP(src="48.0.0.1", dst="16.0.0.1") / UDP())
    outcome = route(tmp_path, config, [b"\x04" * 64], [back])
    assert outcome.frames[1] == [b"\x04" * 64]
    assert outcome.frames[0][0][:6] == frame("02ee00000000")


# ---- What is wrong


def bad_ip(changed: dict[int, str]) -> bytes:
    """The valid packet with changed bytes in its IPv4 header, and a right checksum."""
    header = bytearray(frame(HEADER))
    for at, value in changed.items():
        header[at : at + len(value) // 2] = bytes.fromhex(value)
    if 10 not in changed:
        header[10:12] = b"\0\0"
        header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    return frame(ETHERNET) + bytes(header) + frame(DATAGRAM)


GROUP = "ip4 in a multicast or broadcast frame"
BAD = [
    (bad_ip({10: "3abb"}), "ip4-input: bad ip4 checksum"),
    (bad_ip({0: "65"}), "ip4-input: ip4 version != 4"),
    (bad_ip({0: "44"}), "ip4-input: bad ip4 header length"),
    (bad_ip({0: "4f"}), "ip4-input: bad ip4 header length"),
    (bad_ip({2: "0033"}), "ip4-input: ip4 length > l2 length"),
    (bad_ip({2: "0013"}), "ip4-input: ip4 length > l2 length"),
    (frame(ETHERNET, HEADER)[:33], "ip4-input: ip4 length < 20 bytes"),
    (bad_ip({12: "00000001"}), "ip4-input: ip4 source in 0.0.0.0/8"),
    (bad_ip({12: "7f000001"}), "ip4-input: ip4 source in 127.0.0.0/8"),
    (bad_ip({12: "e0000001"}), "ip4-input: ip4 source is multicast"),
    (bad_ip({12: "f0000001"}), "ip4-input: ip4 source in 240.0.0.0/4"),
    (bad_ip({12: "ffffffff"}), "ip4-input: ip4 source is broadcast"),
    (bad_ip({12: "64400101"}), "ip4-input: ip4 source is our own address or network"),
    (bad_ip({12: "64400103"}), "ip4-input: ip4 source is our own address or network"),
    (bad_ip({16: "00000001"}), "ip4-input: ip4 destination in 0.0.0.0/8"),
    (bad_ip({16: "7f000001"}), "ip4-input: ip4 destination in 127.0.0.0/8"),
    (bad_ip({16: "e0000001"}), "ip4-input: ip4 multicast is not routed"),
    (bad_ip({16: "ffffffff"}), "ip4-input: ip4 destination is broadcast"),
    (frame("02fe00000099 02ee00000000 0800", HEADER, DATAGRAM), "ethernet-input: l3 mac mismatch"),
    (
        frame("ffffffffffff 02ee00000000 0800", HEADER, DATAGRAM),
        f"ethernet-input: {GROUP}",
    ),
    (frame("02fe00000000 02ee00000000 81000064 0800", HEADER, DATAGRAM), "ethernet-input: unknown vlan"),
    (frame("02fe00000000 02ee00000000 86dd", "00" * 60), "ip6-input: ip6 version != 6"),
    (frame("02fe00000000 02ee00000000 88cc", "00" * 60), "ethernet-input: unknown ethernet type"),
    (b"\x02\xfe\x00", "ethernet-input: frame shorter than its header"),
]


def test_every_bad_packet_is_a_counted_drop(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG, [packet for packet, _ in BAD], [])
    assert outcome.frames == [[], []]
    expected: dict[str, int] = {}
    for _, reason in BAD:
        expected[reason] = expected.get(reason, 0) + 1
    assert outcome.counters == expected
    assert_conserved(outcome)


def test_packets_of_every_length_do_no_harm(tmp_path: Path) -> None:
    whole = [
        frame(ETHERNET, HEADER, DATAGRAM),
        frame(ETHERNET, HEADER.replace("40113aba", "011179ba"), DATAGRAM),
        to_router(ICMP() / Raw(b"x" * 22), dst="100.64.1.1"),
        to_router(UDP() / Raw(b"x"), dst="100.64.1.1", options=[IPOption_NOP()] * 8),
        arp_to_all(),
    ]
    cut = [packet[:length] for packet in whole for length in range(1, len(packet))]
    outcome = route(tmp_path, CONFIG, [*cut, frame(ETHERNET, HEADER, DATAGRAM)], [])
    assert len(outcome.frames[1][-1]) == 64
    # An ARP packet is whole at 42 bytes and answered; an IPv4 packet is not whole before its last byte.
    assert all(sent[12:14] == b"\x08\x06" for sent in outcome.frames[0])
    assert_conserved(outcome)


def test_an_interface_that_is_down_passes_nothing(tmp_path: Path) -> None:
    packets = [frame(ETHERNET, HEADER, DATAGRAM)]
    (tmp_path / "in").mkdir()
    inbound = route(tmp_path / "in", CONFIG + "set interface state e0 down\n", packets, [])
    assert inbound.frames == [[], []]
    assert inbound.counters == {"ethernet-input: interface is down": 1}
    outbound = route(tmp_path, CONFIG + "set interface state e1 down\n", packets, [])
    assert outbound.frames == [[], []]
    assert outbound.counters == {"e1-output: interface is down": 1}
