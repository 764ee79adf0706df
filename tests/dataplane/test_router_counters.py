"""Counters of routes and adjacencies of the real router: by command, in the statistics, by the API."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, route, router, wait_received, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from vpp_papi.vpp_stats import VPPStats

from wirespeed.errors import EnvironmentFault
from wirespeed.statseg.segment import StatsSegment

CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/24
set interface ip address e1 100.64.2.1/24
set interface ip address e0 2001:db8:1::1/64
set interface ip address e1 2001:db8:2::1/64
ip table add 7
ip neighbor e1 100.64.2.2 {HOST1}
ip neighbor e1 2001:db8:2::2 {HOST1}
ip route add 48.0.0.0/16 via 100.64.2.2
ip route add 48.1.0.0/16 via 100.64.2.2
ip route add 50.0.0.0/16 via 48.1.0.9
ip route add 51.0.0.0/16 via ip4-lookup-in-table 7
ip route add 51.0.0.0/17 table 7 via 100.64.2.2 e1
ip route add 2001:db8:48::/48 via 2001:db8:2::2
"""
ON = "route counters enable\nadjacency counters enable\n"
IP4_BYTES, IP6_BYTES, ETHERNET = 28, 48, 14


def frame(destination: str) -> bytes:
    source = "2001:db8:1::2" if ":" in destination else "100.64.1.2"
    ip: Packet = IPv6(src=source, dst=destination) if ":" in destination else IP(src=source, dst=destination)
    return bytes(Ether(src=HOST0, dst=ROUTER0) / ip / UDP(sport=1, dport=2))


SENT = {"48.0.0.1": 3, "48.1.0.1": 4, "50.0.0.1": 5, "51.0.0.1": 6, "2001:db8:48::1": 7}
FRAMES = [frame(destination) for destination, count in SENT.items() for _ in range(count)]
# By prefix: packets to it, and packets of other routes whose next hop was resolved through it.
EXPECTED = {
    "48.0.0.0/16": (3, 0),
    "48.1.0.0/16": (4, 5),
    "50.0.0.0/16": (5, 0),
    "51.0.0.0/16": (6, 0),
    "51.0.0.0/17": (6, 0),
    "2001:db8:48::/48": (7, 0),
}
_BALANCE = re.compile(r"^(\S+)\n  unicast.*\n.*index:(\d+) buckets:1 to:\[(\d+):(\d+)\](?: via:\[(\d+):(\d+)\])?", re.M)


def counted(text: str) -> dict[str, tuple[int, ...]]:
    """By prefix: index, packets, bytes, and packets and bytes of other routes."""
    return {prefix: tuple(int(number or 0) for number in numbers) for prefix, *numbers in _BALANCE.findall(text)}


def test_each_route_and_next_hop_counts_its_own(tmp_path: Path) -> None:
    asked = ["show ip fib", "show ip fib table 7", "show ip6 fib", "show adj", "show ip fib 48.1.0.0/16"]
    outcome = route(tmp_path, CONFIG + ON, FRAMES, [], ask=asked)
    assert len(outcome.frames[1]) == len(FRAMES)
    found = counted("\n".join(outcome.answers[:3]))
    for prefix, (to, via) in EXPECTED.items():
        size = IP6_BYTES if ":" in prefix else IP4_BYTES
        assert found[prefix][1:] == (to, to * size, via, via * size), prefix
    assert "to:[4:112] via:[5:140]" in outcome.answers[4]
    of = {line.split()[3]: line for line in outcome.answers[3].splitlines()}
    assert of["100.64.2.2"].endswith(f" counts:[18:{18 * (IP4_BYTES + ETHERNET)}]")
    assert of["2001:db8:2::2"].endswith(f" counts:[7:{7 * (IP6_BYTES + ETHERNET)}]")


def test_nothing_counts_unless_it_is_asked_for(tmp_path: Path) -> None:
    outcome = route(tmp_path, CONFIG, FRAMES, [], ask=["show ip fib", "show adj"])
    assert len(outcome.frames[1]) == len(FRAMES)
    assert "to:[" not in outcome.answers[0] and "counts:[" not in outcome.answers[1]


def test_statistics_have_them_by_index_for_vpps_tools(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", FRAMES)
    ports = [f"e0=pcap:{tmp_path}/in.pcap,{tmp_path}/out0.pcap", f"e1=pcap:{tmp_path}/in1.pcap,{tmp_path}/out1.pcap"]
    write_pcap(tmp_path / "in1.pcap", [])
    with router(tmp_path, ports, CONFIG + ON) as running:
        wait_received(running, len(FRAMES))
        found = counted(running.ask("show ip fib"))
        stats = VPPStats(str(tmp_path / "stats.sock"))
        stats.connect()
        try:
            index, to, bytes_to, via, bytes_via = found["48.1.0.0/16"]
            assert stats["/net/route/to"][:, index].sum_packets() == to == 4
            assert stats["/net/route/to"][:, index].sum_octets() == bytes_to
            assert stats["/net/route/via"][:, index].sum_packets() == via == 5
            assert stats["/net/route/via"][:, index].sum_octets() == bytes_via
            adjacency = next(line for line in running.ask("show adj").splitlines() if " 100.64.2.2 " in line)
            number = int(adjacency.split("]")[0][2:])
            assert stats["/net/adjacency"][:, number].sum_packets() == 18
            with StatsSegment(tmp_path / "router.stats") as segment:
                assert segment.read(["^/net/route/to$"])["/net/route/to"].columns[index] == (to, bytes_to)
            running.ask("route counters disable")
            running.ask("adjacency counters disable")
            assert not list(stats.ls(["^/net/"]))
        finally:
            stats.disconnect()


def test_a_million_routes_need_room_that_is_told_of(tmp_path: Path) -> None:
    """If the statistics have no room, nothing changes."""
    config = tmp_path / "startup.conf"
    config.write_text("statseg { size 12M }\n")
    many = CONFIG + "ip route add 60.0.0.0/28 count 19000 via 100.64.2.2\n"
    write_pcap(tmp_path / "in.pcap", [])
    ports = [f"e{n}=pcap:{tmp_path}/in.pcap,{tmp_path}/out{n}.pcap" for n in range(2)]
    with router(tmp_path, ports, many, "--config", str(config)) as running:
        before = running.ask("show ip fib 60.0.0.0/28")
        running.ask("route counters enable")
        assert "to:[0:0]" in running.ask("show ip fib 60.0.0.0/28")
        running.ask("route counters disable")
        assert running.ask("show ip fib 60.0.0.0/28") == before
    config.write_text("statseg { size 7500K }\n")
    with router(tmp_path, ports, many, "--config", str(config)) as running:
        with pytest.raises(EnvironmentFault, match="allows 7500 kB; allow more"):
            running.ask("route counters enable")
        assert running.ask("show ip fib 60.0.0.0/28") == before
