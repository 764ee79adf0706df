"""Unicast RPF through the real router: sources that no route leads back to, or by another interface."""

from __future__ import annotations

from pathlib import Path

import pytest
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, route
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet

CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/24
set interface ip address e1 100.64.2.1/30
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip neighbor e0 100.64.1.2 {HOST0}
ip neighbor e1 100.64.2.2 {HOST1}
ip neighbor e0 2001:db8:1::2 {HOST0}
ip neighbor e1 2001:db8:2::2 {HOST1}
ip route add 48.0.0.0/8 via 100.64.2.2
ip route add 16.0.0.0/8 via 100.64.1.2
ip route add 17.0.0.0/8 via 100.64.1.2 via 100.64.2.2
ip route add 18.0.0.0/8 via 100.64.1.2 e0 out-labels 100
ip route add 19.0.0.0/8 via 100.64.2.2
ip route add 20.0.0.0/8 via drop
ip route add 2001:db8:48::/48 via 2001:db8:2::2
ip route add 2001:db8:16::/48 via 2001:db8:1::2
ip route add 2001:db8:19::/48 via 2001:db8:2::2
"""
BY_E0 = ["16.0.0.1", "17.0.0.1", "18.0.0.1", "100.64.1.2", "100.64.1.3"]
BY_E1 = ["19.0.0.1", "48.0.0.1", "100.64.2.2"]
NOWHERE = ["20.0.0.1", "21.0.0.1"]
BY_E0_6, BY_E1_6, NOWHERE_6 = ["2001:db8:16::1", "2001:db8:1::2"], ["2001:db8:19::1"], ["2001:db8:21::1"]


def frame(source: str) -> bytes:
    ip: Packet = IPv6(src=source, dst="2001:db8:48::9") if ":" in source else IP(src=source, dst="48.0.0.9")
    return bytes(Ether(src=HOST0, dst=ROUTER0) / ip / UDP(sport=1, dport=2))


def sources_of(frames: list[bytes]) -> list[str]:
    packets = [Ether(data) for data in frames]
    return [packet[IPv6].src if IPv6 in packet else packet[IP].src for packet in packets]


@pytest.mark.parametrize(
    ("mode", "refused"), [("off", []), ("loose", NOWHERE), ("strict", BY_E1 + NOWHERE)], ids=["off", "loose", "strict"]
)
def test_source_must_be_where_it_came_from(tmp_path: Path, mode: str, refused: list[str]) -> None:
    sources = BY_E0 + BY_E1 + NOWHERE
    config = CONFIG + f"set urpf ip4 rx {mode} e0\n"
    outcome = route(tmp_path, config, [frame(source) for source in sources], [], ask=["show urpf"])
    assert sources_of(outcome.frames[1]) == [source for source in sources if source not in refused]
    assert outcome.dropped == len(refused)
    reason = {"loose": "no route to the source", "strict": "no route to the source by this interface"}
    expected = {f"ip4-rx-urpf: ip4 uRPF {mode}: {reason[mode]}": len(refused)} if refused else {}
    assert {name: count for name, count in outcome.counters.items() if "urpf" in name} == expected
    assert outcome.answers[0].split() == (["e0", "ip4", "rx", mode] if refused else [])


@pytest.mark.parametrize(("mode", "refused"), [("loose", NOWHERE_6), ("strict", BY_E1_6 + NOWHERE_6)])
def test_ip6(tmp_path: Path, mode: str, refused: list[str]) -> None:
    sources = BY_E0_6 + BY_E1_6 + NOWHERE_6
    config = CONFIG + f"set urpf ip6 rx {mode} e0\nset urpf ip4 rx {mode} e1\n"
    outcome = route(tmp_path, config, [frame(source) for source in sources] + [frame("20.0.0.1")], [])
    # Each family keeps its order.
    assert sources_of(outcome.frames[1]) == ["20.0.0.1", *(source for source in sources if source not in refused)]


def test_tables_are_looked_in_by_the_interface(tmp_path: Path) -> None:
    """The default table's routes are not those of an interface in another table."""
    config = CONFIG.replace(
        "set interface ip address e0 100",
        "ip table add 7\nset interface ip table e0 7\nset interface ip address e0 100",
    )
    config = config.replace(
        "ip route add 48.0.0.0/8",
        "ip route add 48.0.0.0/8 table 7 via 100.64.2.2 e1 next-hop-table 0\nip route add 48.0.0.0/8",
    )
    config = "\n".join(line for line in config.splitlines() if "via 100.64.1.2" not in line and "2001" not in line)
    config += "\nip route add 16.0.0.0/8 table 7 via 100.64.1.2\nset urpf ip4 rx strict e0\n"
    outcome = route(tmp_path, config, [frame("16.0.0.1"), frame("19.0.0.1"), frame("100.64.1.2")], [])
    assert sources_of(outcome.frames[1]) == ["16.0.0.1", "100.64.1.2"]


def test_neighbour_discovery_needs_no_route(tmp_path: Path) -> None:

    config = CONFIG + "set urpf ip6 rx strict e0\n"
    multicast = Ether(src=HOST0, dst="33:33:ff:00:00:01")
    probe = multicast / IPv6(src="::", dst="ff02::1:ff00:1") / ICMPv6ND_NS(tgt="2001:db8:1::1")
    asked = multicast / IPv6(src="fe80::2", dst="ff02::1:ff00:1") / ICMPv6ND_NS(tgt="2001:db8:1::1")
    outcome = route(tmp_path, config, [bytes(probe), bytes(asked / ICMPv6NDOptSrcLLAddr(lladdr=HOST0))], [])
    assert len(outcome.frames[0]) == 2
