"""Labels through the real router: frames in, frames out. Label entries are written by hand (RFC 3032)."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpls_frames import CONFIG, entry, labelled
from router_run import HOST0, HOST1, ROUTER0, ROUTER1, route
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

NO_HEADER = "mpls-icmp-error: no icmp error about labels without a good ip header"


def packet(ttl: int = 60, tos: int = 0) -> bytes:
    built = IP(src="16.0.0.1", dst="48.0.0.1", ttl=ttl, tos=tos, id=1) / UDP(sport=1, dport=2) / (b"x" * 30)
    return bytes(built)


def packet6(hop_limit: int) -> bytes:
    """Of traffic class 0xB8."""
    header = IPv6(src="2001:db8:1::2", dst="2001:db8:48::1", hlim=hop_limit, tc=0xB8)
    return bytes(header / UDP(sport=1, dport=2) / (b"x" * 30))


def out(kind: int, payload: bytes) -> bytes:
    return bytes(Ether(src=ROUTER1, dst=HOST1, type=kind)) + payload


@pytest.mark.parametrize(
    ("lines", "sent", "expected"),
    [
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1",
            entry(16, 1) + packet(60),
            out(0x0800, packet(59)),
            id="pop",
        ),
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1",
            entry(16, 1, ttl=9) + packet(60),
            out(0x0800, packet(8)),
            id="pop takes the label's TTL along",
        ),
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 17",
            entry(16, 1, 64, 5) + packet(60),
            out(0x8847, entry(17, 1, 63, 5) + packet(60)),
            id="swap keeps the class",
        ),
        pytest.param(
            "mpls local-label add 16 non-eos via 100.64.2.2 e1 out-labels 17",
            entry(16, 0, 10, 3) + entry(99, 1) + packet(60),
            out(0x8847, entry(17, 0, 9, 3) + entry(99, 1) + packet(60)),
            id="swap above another",
        ),
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 100 200 300",
            entry(16, 1, 5, 1) + packet(60),
            out(0x8847, entry(100, 0, 4, 1) + entry(200, 0, 4, 1) + entry(300, 1, 4, 1) + packet(60)),
            id="one for three",
        ),
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 100 ttl 9 exp 2 200 pipe 17",
            entry(16, 1, 5, 1) + packet(60),
            out(0x8847, entry(100, 0, 9, 2) + entry(200, 0, 255, 0) + entry(17, 1, 4, 1) + packet(60)),
            id="pipes in front of the label swapped",
        ),
        pytest.param(
            "ip route add 192.0.2.0/24 via 100.64.2.2 e1 out-labels 100 ttl 9 exp 2\n"
            "mpls local-label add 16 eos via 192.0.2.1 out-labels 17",
            entry(16, 1, 5, 1) + packet(60),
            out(0x8847, entry(100, 0, 9, 2) + entry(17, 1, 4, 1) + packet(60)),
            id="swap into a pipe",
        ),
        pytest.param(
            "ip route add 192.0.2.0/24 via 100.64.2.2 e1 out-labels 100 ttl 9 exp 2\n"
            "mpls local-label add 16 eos via 192.0.2.1",
            entry(16, 1, 5, 1) + packet(60),
            out(0x8847, entry(100, 1, 4, 1) + packet(60)),
            id="a pipe's label in the place of one that came counts its TTL on",
        ),
        pytest.param(
            "mpls local-label add 16 non-eos via 100.64.2.2 e1",
            entry(16, 0, 10) + entry(99, 1, 64) + packet(60),
            out(0x8847, entry(99, 1, 9) + packet(60)),
            id="penultimate hop",
        ),
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels implicit-null",
            entry(16, 1) + packet(60),
            out(0x0800, packet(59)),
            id="implicit null",
        ),
        pytest.param(
            "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels ipv4-explicit-null",
            entry(16, 1, 50) + packet(60),
            out(0x8847, entry(0, 1, 49) + packet(60)),
            id="explicit null",
        ),
        pytest.param(
            "ip route add 48.0.0.0/8 via 100.64.2.2",
            entry(0, 1) + packet(60),
            out(0x0800, packet(59)),
            id="explicit null to us",
        ),
        pytest.param(
            "ip route add 48.0.0.0/8 via 100.64.2.2\nmpls local-label add 16 non-eos via ip4-lookup-in-table 0",
            entry(0, 0, 30) + entry(0, 1) + packet(60),
            out(0x0800, packet(28)),
            id="explicit null above another",
        ),
        pytest.param(
            "ip table add 7\nip route add 48.0.0.0/8 table 7 via 100.64.2.2 e1 next-hop-table 0\n"
            "mpls local-label add 16 eos via ip4-lookup-in-table 7",
            entry(16, 1) + packet(60),
            out(0x0800, packet(59)),
            id="lookup in a table",
        ),
    ],
)
def test_labels(tmp_path: Path, lines: str, sent: bytes, expected: bytes) -> None:
    outcome = route(tmp_path, CONFIG + lines + "\n", [bytes(Ether(src=HOST0, dst=ROUTER0, type=0x8847)) + sent], [])
    assert outcome.frames[1] == [expected]
    assert outcome.dropped == 0


def test_ip_gets_labels_with_its_ttl_and_precedence(tmp_path: Path) -> None:
    config = CONFIG + "ip route add 48.0.0.0/8 via 100.64.2.2 e1 out-labels 16 17\n"
    frame = bytes(Ether(src=HOST0, dst=ROUTER0, type=0x0800)) + packet(60, tos=0xB8)
    outcome = route(tmp_path, config, [frame], [])
    assert outcome.frames[1] == [out(0x8847, entry(16, 0, 59, 5) + entry(17, 1, 59, 5) + packet(59, tos=0xB8))]


@pytest.mark.parametrize(
    ("words", "stack", "shown"),
    [
        ("100 ttl 64 exp 3", entry(100, 1, 64, 3), "100 pipe ttl:64 exp:3"),
        ("100 exp 7 ttl 1", entry(100, 1, 1, 7), "100 pipe ttl:1 exp:7"),
        ("100 pipe 200", entry(100, 0, 255, 0) + entry(200, 1, 59, 5), "100 pipe ttl:255 exp:0 200"),
        ("100 uniform 200 ttl 2", entry(100, 0, 59, 5) + entry(200, 1, 2, 0), "100 200 pipe ttl:2 exp:0"),
        ("100 ttl 9 implicit-null", entry(100, 1, 9), "100 pipe ttl:9 exp:0"),
    ],
)
@pytest.mark.parametrize("version", [4, 6])
def test_ip_enters_pipes_of_their_own_ttl_and_class(
    tmp_path: Path, version: int, words: str, stack: bytes, shown: str
) -> None:
    """RFC 3443 section 3.2: the packet's own TTL is decremented, and the label starts with the given one."""
    config = CONFIG + "ip route add 48.0.0.0/8 via 100.64.2.2 e1 out-labels " + words + "\n"
    config += "set interface ip address e0 2001:db8:1::1/64\n"
    config += f"ip route add 2001:db8:48::/48 via 100.64.2.2 e1 out-labels {words}\n"
    if version == 4:
        sent, left = packet(60, tos=0xB8), packet(59, tos=0xB8)
    else:
        sent, left = (packet6(hop_limit) for hop_limit in (60, 59))
    frame = bytes(Ether(src=HOST0, dst=ROUTER0, type=0x0800 if version == 4 else 0x86DD)) + sent
    destination = "48.0.0.0/8" if version == 4 else "2001:db8:48::/48"
    outcome = route(tmp_path, config, [frame], [], ask=[f"show ip{version} fib {destination}"])
    assert outcome.frames[1] == [out(0x8847, stack + left)]
    assert f"mpls-label[{shown}]" in outcome.answers[0]


