"""VXLAN tunnels, byte for byte: the outer headers are written by hand from RFC 7348, RFC 768 and RFC 8200."""

from __future__ import annotations

import re
from typing import Any

import pytest
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, ROUTER1, assert_conserved, route
from scapy.layers.inet import IP, UDP, IPOption, fragment
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from shared_router import shared

from wirespeed.errors import EnvironmentFault, UsageError

INNER = bytes(Ether(src="02:aa:00:00:00:0a", dst="02:bb:00:00:00:0b", type=0x88B5) / Raw(bytes(range(100))))
VXLAN = bytes.fromhex("0800000000006400")
"""The flag for a VNI, and VNI 100."""
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
    # scapy computes the same: lengths and checksums are right.
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


def numbered(number: int) -> bytes:
    payload = number.to_bytes(2, "big") * (30 + number % 7)
    return bytes(Ether(src="02:aa:00:00:00:0a", dst="02:bb:00:00:00:0b", type=0x88B5) / Raw(payload))


def carrier(
    number: int,
    *,
    vni: int = 100,
    bits: int = 8,
    port: int = 4789,
    checksum: int = 0,
    tail: bytes = b"",
    **ip: Any,
) -> bytes:
    head = bytes([bits, 0, 0, 0]) + vni.to_bytes(3, "big") + b"\x07"
    udp = UDP(sport=50000 + number, dport=port, chksum=checksum) / Raw(head + numbered(number))
    return bytes(Ether(src=HOST1, dst=ROUTER1) / IP(**{"src": ENDS[4][1], "dst": ENDS[4][0], **ip}) / udp) + tail


def test_one_after_the_other_each_is_looked_at(tmp_path):
    """Consecutive packets of a tunnel are processed eight at a time by their common fields; a difference in one has an
    effect on it only, at any position.
    """
    config = setup(4) + (
        "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 101\nset interface state vxlan_tunnel1 up\n"
        "set interface state e2 up\nset interface l2 xconnect e2 vxlan_tunnel1\n"
        "set interface l2 xconnect vxlan_tunnel1 e2\n"
    )
    odd: list[dict[str, Any]] = [
        {"vni": 101},
        {"vni": 102},
        {"bits": 0},
        {"bits": 0xFF},
        {"checksum": 0x1234},
        {"src": "10.3.0.9"},
        {"tos": 0xB8},
        {"tail": bytes(9)},
        {"options": [IPOption(b"\x01\x01\x01\x00")]},
        {},
        {"vni": 101, "tos": 4},
        {"flags": "DF"},
        {"flags": "MF"},
        {"frag": 1},
        {"proto": 6},
        {"port": 4790},
    ]
    frames: list[bytes] = []
    odd_ones = [24 * kind + 16 + 3 * kind % 8 for kind in range(len(odd))]
    for kind, fields in enumerate(odd):
        frames += [carrier(n, **(fields if n in odd_ones else {})) for n in range(24 * kind, 24 * (kind + 1))]
    lost = [odd_ones[kind] for kind in (1, 2, 4, 5, 12, 13, 14, 15)]
    other = [odd_ones[kind] for kind in (0, 10)]
    outcome = route(tmp_path, config, [], frames, [], ask=["show interface vxlan_tunnel0"])
    assert_conserved(outcome)
    assert outcome.frames[0] == [numbered(n) for n in range(len(frames)) if n not in lost + other]
    assert outcome.frames[2] == [numbered(n) for n in other]
    good = [len(numbered(n)) for n in range(len(frames)) if n not in lost + other]
    assert re.search(rf"rx packets +{len(good)}\n.*rx bytes +{sum(good)}\n", outcome.answers[0])
    assert outcome.counters["vxlan4-input: good packets decapsulated"] == len(frames) - len(lost)
    reasons = ("ip4 fragment to us is not reassembled", "unknown ip protocol", "no listener for dst port")
    assert [outcome.counters[f"ip4-local: {reason}"] for reason in reasons] == [2, 1, 1]


