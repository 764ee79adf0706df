"""Unsolicited announcements of addresses, byte for byte: RFC 5227 section 3, RFC 4861 section 7.2.6, RFC 3810 section
5.2.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from pathlib import Path

from harness.waiting import wait_for
from router_run import INTERFACES, ROUTER1, read_pcap, route, write_pcap
from scapy.layers.inet6 import ICMPv6MLReport2, ICMPv6ND_NA, IPv6, IPv6ExtHdrHopByHop
from scapy.layers.l2 import ARP, Ether
from shared_router import shared

ADDRESSES = "set interface ip address e1 10.0.0.1/24\nset interface ip address e1 2001:db8::1/64\n"
LINK_LOCAL = "fe80::fe:ff:fe00:1"


def test_nothing_is_announced_unless_it_is_asked_for(tmp_path):
    outcome = route(tmp_path, INTERFACES + ADDRESSES, [], [])
    assert outcome.frames == [[], []]


def announced(directory: Path, config: str, count: int) -> list[list[bytes]]:
    """Frames that e0 and e1 send by themselves; e1 at least `count`."""
    ports = []
    for name in ("e0", "e1"):
        write_pcap(directory / f"{name}-in.pcap", [])
        ports.append(f"{name}=pcap:{directory}/{name}-in.pcap,{directory}/{name}-out.pcap")
    with shared(directory, ports, config) as running:
        wait_for(
            lambda: count <= sum(map(int, re.findall(r"tx packets +(\d+)", running.ask("show interface e1")))),
            f"{count} announcements",
        )
    return [read_pcap(directory / f"{name}-out.pcap") for name in ("e0", "e1")]


def test_addresses_are_announced_by_arp_advertisements_and_reports(tmp_path):
    config = "set ip neighbor-config ip4 announce on\nset ip neighbor-config ip6 announce on\n" + INTERFACES + ADDRESSES
    # Two rounds of one ARP request, two advertisements and a report.
    silent, frames = announced(tmp_path, config, 8)
    assert silent == []
    sent = [Ether(frame) for frame in frames]
    arps = [frame for frame in sent if ARP in frame]
    assert {(frame.src, frame.dst, frame[ARP].op) for frame in arps} == {(ROUTER1, "ff:ff:ff:ff:ff:ff", 1)}
    assert {(frame[ARP].psrc, frame[ARP].pdst, frame[ARP].hwsrc) for frame in arps} == {
        ("10.0.0.1", "10.0.0.1", ROUTER1)
    }
    told = [frame for frame in sent if ICMPv6ND_NA in frame]
    assert {frame[ICMPv6ND_NA].tgt for frame in told} == {"2001:db8::1", LINK_LOCAL}
    for frame in told:
        message = frame[ICMPv6ND_NA]
        assert (frame.dst, frame[IPv6].dst, frame[IPv6].src) == ("33:33:00:00:00:01", "ff02::1", message.tgt)
        assert (message.R, message.S, message.O, message.lladdr) == (1, 0, 1, ROUTER1)
    reports = [frame for frame in sent if ICMPv6MLReport2 in frame]
    assert (len(arps), len(told), len(reports)) == (2, 4, 2)
    for frame in reports:
        assert (frame.dst, frame[IPv6].dst, frame[IPv6].src) == ("33:33:00:00:00:16", "ff02::16", LINK_LOCAL)
        assert IPv6ExtHdrHopByHop in frame
        # Records of 20 bytes, with the group at the end.
        message = bytes(frame[ICMPv6MLReport2])
        assert message[6:8] == b"\0\2"
        groups = {str(IPv6Address(message[end - 16 : end])) for end in (28, 48)}
        assert groups == {"ff02::2", "ff02::1:ff00:1"}
    assert len(arps) + len(told) + len(reports) == len(sent)
