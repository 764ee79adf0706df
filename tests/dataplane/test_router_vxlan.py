"""VXLAN tunnels, byte for byte: the outer headers are written by hand from RFC 7348, RFC 768 and RFC 8200."""

from __future__ import annotations

import pytest
from router_run import HOST1, INTERFACES, ROUTER1, assert_conserved, route, router
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from wirespeed.errors import EnvironmentFault, UsageError

INNER = bytes(Ether(src="02:aa:00:00:00:0a", dst="02:bb:00:00:00:0b", type=0x88B5) / Raw(bytes(range(100))))
VXLAN = bytes.fromhex("0800000000006400")
"""The flag that says there is a VNI, and VNI 100."""
ENDS = {4: ("10.3.0.1", "10.3.0.2"), 6: ("2001:db8::1", "2001:db8::2")}


def setup(version: int) -> str:
    ours, theirs = ENDS[version]
    return INTERFACES + (
        f"set interface ip address e1 {ours}/{24 if version == 4 else 64}\n"
        f"ip neighbor e1 {theirs} {HOST1}\n"
        f"create vxlan tunnel src {ours} dst {theirs} vni 100\n"
        "set interface state vxlan_tunnel0 up\n"
        "set interface l2 xconnect e0 vxlan_tunnel0\nset interface l2 xconnect vxlan_tunnel0 e0\n"
    )


def outer(version: int, *, vni: bytes = VXLAN, checksum: int | None = None, source: str | None = None) -> bytes:
    ours, theirs = ENDS[version]
    udp = UDP(sport=50000, dport=4789, chksum=checksum) / Raw(vni + INNER)
    ip = IP(src=source or theirs, dst=ours) if version == 4 else IPv6(src=source or theirs, dst=ours)
    return bytes(Ether(src=HOST1, dst=ROUTER1) / ip / udp)


@pytest.mark.parametrize("version", [4, 6])
def test_frames_go_out_in_udp(tmp_path, version):
    outcome = route(tmp_path, setup(version), [INNER, INNER], [])
    assert_conserved(outcome)
    ours, theirs = ENDS[version]
    first, second = outcome.frames[1]
    assert first == second
    sent = Ether(first)
    ip = sent[IP] if version == 4 else sent[IPv6]
    assert (sent.src, sent.dst, ip.src, ip.dst) == (ROUTER1, HOST1, ours, theirs)
    assert sent[UDP].dport == 4789 and sent[UDP].sport >= 49152
    assert bytes(sent[UDP].payload) == VXLAN + INNER
    assert (sent[UDP].chksum == 0) == (version == 4)
    # What scapy works out for itself is the same: lengths and checksums are right.
    again = sent.copy()
    for layer, fields in ((type(ip), ("len", "chksum", "plen")), (UDP, ("len", "chksum")[: 1 if version == 4 else 2])):
        for field in fields:
            if field in again[layer].fields:
                again[layer].delfieldval(field)
    assert bytes(again) == first


@pytest.mark.parametrize("version", [4, 6])
def test_frames_come_out_of_udp(tmp_path, version):
    wrong = outer(version, checksum=0x1234)
    frames = [outer(version), outer(version, checksum=0), wrong, outer(version, vni=VXLAN[:6] + b"\x65\0")]
    frames += [outer(version, vni=bytes(8)), outer(version, source="10.3.0.9" if version == 4 else "2001:db8::9")]
    outcome = route(tmp_path, setup(version), [], frames)
    assert_conserved(outcome)
    assert outcome.frames[0] == [INNER, INNER]
    reasons = ("bad udp checksum", "no such tunnel", "vxlan header without a VNI")
    assert [outcome.counters[f"vxlan{version}-input: {reason}"] for reason in reasons] == [1, 2, 1]


def test_tunnel_that_cannot_be_is_refused_in_one_line(tmp_path):
    with router(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running:
        make = "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100"
        assert running.ask(make) == "vxlan_tunnel0\n"
        for line, reason in (
            (make, "vxlan_tunnel0 has VNI 100 to 10.3.0.2 already"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.1 vni 7", "name the other end"),
            ("create vxlan tunnel src 10.3.0.1 dst 2001:db8::1 vni 7", "of one family"),
            ("create vxlan tunnel src 10.3.0.1 dst 224.0.0.1 vni 7", "224.0.0.1 is none"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 16777216", "between 1 and 16777215"),
            ("create vxlan tunnel src 10.3.0.1 vni 7", "a tunnel needs dst"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.3 vni 7 instance 0", "vxlan_tunnel0 already"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.3 vni 7 encap-vrf-id 9", "no IPv4 table 9"),
        ):
            with pytest.raises(UsageError, match=reason):
                running.ask(line)
        assert running.ask("show vxlan tunnel").startswith("[0] instance 0 src 10.3.0.1 dst 10.3.0.2 ")
        assert running.ask(f"{make} del") == ""
        assert running.ask("show vxlan tunnel") == "No vxlan tunnels configured...\n"
        assert running.ask(make) == "vxlan_tunnel0\n"


def test_a_table_that_routes_a_tunnel_stays(tmp_path):
    with router(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running:
        make = "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100 encap-vrf-id 7"
        running.ask("ip table add 7")
        assert running.ask(make) == "vxlan_tunnel0\n"
        with pytest.raises(EnvironmentFault, match="table 7 is looked up by tunnels"):
            running.ask("ip table del 7")
        running.ask(f"{make} del")
        assert running.ask("ip table del 7") == ""