def test_what_cannot_go_on_is_a_counted_drop(tmp_path: Path) -> None:
    config = CONFIG + (
        "mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 17\n"
        "mpls local-label add 18 eos via 100.64.2.2 e1\n"
        "mpls local-label add 19 non-eos via 100.64.2.2 e1\n"
        "mpls local-label add 20 eos via drop\n"
    )
    bad: list[tuple[bytes, *tuple[str, ...]]] = [
        (entry(16, 1, 0) + packet(), "mpls-input: mpls ttl 0"),
        (entry(21, 1) + packet(), "mpls-lookup: unknown label"),
        (entry(16, 0) + entry(16, 1) + packet(), "mpls-lookup: unknown label"),
        (entry(20, 1) + packet(), "mpls-lookup: label says drop"),
        (entry(1, 1) + packet(), "mpls-lookup: label says drop"),
        (b"\0\1", "mpls-input: label stack shorter than a label"),
        (entry(0, 0), "mpls-label-disposition-uniform: label stack ends without a bottom"),
        (entry(19, 0) + entry(30, 1, 0), "mpls-label-disposition-uniform: mpls ttl 0"),
        (entry(18, 1) + b"\x65" + packet()[1:], "ip4-mpls-label-disposition-uniform: ip4 version != 4"),
        (entry(18, 1) + packet()[:19], "ip4-mpls-label-disposition-uniform: ip4 length < 20 bytes"),
        (
            entry(0, 0) * 300,
            "mpls-lookup: mpls ttl expired",
            "mpls-icmp-error: no icmp error about a label stack too deep",
        ),
        (entry(16, 1, 1) + packet()[:19], "mpls-lookup: mpls ttl expired", NO_HEADER),
        (entry(16, 1, 1) + b"\x54" + packet()[1:], "mpls-lookup: mpls ttl expired", NO_HEADER),
        (entry(16, 1, 1), "mpls-lookup: mpls ttl expired", NO_HEADER),
    ]
    outcome = route(tmp_path, config, [labelled(sent, b"") for sent, *_ in bad], [])
    assert outcome.frames == [[], []]
    expected: dict[str, int] = {}
    for _, *reasons in bad:
        for reason in reasons:
            expected[reason] = expected.get(reason, 0) + 1
    assert {name: n for name, n in outcome.counters.items() if "taken out" not in name} == expected


def test_labelled_packets_need_an_interface_that_takes_them(tmp_path: Path) -> None:
    config = CONFIG + "set interface mpls e0 disable\nmpls local-label add 16 eos via 100.64.2.2 e1\n"
    outcome = route(tmp_path, config, [labelled(entry(16, 1), packet())], [])
    assert outcome.frames == [[], []]
    assert outcome.counters == {"mpls-input: mpls not enabled": 1}
