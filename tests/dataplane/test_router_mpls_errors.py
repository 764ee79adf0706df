"""ICMP errors about labelled packets and packets that get labels; and fragments with labels."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from mpls_frames import CONFIG, entry, labelled
from router_run import HOST0, HOST1, ROUTER0, ROUTER1, route
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import ICMP, IP, UDP, defragment
from scapy.layers.inet6 import ICMPv6PacketTooBig, ICMPv6TimeExceeded, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

SENDER, RECEIVER = "16.0.0.1", "48.0.0.1"
SENDER6, RECEIVER6 = "2001:db8:16::1", "2001:db8:48::1"
ROUTES = f"""\
ip route add 16.0.0.0/8 via 100.64.1.2
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip neighbor e0 2001:db8:1::2 {HOST0}
ip neighbor e1 2001:db8:2::2 {HOST1}
ip route add 2001:db8:16::/48 via 2001:db8:1::2
"""
SWAP = """\
mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 17
mpls local-label add 16 non-eos via 100.64.2.2 e1 out-labels 17
"""


def udp(version: int, size: int, flags: str = "") -> bytes:
    """A packet with `size` bytes of payload and a large TTL."""
    payload = UDP(sport=1, dport=2) / Raw(bytes(i % 251 for i in range(size)))
    if version == 4:
        return bytes(IP(src=SENDER, dst=RECEIVER, ttl=60, id=7, flags=flags) / payload)
    return bytes(IPv6(src=SENDER6, dst=RECEIVER6, hlim=60) / payload)


def internet_sum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def split_extension(error: bytes, words: int) -> tuple[bytes, bytes]:
    """The quotation of an error and its label stack, from the bytes behind the ICMP header (RFC 4884, RFC 4950)."""
    quoted, extension = error[:words], error[words:]
    assert extension[0] >> 4 == 2 and internet_sum(extension) == 0xFFFF
    assert struct.unpack("!HBB", extension[4:8]) == (len(extension) - 4, 1, 1)
    return quoted, extension[8:]


STACKS = [
    pytest.param(entry(16, 1, 1), id="one"),
    pytest.param(entry(16, 0, 1, 3) + entry(99, 0, 9) + entry(98, 1, 8), id="three"),
]


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("size", [0, 101, 1300])
def test_expired_label_is_told_of_with_the_stack(tmp_path: Path, stack: bytes, size: int) -> None:
    sent = udp(4, size)
    outcome = route(tmp_path, CONFIG + ROUTES + SWAP, [labelled(stack, sent)], [])
    assert outcome.counters["mpls-lookup: mpls ttl expired"] == 1
    assert outcome.counters["ip4-icmp-error: hop limit exceeded response sent"] == 1
    assert outcome.frames[1] == [] and outcome.dropped == 0
    [frame] = outcome.frames[0]
    answer = Ether(frame)
    assert (answer.src, answer.dst) == (ROUTER0, HOST0)
    assert (answer[IP].src, answer[IP].dst, answer[IP].ttl) == ("100.64.1.1", SENDER, 64)
    assert (answer[ICMP].type, answer[ICMP].code) == (11, 0)
    message = bytes(answer[IP])[20 : answer[IP].len]
    assert answer[IP].len <= 576
    assert internet_sum(message + b"\0" * (len(message) % 2)) == 0xFFFF
    quoted, told = split_extension(message[8:], message[5] * 4)
    assert told == stack
    assert len(quoted) >= 128
    kept = min(len(sent), len(quoted))
    assert quoted == sent[:kept] + b"\0" * (len(quoted) - kept)
    assert kept == len(sent) or len(message) > 540


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("size", [0, 1400])
def test_expired_label_is_told_of_in_ip6(tmp_path: Path, stack: bytes, size: int) -> None:
    sent = udp(6, size)
    outcome = route(tmp_path, CONFIG + ROUTES + SWAP, [labelled(stack, sent)], [])
    [frame] = outcome.frames[0]
    answer = Ether(frame)
    assert (answer[IPv6].src, answer[IPv6].dst) == ("2001:db8:1::1", SENDER6)
    message = bytes(answer[IPv6])[40:]
    assert (message[0], message[1]) == (3, 0)
    rebuilt = bytes(answer[IPv6].copy())
    assert rebuilt == frame[14:] and answer[ICMPv6TimeExceeded].cksum == checksum_of(frame[14:])
    quoted, told = split_extension(message[8:], message[4] * 8)
    assert told == stack and len(frame) - 14 <= 1280
    kept = min(len(sent), len(quoted))
    assert quoted == sent[:kept] + b"\0" * (len(quoted) - kept)


def checksum_of(packet: bytes) -> int:
    """The ICMPv6 checksum that the packet should have."""
    message = packet[40:42] + b"\0\0" + packet[44:]
    pseudo = packet[8:40] + struct.pack("!II", len(message), 58)
    data = pseudo + message
    return 0xFFFF - internet_sum(data + b"\0" * (len(data) % 2))


def test_no_error_about_an_error_nor_to_a_link_local_address(tmp_path: Path) -> None:
    about_error = bytes(IP(src=SENDER, dst=RECEIVER) / ICMP(type=11) / Raw(udp(4, 0)))
    from_link = bytes(IPv6(src="fe80::1", dst=RECEIVER6) / UDP())
    frames = [labelled(entry(16, 1, 1), about_error), labelled(entry(16, 1, 1), from_link)]
    outcome = route(tmp_path, CONFIG + ROUTES + SWAP, frames, [])
    assert outcome.frames == [[], []]
    assert outcome.counters == {
        "mpls-lookup: mpls ttl expired": 2,
        "ip4-icmp-error: no icmp4 error about an icmp4 error": 1,
        "mpls-icmp-error: no icmp error to a link-local address behind labels": 1,
    }


INTO_LABELS = "ip route add 48.0.0.0/8 via 100.64.2.2 e1 out-labels 100 200\n"
INTO_LABELS6 = "ip route add 2001:db8:48::/48 via 2001:db8:2::2 e1 out-labels 100 200\n"


@pytest.mark.parametrize("size", [1464, 1465, 3000])
def test_too_long_for_its_labels_is_cut(tmp_path: Path, size: int) -> None:
    config = CONFIG + ROUTES + INTO_LABELS + "set interface mtu packet 1500 e1\n"
    sent = udp(4, size)
    frame = bytes(Ether(src=HOST0, dst=ROUTER0, type=0x0800)) + sent
    outcome = route(tmp_path, config, [frame], [])
    assert outcome.dropped == 0
    payloads = []
    for frame in outcome.frames[1]:
        cut = Ether(frame)
        assert (cut.src, cut.dst, cut.type) == (ROUTER1, HOST1, 0x8847)
        assert len(frame) - 14 <= 1500
        assert frame[14:22] == entry(100, 0, 59) + entry(200, 1, 59)
        payloads.append(IP(frame[22:]))
    assert len(payloads) == (1 if size <= 1464 else (size + 8 + 1471) // 1472)
    [whole] = defragment(payloads) if len(payloads) > 1 else payloads
    assert bytes(whole[IP].payload) == sent[20:]


def test_too_long_for_its_labels_and_not_to_be_cut_is_told(tmp_path: Path) -> None:
    config = CONFIG + ROUTES + INTO_LABELS + INTO_LABELS6 + "set interface mtu packet 1500 e1\n"
    four = bytes(Ether(src=HOST0, dst=ROUTER0, type=0x0800)) + udp(4, 1470, "DF")
    six = bytes(Ether(src=HOST0, dst=ROUTER0, type=0x86DD)) + udp(6, 1450)
    outcome = route(tmp_path, config, [four, six], [])
    assert outcome.frames[1] == []
    told = [Ether(frame) for frame in outcome.frames[0]]
    [four_told] = [frame for frame in told if ICMP in frame]
    [six_told] = [frame for frame in told if ICMPv6PacketTooBig in frame]
    assert (four_told[ICMP].type, four_told[ICMP].code, four_told[ICMP].nexthopmtu) == (3, 4, 1492)
    assert six_told[ICMPv6PacketTooBig].mtu == 1492


@pytest.mark.parametrize(("version", "flags"), [(4, "DF"), (4, ""), (6, "")])
def test_labelled_and_too_long_for_its_next_link(tmp_path: Path, version: int, flags: str) -> None:
    lines = "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 17 18\nset interface mtu packet 1480 e1\n"
    outcome = route(
        tmp_path,
        CONFIG + ROUTES + lines,
        [labelled(entry(16, 1), udp(version, 1450 if version == 4 else 1440, flags))],
        [],
    )
    assert outcome.frames[1] == []
    assert outcome.counters["mpls-output: mpls MTU exceeded"] == 1
    if version == 4 and not flags:
        assert outcome.counters["mpls-icmp-error: mpls MTU exceeded and fragmentation is not done"] == 1
        return
    [told] = [Ether(frame) for frame in outcome.frames[0]]
    assert MPLS not in told
    assert (told[ICMP].nexthopmtu if version == 4 else told[ICMPv6PacketTooBig].mtu) == 1472
