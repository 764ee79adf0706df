"""Unicast RPF in the real router: sources without a route back, or with one through another interface."""

from __future__ import annotations

from pathlib import Path

import pytest
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, ROUTER1, route
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from shared_router import shared

from wirespeed.errors import WirespeedError

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
    expected = {f"ip4-rx-urpf-{mode}: uRPF Drop": len(refused)} if refused else {}
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
    """Sources of an interface in another table are not looked up in the default table."""
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


@pytest.mark.parametrize(("mode", "refused"), [("loose", NOWHERE), ("strict", [*BY_E1, *NOWHERE, "17.0.0.1"])])
@pytest.mark.parametrize("tagged", [False, True], ids=["port", "sub-interface"])
def test_what_goes_out_must_not_come_from_there(tmp_path: Path, mode: str, refused: list[str], tagged: bool) -> None:
    """By output interface: loose requires any route; strict requires a route that does not lead out of it."""
    sources = BY_E0 + BY_E1 + NOWHERE
    config, out = CONFIG, "e1"
    if tagged:
        out = "e1.5"
        made = "create sub-interfaces e1 5\nset interface state e1.5 up\n"
        config = INTERFACES + made + CONFIG.removeprefix(INTERFACES)
        config = config.replace("ip address e1 ", "ip address e1.5 ").replace("neighbor e1 ", "neighbor e1.5 ")
    config += f"set urpf ip4 tx {mode} {out}\nset urpf ip6 tx {mode} e0\n"
    outcome = route(tmp_path, config, [frame(source) for source in sources], [], ask=["show urpf"])
    assert sources_of(outcome.frames[1]) == [source for source in sources if source not in refused]
    assert outcome.dropped == len(refused)
    drops = {name: count for name, count in outcome.counters.items() if "uRPF" in name}
    assert drops == {"e1-tx-urpf: ip4 uRPF Drop": len(refused)}
    assert f"{out}\n  ip4 tx {mode}" in outcome.answers[0]


@pytest.mark.parametrize(("mode", "refused"), [("loose", NOWHERE_6), ("strict", [*BY_E1_6, *NOWHERE_6])])
def test_ip6_that_goes_out(tmp_path: Path, mode: str, refused: list[str]) -> None:
    sources = BY_E0_6 + BY_E1_6 + NOWHERE_6
    config = CONFIG + f"set urpf ip6 tx {mode} e1\n"
    outcome = route(tmp_path, config, [frame(source) for source in sources] + [frame("20.0.0.1")], [])
    assert sources_of(outcome.frames[1]) == ["20.0.0.1", *(source for source in sources if source not in refused)]


def test_own_packets_go_out_where_sources_are_looked_at(tmp_path: Path) -> None:
    """Packets from the router's own address pass, and so does neighbour discovery, whose sources have no route."""
    ping = Ether(src=HOST1, dst=ROUTER1) / IP(src="100.64.2.2", dst="100.64.2.1") / ICMP()
    probe = Ether(src=HOST1, dst="33:33:ff:00:00:01") / IPv6(src="::", dst="ff02::1:ff00:1")
    frames = [bytes(ping), bytes(probe / ICMPv6ND_NS(tgt="2001:db8:2::1"))]
    config = CONFIG + "set urpf ip4 tx strict e1\nset urpf ip6 tx strict e1\n"
    assert len(route(tmp_path, config, [], frames).frames[1]) == 2


def test_accepted_sources_pass_where_the_mode_is_loose(tmp_path: Path) -> None:
    config = CONFIG + "set urpf ip4 rx loose e0\nset urpf ip6 rx loose e0\nset urpf ip4 tx loose e1\n"
    config += "set urpf-accept 20.0.0.0/8\nset urpf-accept table 0 add 2001:db8:21::/48\n"
    config += "ip table add 7\nset urpf-accept table 7 21.0.0.0/8\n"
    sources = [*NOWHERE, *NOWHERE_6]
    outcome = route(tmp_path, config, [frame(source) for source in sources], [], ask=["show urpf-accept"])
    assert set(sources_of(outcome.frames[1])) == {"20.0.0.1", "2001:db8:21::1"}
    assert outcome.answers[0].splitlines() == ["table 0 20.0.0.0/8", "table 7 21.0.0.0/8", "table 0 2001:db8:21::/48"]
    (tmp_path / "strict").mkdir()
    strict = config.replace("ip4 rx loose", "ip4 rx strict")
    assert not route(tmp_path / "strict", strict, [frame("20.0.0.1")], []).frames[1]


def test_sources_may_be_looked_up_in_a_table_that_is_named(tmp_path: Path) -> None:
    config = CONFIG + "ip table add 7\nip route add 21.0.0.0/8 table 7 via 100.64.1.2 e0\n"
    config += "set urpf ip4 rx strict e0 table 7\n"
    sources = ["21.0.0.1", "16.0.0.1"]
    outcome = route(tmp_path, config, [frame(source) for source in sources], [], ask=["show urpf e0"])
    assert sources_of(outcome.frames[1]) == ["21.0.0.1"]
    assert outcome.answers[0].split() == ["e0", "ip4", "rx", "strict", "table", "7"]


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with shared(tmp_path, ["e0=ring:a"], "ip table add 7\ncreate loopback interface\n") as running:
        running.ask("set urpf ip4 rx loose e0 table 7")
        for line, message in {
            "ip table del 7": "looked up by tunnels or unicast RPF",
            "set urpf ip4 tx strict loop0": "loop0 is not a port, a bond or a sub-interface of one",
            "set urpf ip4 rx strict e0 table 8": "there is no IPv4 table 8",
            "set urpf-accept del 10.0.0.0/8": "sources of 10.0.0.0/8 are not accepted in table 0",
        }.items():
            with pytest.raises(WirespeedError, match=message):
                running.ask(line)
        running.ask("set urpf ip4 rx off e0")
        running.ask("ip table del 7")