@pytest.mark.parametrize("version", [4, 6])
def test_output_acl_of_a_tunnel_sees_what_it_bears(tmp_path, version):
    rules = "set acl-plugin acl deny src 1.0.0.0/8 dst 0.0.0.0/0, permit src 0.0.0.0/0 dst 0.0.0.0/0\n"
    frames = [bytes(Ether(src=HOST0, dst=HOST1) / IP(src=f"{n}.0.0.1", dst="9.0.0.1") / UDP()) for n in (1, 2, 1, 3)]
    config = setup(version) + rules + "set acl-plugin interface vxlan_tunnel0 output acl 0\n"
    outcome = route(tmp_path, config, [*frames, INNER], [], ask=["show acl-plugin acl verbose"])
    assert_conserved(outcome)
    assert [bytes(Ether(frame)[UDP].payload)[8:] for frame in outcome.frames[1]] == [frames[1], frames[3], INNER]
    assert re.findall(r" packets (\d+)", outcome.answers[0]) == ["2", "2"]
    assert outcome.counters[f"vxlan{version}-acl-plugin-out: ACL deny packets"] == 2


def test_tunnel_that_cannot_be_is_refused_in_one_line(tmp_path):
    with shared(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running:
        make = "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100"
        assert running.ask(make) == "vxlan_tunnel0\n"
        for line, reason in (
            (make, "vxlan_tunnel0 already has VNI 100 to 10.3.0.2"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.1 vni 7", "name the other end"),
            ("create vxlan tunnel src 10.3.0.1 dst 2001:db8::1 vni 7", "of one family"),
            ("create vxlan tunnel src 10.3.0.1 dst 224.0.0.1 vni 7", "224.0.0.1 cannot be the end"),
            ("create vxlan tunnel src 2001:db8::1 dst ff02::1 vni 7", "ff02::1 cannot be the end"),
            ("create vxlan tunnel src 0.0.0.0 dst 10.3.0.2 vni 7", "0.0.0.0 cannot be the end"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 0", "a VNI is 1 to 16777215, not 0"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 16777216", "between 1 and 16777215"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 7 instance 16384", "16383"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 7 del", "there is no VXLAN tunnel src 10.3.0.1"),
            ("create vxlan tunnel src 10.3.0.1 vni 7", "a tunnel needs dst"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.3 vni 7 instance 0", "vxlan_tunnel0 already"),
            ("create vxlan tunnel src 10.3.0.1 dst 10.3.0.3 vni 7 encap-vrf-id 9", "no IPv4 table 9"),
        ):
            with pytest.raises(UsageError, match=reason):
                running.ask(line)
        assert re.findall(r"vxlan_tunnel\d+", running.ask("show interface")) == ["vxlan_tunnel0"]
        (row,) = running.ask("show vxlan tunnel").splitlines()
        assert re.fullmatch(
            r"\[0\] instance 0 src 10\.3\.0\.1 dst 10\.3\.0\.2 src_port 4789 dst_port 4789 vni 100 fib-idx 0"
            r" sw-if-idx \d+ decap-next l2",
            row,
        )
        assert running.ask(f"{make} del") == ""
        assert running.ask("show vxlan tunnel") == "No vxlan tunnels configured...\n"
        assert running.ask(make) == "vxlan_tunnel0\n"


def test_a_tunnel_in_use_goes_whole(tmp_path):
    """Cross-connects to the tunnel, its place in a bridge domain and its addresses are deleted with it."""
    with shared(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running:
        make = "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100"
        for line in (make, "set interface l2 xconnect e0 vxlan_tunnel0"):
            running.ask(line)
        assert "vxlan_tunnel0" in running.ask("show mode")
        running.ask(f"{make} del")
        assert "vxlan_tunnel0" not in running.ask("show mode")
        for line in (make, "set interface l2 bridge e0 7", "set interface l2 bridge vxlan_tunnel0 7"):
            running.ask(line)
        assert "vxlan_tunnel0" in running.ask("show bridge-domain 7 int")
        running.ask(f"{make} del")
        assert "vxlan_tunnel0" not in running.ask("show bridge-domain 7 int")
        for line in (make, "set interface ip address vxlan_tunnel0 10.9.0.1/24", f"{make} del"):
            running.ask(line)
        assert "10.9.0.0/24" not in running.ask("show ip fib")
        assert running.ask(make) == "vxlan_tunnel0\n"


@pytest.mark.parametrize("version", [4, 6])
def test_the_source_port_tells_flows_apart(tmp_path, version):
    """One port per flow, independent of its UDP ports; most flows with other addresses have another port."""

    def flow(number: int, port: int) -> bytes:
        return bytes(Ether(src=HOST0, dst=HOST1) / IP(src=f"10.1.0.{number}", dst="10.2.0.1") / UDP(sport=port))

    frames = [flow(number, port) for port in (1, 2) for number in range(64)]
    outcome = route(tmp_path, setup(version), frames, [], ask=["show interface vxlan_tunnel0"])
    assert_conserved(outcome)
    sent = [Ether(frame)[UDP] for frame in outcome.frames[1]]
    assert [bytes(udp.payload) for udp in sent] == [VXLAN + frame for frame in frames]
    ports = [udp.sport for udp in sent]
    assert ports[:64] == ports[64:] and len(set(ports)) > 48 and min(ports) >= 49152
    assert re.search(rf"tx packets +128\n.*tx bytes +{sum(map(len, frames))}\n", outcome.answers[0])


def test_a_table_that_routes_a_tunnel_stays(tmp_path):
    with shared(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running:
        make = "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100 encap-vrf-id 7"
        running.ask("ip table add 7")
        assert running.ask(make) == "vxlan_tunnel0\n"
        with pytest.raises(EnvironmentFault, match="table 7 is looked up by tunnels"):
            running.ask("ip table del 7")
        running.ask(f"{make} del")
        assert running.ask("ip table del 7") == ""


TUNNEL = "vxlan_tunnel0"


@pytest.mark.parametrize("version", [4, 6])
def test_packets_come_out_without_a_frame_and_are_routed(tmp_path, version):
    """decap-next ip4, with a separate table: the inner packet has no Ethernet header and is routed in the tunnel's
    table.
    """
    config = INTERFACES + (
        "ip table add 7\nset interface ip table e1 7\n"
        f"set interface ip address e1 10.3.0.1/24\nip neighbor e1 10.3.0.2 {HOST1}\n"
        f"set interface ip address e0 10.0.0.1/24\nip neighbor e0 10.0.0.2 {HOST0}\n"
        f"set interface ip address e0 2001:db8:1::1/64\nip neighbor e0 2001:db8:1::2 {HOST0}\n"
        f"create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100 encap-vrf-id 7 decap-next ip{version}\n"
        f"set interface state {TUNNEL} up\nset interface ip address {TUNNEL} 10.9.0.1/24\n"
        f"set interface ip address {TUNNEL} 2001:db8:9::1/64\n"
    )
    packet = IP(src="10.9.0.2", dst="10.0.0.2") if version == 4 else IPv6(src="2001:db8:9::2", dst="2001:db8:1::2")
    inner = packet / UDP(sport=1, dport=2) / Raw(b"x" * 40)
    carried = IP(src="10.3.0.2", dst="10.3.0.1") / UDP(sport=50000, dport=4789, chksum=0) / Raw(VXLAN + bytes(inner))
    wrong = IP(src="10.3.0.2", dst="10.3.0.1") / UDP(sport=50000, dport=4789, chksum=0) / Raw(VXLAN + b"\x00" * 60)
    frames = [bytes(Ether(src=HOST1, dst=ROUTER1) / one) for one in (carried, wrong)]
    # Packets to the other table are not decapsulated: the tunnel is not in it.
    stray = bytes(Ether(src=HOST0, dst=ROUTER0) / IP(src="10.3.0.2", dst="10.0.0.1") / carried[UDP])
    outcome = route(tmp_path, config, [stray], frames)
    assert_conserved(outcome)
    (out,) = outcome.frames[0]
    assert (Ether(out).src, Ether(out).dst) == (ROUTER0, HOST0)
    setattr(inner, "hlim" if version == 6 else "ttl", 63)
    assert out[14:] == bytes(inner)
    assert outcome.counters["vxlan4-input: no such tunnel"] == 1
    assert outcome.counters["vxlan4-input: good packets decapsulated"] == 2


def test_split_horizon_keeps_tunnels_apart(tmp_path):
    """Two tunnels and a port in a domain; the tunnels share a group, so neither gets the other's frames."""
    config = INTERFACES + (
        f"set interface ip address e1 10.3.0.1/24\nip neighbor e1 10.3.0.2 {HOST1}\nip neighbor e1 10.3.0.3 {HOST1}\n"
        "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100\n"
        "create vxlan tunnel src 10.3.0.1 dst 10.3.0.3 vni 100\n"
        "set interface l2 bridge e0 7\n"
        + "".join(
            f"set interface state vxlan_tunnel{n} up\nset interface l2 bridge vxlan_tunnel{n} 7 1\n" for n in (0, 1)
        )
    )
    flooded = bytes(Ether(src="02:aa:00:00:00:0c", dst="ff:ff:ff:ff:ff:ff", type=0x88B5) / Raw(b"f" * 60))
    outcome = route(tmp_path, config, [flooded], [outer(4)])
    assert_conserved(outcome, made=1)
    # The port's broadcast goes to both ends; a broadcast from one end goes only to the port.
    assert outcome.frames[0] == [INNER]
    ends = sorted((Ether(frame)[IP].dst, bytes(Ether(frame)[UDP].payload)) for frame in outcome.frames[1])
    assert ends == [("10.3.0.2", VXLAN + flooded), ("10.3.0.3", VXLAN + flooded)]


@pytest.mark.parametrize("version", [4, 6])
def test_route_into_the_tunnel_itself_ends_there(tmp_path, version):
    """The route to the remote endpoint has two paths, both through the tunnel itself: each packet is dropped once, with
    a named reason.
    """
    ours, theirs = ENDS[version]
    inside, bits = ("10.9.0", 32) if version == 4 else ("2001:db8:9:", 128)
    config = INTERFACES + (
        f"set interface ip address e0 10.0.0.1/24\n"
        f"create vxlan tunnel src {ours} dst {theirs} vni 100\nset interface state {TUNNEL} up\n"
        f"set interface ip address {TUNNEL} {inside}{'.' if version == 4 else ':'}1/{24 if version == 4 else 64}\n"
        + "".join(
            f"ip neighbor {TUNNEL} {inside}{'.' if version == 4 else ':'}{n} 02:99:00:00:00:0{n}\n" for n in (2, 3)
        )
        + f"ip route add {theirs}/{bits}"
        + "".join(f" via {inside}{'.' if version == 4 else ':'}{n} {TUNNEL}" for n in (2, 3))
        + f"\nset interface l2 xconnect e0 {TUNNEL}\n"
    )
    outcome = route(tmp_path, config, [INNER] * 3, [])
    assert_conserved(outcome)
    assert outcome.frames[1] == [] and outcome.dropped == 3
    assert outcome.counters[f"vxlan{version}-encap: tunnel leads into itself"] == 3


def test_fragments_of_the_outer_packet_are_no_frame(tmp_path):
    """RFC 7348 requires the end of a tunnel to drop them: fragments are neither reassembled nor taken for whole
    packets.
    """
    big = bytes(Ether(src="02:aa:00:00:00:0a", dst="02:bb:00:00:00:0b", type=0x88B5) / Raw(bytes(1200)))
    whole = IP(src="10.3.0.2", dst="10.3.0.1", id=7) / UDP(sport=50000, dport=4789, chksum=0) / Raw(VXLAN + big)
    pieces = [bytes(Ether(src=HOST1, dst=ROUTER1) / piece) for piece in fragment(whole, 600)]
    assert len(pieces) > 1
    outcome = route(tmp_path, setup(4), [], [*pieces, outer(4)])
    assert_conserved(outcome)
    assert outcome.frames[0] == [INNER]
    assert outcome.dropped == len(pieces)


@pytest.mark.parametrize("version", [4, 6])
def test_trace_tells_of_the_tunnel_and_of_what_is_in_it(tmp_path, version):
    config = setup(version) + "trace add dpdk-input 2\n"
    (shown,) = route(tmp_path, config, [INNER], [outer(version)], ask=["show trace"]).answers
    nodes = [line.split()[1] for line in shown.splitlines() if re.match(r"\d\d:\d\d:\d\d", line)]
    ways = " ".join(nodes)
    assert f"l2-output vxlan-output vxlan{version}-encap ip{version}-rewrite e1-output e1-tx" in ways
    assert f"ip{version}-lookup vxlan{version}-input l2-input l2-output e0-output" in ways
    # Behind the tunnel, the trace shows the inner packet.
    _, inside = shown.split(f"vxlan{version}-input\n")
    assert "02:aa:00:00:00:0a -> 02:bb:00:00:00:0b" in inside[inside.index("l2-input") :]


STATION_A, STATION_B = "02:aa:00:00:00:0a", "02:bb:00:00:00:0b"


def tagged(frame: bytes, *tags: tuple[int, int]) -> bytes:
    """The frame with tags, each with a type and an id, the outer one first."""
    return frame[:12] + b"".join(bytes.fromhex(f"{kind:04x}{ident:04x}") for kind, ident in tags) + frame[12:]


def carried(version: int, frame: bytes) -> bytes:
    """The frame in a VXLAN packet from the remote endpoint."""
    ours, theirs = ENDS[version]
    ip = IP(src=theirs, dst=ours) if version == 4 else IPv6(src=theirs, dst=ours)
    return bytes(Ether(src=HOST1, dst=ROUTER1) / ip / UDP(sport=50000, dport=4789) / Raw(VXLAN + frame))


def in_tunnel(frame: bytes) -> bytes:
    """The frame inside a VXLAN packet that the router sent."""
    udp = bytes(Ether(frame)[UDP].payload)
    assert udp[:8] == VXLAN
    return udp[8:]


def between(source: str, destination: str, body: bytes) -> bytes:
    return bytes(Ether(src=source, dst=destination, type=0x88B5) / Raw(body * 60))


def sub_interfaces(version: int) -> str:
    """Tag 7 is bridged with e0, without its tag; the tags 5 and 9 are cross-connected with e2, unchanged."""
    return setup(version).partition("set interface l2")[0] + (
        "create sub-interfaces vxlan_tunnel0 7\nset interface state vxlan_tunnel0.7 up\n"
        "set interface l2 tag-rewrite vxlan_tunnel0.7 pop 1\n"
        "set interface l2 bridge vxlan_tunnel0.7 10\nset interface l2 bridge e0 10\n"
        "create sub-interfaces vxlan_tunnel0 8 dot1ad 5 inner-dot1q 9\nset interface state vxlan_tunnel0.8 up\n"
        "set interface state e2 up\n"
        "set interface l2 xconnect vxlan_tunnel0.8 e2\nset interface l2 xconnect e2 vxlan_tunnel0.8\n"
    )


@pytest.mark.parametrize("version", [4, 6])
def test_sub_interface_of_a_tunnel_brings_its_tag_to_its_bridge_domain(tmp_path, version):
    to_b = [between(STATION_A, STATION_B, bytes([n])) for n in range(4)]
    sent = [
        tagged(to_b[0], (0x8100, 7)),
        tagged(to_b[1], (0x88A8, 5), (0x8100, 9)),
        tagged(to_b[2], (0x8100, 8)),
        to_b[3],
    ]
    ask = ["show interface vxlan_tunnel0.7", "show interface vxlan_tunnel0.8", "show interface vxlan_tunnel0"]
    outcome = route(tmp_path, sub_interfaces(version), [], [carried(version, one) for one in sent], [], ask=ask)
    assert_conserved(outcome)
    assert (outcome.frames[0], outcome.frames[2]) == ([to_b[0]], [sent[1]])
    for answer, frames in zip(outcome.answers, ([sent[0]], [sent[1]], sent), strict=True):
        assert re.search(rf"rx packets +{len(frames)}\n.*rx bytes +{sum(map(len, frames))}\n", answer)
    assert outcome.counters["ethernet-input: l3 mac mismatch"] == 2


@pytest.mark.parametrize("version", [4, 6])
def test_sub_interface_of_a_tunnel_sends_with_its_tag(tmp_path, version):
    to_a = [between(STATION_B, STATION_A, bytes([n])) for n in range(3)]
    tags = tagged(to_a[2], (0x88A8, 5), (0x8100, 9))
    ask = ["show interface vxlan_tunnel0.7", "show interface vxlan_tunnel0.8", "show interface vxlan_tunnel0"]
    outcome = route(tmp_path, sub_interfaces(version), to_a[:2], [], [tags], ask=ask)
    assert_conserved(outcome)
    sevens = [tagged(frame, (0x8100, 7)) for frame in to_a[:2]]
    assert sorted(map(in_tunnel, outcome.frames[1])) == sorted([*sevens, tags])
    for answer, frames in zip(outcome.answers, (sevens, [tags], [*sevens, tags]), strict=True):
        assert re.search(rf"tx packets +{len(frames)}\n.*tx bytes +{sum(map(len, frames))}\n", answer)


def test_sub_interface_of_a_tunnel_routes(tmp_path):
    """From one VLAN of the tunnel into another, with the tags of each."""
    config = setup(4).partition("set interface l2")[0] + "".join(
        f"create sub-interfaces vxlan_tunnel0 {tag}\nset interface state vxlan_tunnel0.{tag} up\n"
        f"set interface ip address vxlan_tunnel0.{tag} 10.{tag}.0.1/24\n"
        f"ip neighbor vxlan_tunnel0.{tag} 10.{tag}.0.2 {station}\n"
        for tag, station in ((7, STATION_A), (8, STATION_B))
    )
    mac = "02:fe:00:00:00:00"  # for the tunnel with instance 0
    packet = IP(src="10.7.0.2", dst="10.8.0.2") / UDP(sport=1, dport=2) / Raw(b"x" * 40)
    inner = tagged(bytes(Ether(src=STATION_A, dst=mac) / packet), (0x8100, 7))
    outcome = route(tmp_path, config, [], [carried(4, inner)], ask=["show ip fib"])
    assert_conserved(outcome)
    packet.ttl = 63
    assert [*map(in_tunnel, outcome.frames[1])] == [tagged(bytes(Ether(src=mac, dst=STATION_B) / packet), (0x8100, 8))]


def test_sub_interfaces_keep_their_tunnel(tmp_path):
    with shared(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running:
        make = "create vxlan tunnel src 10.3.0.1 dst 10.3.0.2 vni 100"
        running.ask(make)
        assert running.ask("create sub-interfaces vxlan_tunnel0 7") == "vxlan_tunnel0.7\n"
        for line, reason in (
            (f"{make} del", r"vxlan_tunnel0 has sub-interface vxlan_tunnel0\.7; delete that one first"),
            ("create sub-interfaces vxlan_tunnel0 9 dot1q 7 exact-match", r"tunnel0\.7 already takes these VLAN tags"),
            ("create sub-interfaces vxlan_tunnel0.7 9", "takes no sub-interfaces; ports, bonds and VXLAN tunnels do"),
        ):
            with pytest.raises((UsageError, EnvironmentFault), match=reason):
                running.ask(line)
        running.ask("set interface mtu packet 9000 vxlan_tunnel0.7")
        assert "vxlan_tunnel0.7" in running.ask("show vxlan tunnel") + running.ask("show interface address")
        assert running.ask("show vxlan tunnel").count("\n") == 1
        running.ask("delete sub-interface vxlan_tunnel0.7")
        assert running.ask(f"{make} del") == ""
