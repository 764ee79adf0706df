"""IPv6 in the router, byte for byte: expected packets are written by hand from the RFCs.

Two interfaces: e0 is 2001:db8:1::1/64 with a neighbor ::2, e1 is 2001:db8:2::1/64 with a neighbor ::2.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from router_run import (
    HOST0,
    HOST1,
    INTERFACES,
    ROUTER0,
    assert_conserved,
    read_pcap,
    route,
    write_pcap,
)
from scapy.layers.inet import UDP
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6ND_RS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrHopByHop,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from shared_router import shared

ADDRESSES = f"""\
{INTERFACES}set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip route add 2001:db8:4800::/40 via 2001:db8:2::2
ip route add 2001:db8:1600::/40 via 2001:db8:1::2
"""
CONFIG = ADDRESSES + f"ip neighbor e0 2001:db8:1::2 {HOST0}\nip neighbor e1 2001:db8:2::2 {HOST1}\n"

# To the router: 2001:db8:1600::1 → 2001:db8:4800::1, UDP 1025 → 12 of 18 bytes, hop limit 64.
ETHERNET = "02fe00000000 02ee00000000 86dd"
SOURCE, DESTINATION = "20010db8160000000000000000000001", "20010db8480000000000000000000001"
DATAGRAM = "0401000c 0012d9a1" + "00" * 10


def frame(*parts: str) -> bytes:
    return bytes.fromhex("".join(parts))


def to_router(payload: Packet, src: str = "2001:db8:1::2", dst: str = "2001:db8:4800::1", **fields: object) -> bytes:
    return bytes(Ether(src=HOST0, dst=ROUTER0) / IPv6(src=src, dst=dst, **fields) / payload)


def test_a_packet_is_forwarded_with_hop_limit_less_one_and_new_addresses(tmp_path: Path) -> None:
    head = "6a512345 0012 11"
    outcome = route(tmp_path, CONFIG, [frame(ETHERNET, head, "40", SOURCE, DESTINATION, DATAGRAM)], [])
    expected = frame("02ee00000001 02fe00000001 86dd", head, "3f", SOURCE, DESTINATION, DATAGRAM)
    assert outcome.frames == [[], [expected]]
    assert not any("error" in name for name in outcome.counters)


def test_an_expired_hop_limit_is_answered(tmp_path: Path) -> None:
    packet = frame("60000000 0012 11 01", SOURCE, DESTINATION, DATAGRAM)
    outcome = route(tmp_path, CONFIG, [frame(ETHERNET) + packet], [])
    # 2001:db8:1::1 → 2001:db8:1600::1, type 3 code 0, the whole packet quoted (RFC 4443 section 3.3).
    body = frame("0300 0000 00000000") + packet
    pseudo = frame("20010db8000100000000000000000001", SOURCE, f"{len(body):08x}", "0000003a")
    total = sum(int.from_bytes((pseudo + body)[i : i + 2], "big") for i in range(0, len(pseudo + body), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    message = body[:2] + (total ^ 0xFFFF).to_bytes(2, "big") + body[4:]
    head = frame("02ee00000000 02fe00000000 86dd", "60000000", f"{len(body):04x}", "3a40", pseudo[:32].hex())
    assert outcome.frames == [[head + message], []]
    assert outcome.counters["ip6-icmp-error: hop limit exceeded response sent"] == 1


def test_too_long_a_packet_is_answered_with_the_mtu(tmp_path: Path) -> None:
    packet = to_router(UDP(sport=1, dport=2) / Raw(b"x" * 1400))
    outcome = route(tmp_path, CONFIG + "set interface mtu 1300 e1\n", [packet], [])
    (answer,) = outcome.frames[0]
    assert answer[54:56] == b"\x02\0"
    assert int.from_bytes(answer[58:62], "big") == 1300
    assert len(answer) == 14 + 1280
    assert answer[62:] == packet[14 : 14 + 1280 - 48]


def test_a_ping_is_answered(tmp_path: Path) -> None:
    ping = to_router(ICMPv6EchoRequest(id=7, seq=9, data=b"payload"), dst="2001:db8:1::1", hlim=3)
    outcome = route(tmp_path, CONFIG, [ping], [])
    (answer,) = outcome.frames[0]
    reply = Ether(answer)
    assert (reply.src, reply.dst) == (ROUTER0, HOST0)
    assert (reply[IPv6].src, reply[IPv6].dst, reply[IPv6].hlim) == ("2001:db8:1::1", "2001:db8:1::2", 64)
    # The type's byte rises by one, so the checksum's upper byte falls by one.
    assert answer[54:56] == b"\x81\0"
    assert answer[58:] == ping[58:]
    assert (int.from_bytes(ping[56:58], "big") - int.from_bytes(answer[56:58], "big")) % 0xFFFF == 0x100


# The router's reply to a solicitation for 2001:db8:1::1, and the solicitation, without checksums.
def test_a_solicitation_is_answered_and_the_asker_known(tmp_path: Path) -> None:
    question = (
        Ether(src=HOST0, dst="33:33:ff:00:00:01")
        / IPv6(src="2001:db8:1::2", dst="ff02::1:ff00:1", hlim=255)
        / ICMPv6ND_NS(tgt="2001:db8:1::1")
        / ICMPv6NDOptSrcLLAddr(lladdr=HOST0)
    )
    outcome = route(tmp_path, ADDRESSES, [bytes(question)], [], ask=["show ip6 neighbors"])
    (answer,) = outcome.frames[0]
    assert answer[:14] == frame("02ee00000000 02fe00000000 86dd")
    assert answer[14:54] == frame(
        "60000000 0020 3a ff", "20010db8000100000000000000000001", "20010db8000100000000000000000002"
    )
    # Router, solicited, override; target; option 2 with the router's MAC address.
    assert answer[54:56] + answer[58:] == frame(
        "8800", "e0000000", "20010db8000100000000000000000001", "0201 02fe00000000"
    )
    assert "2001:db8:1::2" in outcome.answers[0] and HOST0 in outcome.answers[0]


def test_a_next_hop_is_asked_for(tmp_path: Path) -> None:
    packet = to_router(UDP(sport=1, dport=2) / Raw(b"x" * 30))
    outcome = route(tmp_path, ADDRESSES, [packet] * 3, [])
    # And once per second as long as packets wait.
    question, *again = outcome.frames[1]
    assert all(frame == question for frame in again)
    assert question[:14] == frame("3333ff000002 02fe00000001 86dd")
    assert question[14:54] == frame(
        "60000000 0020 3a ff", "20010db8000200000000000000000001", "ff0200000000000000000001ff000002"
    )
    assert question[54:56] + question[58:] == frame(
        "8700", "00000000", "20010db8000200000000000000000002", "0101 02fe00000001"
    )
    assert outcome.counters["ip6-discover-neighbor: packets held for a neighbor advertisement"] == 3
    assert "ip6-discover-neighbor: neighbor solicitations throttled" not in outcome.counters


def test_an_unknown_host_of_a_subnet_is_asked_for(tmp_path: Path) -> None:
    packet = to_router(UDP(sport=1, dport=2) / Raw(b"x" * 30), dst="2001:db8:2::dead:beef")
    outcome = route(tmp_path, ADDRESSES, [packet], [])
    assert [sent[:6].hex() for sent in outcome.frames[1]] == ["3333ffadbeef"]
    assert outcome.counters["ip6-glean: neighbor solicitations sent"] == 1


ND = "2001:db8:1::2"


@pytest.mark.parametrize(
    ("packet", "counter"),
    [
        (IPv6(src=ND, dst="ff02::1:ff00:1", hlim=254) / ICMPv6ND_NS(tgt="2001:db8:1::1"), "hop_limit != 255"),
        (
            IPv6(src="2001:db8:7::2", dst="ff02::1:ff00:1", hlim=255) / ICMPv6ND_NS(tgt="2001:db8:1::1"),
            "neighbor solicitations from source not on link",
        ),
        (
            IPv6(src=ND, dst="2001:db8:1::1", hlim=255) / ICMPv6ND_NS(tgt="2001:db8:1::9"),
            "neighbor solicitations for unknown targets",
        ),
        (
            IPv6(src=ND, dst="2001:db8:1::1", hlim=255)
            / ICMPv6ND_NA(tgt="2001:db8:1::1", S=1)
            / ICMPv6NDOptDstLLAddr(lladdr=HOST1),
            "neighbor advertisements of our own address",
        ),
        (
            IPv6(src=ND, dst="2001:db8:1::1", hlim=255)
            / ICMPv6ND_NA(tgt="2001:db8:7::1", S=1)
            / ICMPv6NDOptDstLLAddr(lladdr=HOST1),
            "neighbor advertisements of target not on link",
        ),
        (
            IPv6(src=ND, dst="2001:db8:1::1", hlim=255)
            / ICMPv6ND_NA(tgt=ND, S=1)
            / ICMPv6NDOptDstLLAddr(lladdr="33:33:00:00:00:01"),
            "link-layer address is a group",
        ),
        (IPv6(src="::", dst="ff02::2", hlim=255) / ICMPv6ND_RS() / ICMPv6NDOptSrcLLAddr(lladdr=HOST0), "does not go"),
    ],
)
def test_bad_neighbor_discovery_is_counted_and_changes_nothing(tmp_path: Path, packet: Packet, counter: str) -> None:
    group = packet.dst.startswith("ff02")
    target = "33:33:" + ":".join(f"{byte:02x}" for byte in bytes(packet)[36:40]) if group else ROUTER0
    outcome = route(tmp_path, ADDRESSES, [bytes(Ether(src=HOST0, dst=target) / packet)], [], ask=["show ip6 neighbors"])
    assert outcome.frames == [[], []]
    assert sum(count for name, count in outcome.counters.items() if counter in name) == 1
    assert "02:ee:" not in outcome.answers[0]
    assert_conserved(outcome)


def test_unasked_advertisements_make_no_neighbor(tmp_path: Path) -> None:
    flood = [
        bytes(
            Ether(src=HOST0, dst="33:33:00:00:00:01")
            / IPv6(src=f"2001:db8:1::{host:x}", dst="ff02::1", hlim=255)
            / ICMPv6ND_NA(tgt=f"2001:db8:1::{host:x}", S=0, O=1)
            / ICMPv6NDOptDstLLAddr(lladdr=HOST0)
        )
        for host in range(16, 316)
    ]
    outcome = route(tmp_path, ADDRESSES, flood, [], ask=["show ip6 neighbors"])
    assert outcome.frames == [[], []]
    assert "02:ee:" not in outcome.answers[0]


def test_chains_of_extension_headers_to_us_are_counted_drops(tmp_path: Path) -> None:
    chain: Packet = IPv6ExtHdrHopByHop()
    for _ in range(9):
        chain = chain / IPv6ExtHdrDestOpt()
    packet = to_router(chain / ICMPv6EchoRequest(), dst="2001:db8:1::1")
    through = to_router(chain / UDP(sport=1, dport=2))
    outcome = route(tmp_path, CONFIG, [packet] * 20 + [through] * 20, [])
    assert outcome.frames[0] == []
    assert len(outcome.frames[1]) == 20
    assert outcome.counters["ip6-local: too many ip6 extension headers"] == 20
    assert_conserved(outcome)


def test_martians_are_counted_drops(tmp_path: Path) -> None:
    bad = ("ff02::1", "::1", "::", "::ffff:10.0.0.1", "2001:db8:1::1", "fe80::9")
    packets = [to_router(UDP(sport=1, dport=2) / Raw(b"x" * 20), src=source) for source in bad]
    packets += [
        to_router(UDP(sport=1, dport=2) / Raw(b"x" * 20), dst=target) for target in ("ff0e::1", "fe80::9", "::1")
    ]
    outcome = route(tmp_path, CONFIG, packets, [])
    assert outcome.frames == [[], []]
    assert sum(count for name, count in outcome.counters.items() if name.startswith("ip6-input: ip6 ")) == len(packets)
    assert_conserved(outcome)


def test_router_advertisements_tell_of_the_prefix(tmp_path: Path) -> None:
    config = ADDRESSES + "ip6 nd e0 ra-lifetime 600\nip6 nd e0 no ra-suppress\n"
    write_pcap(tmp_path / "e0-in.pcap", [])
    ports = [f"e0=pcap:{tmp_path}/e0-in.pcap,{tmp_path}/e0-out.pcap", "e1=ring:a"]
    with shared(tmp_path, ports, config) as running:
        assert "ND router advertisements are sent" in running.ask("show ip6 interface e0")
        running.ask("ping 2001:db8:1::1 repeat 1")
    sent = read_pcap(tmp_path / "e0-out.pcap")
    advertisement = next(data for data in sent if data[54] == 134)
    assert advertisement[:22] == frame("333300000001 02fe00000000 86dd", "60000000 0040 3aff")
    # fe80::fe:ff:fe00:0 → ff02::1
    assert advertisement[22:54] == frame("fe80000000000000 00fe00fffe000000", "ff020000000000000000000000000001")
    assert advertisement[58:62] == frame("40 00 0258")
    assert advertisement[-32:] == frame("0304 40c0 00278d00 00093a80 00000000", "20010db8000100000000000000000000")


def test_the_router_pings_itself(tmp_path: Path) -> None:
    with shared(tmp_path, ["e0=ring:a", "e1=ring:b"], CONFIG) as running:
        text = running.ask("ping 2001:db8:1::1 repeat 3 interval 0.1")
        assert text.count("bytes from 2001:db8:1::1: icmp_seq=") == 3
        assert text.splitlines()[-1] == "Statistics: 3 sent, 3 received, 0% packet loss"
        assert "3 sent, 0 received, 100% packet loss" in running.ask("ping 2001:db8:1::2 repeat 3 interval 0.1")
