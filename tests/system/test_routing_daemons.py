"""BIRD and FRR with the router: their routes are used, also while the daemons are dead."""

import os
import re
import signal

import pytest
from harness.waiting import wait_for
from routing_daemons import Bird, Frr, static_routes
from sandbox import IP4, IP6, PAIRED, PORTS, Router, needs, router

pytestmark = needs("bird", "zebra", "vtysh")

ROUTES = 100_000
KERNEL = """
protocol kernel { scan time 2; ipv4 { export all; }; }
protocol kernel { scan time 2; ipv6 { export all; }; }
"""


@pytest.fixture
def running(box):
    with router(box, PORTS, PAIRED + IP4 + IP6, "--max-routes", "200000") as made:
        box.hosts()
        # An announcement of the peer, and the end of a ping to it.
        box.run("ip", "addr", "add", "198.51.100.1/32", "dev", "lo", netns="h2")
        box.run("ip", "addr", "add", "2001:db8:99::1/128", "dev", "lo", "nodad", netns="h2")
        yield made


def routes_of_linux(running: Router) -> int:
    return int(re.search(r"routes (\d+)", running.ask("show lcp")).group(1))


def bgp(role: str, own: int, peer: int, family: int = 4) -> str:
    network = "10.2.0." if family == 4 else "2001:db8:2::"
    addresses = {65001: f"{network}1", 65002: f"{network}2"}
    channel = "import all; export none;" if role == "receiver" else "import none; export all; next hop self;"
    return f"""
    protocol bgp peer{family} {{
        local {addresses[own]} as {own};
        neighbor {addresses[peer]} as {peer};
        connect retry time 1; connect delay time 1; error wait time 1, 2;
        ipv{family} {{ {channel} }};
    }}
    """


class Pings:
    """Ten pings per second during the block."""

    def __init__(self, box, netns: str, target: str) -> None:
        self._process = box.spawn("ping", "-n", "-i", "0.1", "-W", "20", target, netns=netns)

    def lost(self) -> int:
        """Number of lost pings out of at least eleven, without the last one, whose reply may be in flight."""
        wait_for(lambda: "icmp_seq=11 " in self._process.said(), "eleven answers")
        os.kill(self._process.pid, signal.SIGINT)
        self._process.popen.wait()
        said = self._process.said()
        sent, answered = map(int, re.search(r"(\d+) packets transmitted, (\d+) received", said).groups())
        last = max(map(int, re.findall(r"icmp_seq=(\d+) ttl=", said)), default=0)
        return sent - answered - (last == sent - 1)


@pytest.mark.long("a full table by BGP, and its end")
def test_a_table_of_bird_by_bgp(box, running):
    peer = Bird(
        box,
        "h2",
        "10.2.0.2",
        "protocol static own { ipv4; route 198.51.100.0/24 blackhole; }\n"
        + static_routes(ROUTES)
        + bgp("sender", 65002, 65001),
    )
    own = Bird(box, "dataplane", "10.2.0.1", KERNEL + bgp("receiver", 65001, 65002))
    wait_for(lambda: own.is_established("peer4"), "the BGP session")
    wait_for(lambda: routes_of_linux(running) == ROUTES + 1, "all routes", 120)
    assert "10.2.0.2" in running.ask("show ip fib 20.1.2.3")
    box.wait_ping("h1", "198.51.100.1")
    assert "rejected 0" in running.ask("show lcp")

    # The daemon dies: its routes stay in the kernel and are used.
    touched, untouched = Pings(box, "h1", "198.51.100.1"), Pings(box, "h1", "10.2.0.2")
    own.process.kill()
    own.start()
    assert untouched.lost() == 0
    assert touched.lost() < 8
    wait_for(lambda: own.is_established("peer4"), "the BGP session")
    wait_for(lambda: routes_of_linux(running) == ROUTES + 1, "all routes", 120)
    assert box.ping("h1", "198.51.100.1")

    # The peer dies: its routes are deleted everywhere.
    peer.process.kill()
    wait_for(lambda: routes_of_linux(running) == 0, "the end of the peer's routes", 300)
    assert "10.2.0.2" not in running.ask("show ip fib 20.1.2.3")
    assert not box.ping("h1", "198.51.100.1")


OSPF = """
protocol ospf v{version} area{version} {{
    ipv{family} {{ import all; export {export}; }};
    area 0 {{ interface "{interface}" {{ hello 1; dead 4; wait 2; type ptp; }}; {stub} }};
}}
"""
LOOPBACK = 'interface "lo" { stub; };'


def ospf(interface: str, stub: str = "", family: int = 4, export: str = "none") -> str:
    version = 2 if family == 4 else 3
    return OSPF.format(version=version, family=family, interface=interface, stub=stub, export=export)


@pytest.mark.long("an adjacency of OSPF takes ten seconds; FRR's with BGP is in `make test`")
def test_ospf_of_bird_over_multicast(box, running):
    Bird(
        box,
        "h2",
        "10.2.0.2",
        ospf("h2", LOOPBACK),
    )
    own = Bird(box, "dataplane", "10.2.0.1", KERNEL + ospf("e1"))
    wait_for(lambda: "Full" in own.ask("show", "ospf", "neighbors"), "the adjacency")
    wait_for(lambda: "198.51.100.1/32" in running.ask("show ip fib 198.51.100.1"), "the route of OSPF")
    box.wait_ping("h1", "198.51.100.1")
    # The link goes down: the adjacency ends, and the route is deleted with it.
    running.ask("set interface state e1 down")
    wait_for(lambda: "198.51.100.1/32" not in running.ask("show ip fib 198.51.100.1"), "the end of the route")
    running.ask("set interface state e1 up")
    wait_for(lambda: "198.51.100.1/32" in running.ask("show ip fib 198.51.100.1"), "the route again")
    box.wait_ping("h1", "198.51.100.1")


@pytest.mark.long("BGP and OSPF over IPv4 are in `make test`")
def test_bgp_and_ospf3_over_ip6(box, running):
    """Sessions between global and between link-local addresses, through a pair; then the daemon dies under traffic."""
    announced = "route 2001:db8:77::/48 blackhole; route 2001:db8:99::1/128 blackhole;"
    peer = f"protocol static own {{ ipv6; {announced} }}\n" + bgp("sender", 65002, 65001, 6)
    Bird(box, "h2", "10.2.0.2", peer + ospf("h2", family=6, export="where net = 2001:db8:99::1/128"))
    own = Bird(box, "dataplane", "10.2.0.1", KERNEL + bgp("receiver", 65001, 65002, 6) + ospf("e1", family=6))

    def routes_are_there() -> bool:
        by_ospf = "2001:db8:99::1/128" in own.ask("show", "route", "primary", "protocol", "area3")
        return by_ospf and all(f"{net}\n" in running.ask("show ip6 fib") for net in announced.split()[1::3])

    wait_for(routes_are_there, "the routes of OSPFv3 and BGP", 120)
    assert own.is_established("peer6")
    assert "Full" in own.ask("show", "ospf", "neighbors", "area3")
    box.wait_ping("h1", "2001:db8:99::1")
    assert "rejected 0" in running.ask("show lcp")

    untouched = Pings(box, "h1", "2001:db8:2::2")
    own.process.kill()
    own.start()
    assert untouched.lost() == 0
    wait_for(lambda: own.is_established("peer6") and routes_are_there(), "the routes again", 120)
    box.wait_ping("h1", "2001:db8:99::1")


def test_frr_with_bgp_and_ospf(box, running):
    Bird(
        box,
        "h2",
        "10.2.0.2",
        "protocol static own { ipv4; route 203.0.113.0/24 blackhole; }\n"
        + bgp("sender", 65002, 65001)
        + ospf("h2", LOOPBACK),
    )
    frr = Frr(
        box,
        "dataplane",
        ("bgpd", "ospfd"),
        """
interface e1
 ip ospf hello-interval 1
 ip ospf dead-interval 4
router ospf
 ospf router-id 10.2.0.1
 network 10.2.0.0/24 area 0
router bgp 65001
 bgp router-id 10.2.0.1
 no bgp ebgp-requires-policy
 neighbor 10.2.0.2 remote-as 65002
 neighbor 10.2.0.2 timers connect 1
""",
    )
    wait_for(lambda: "198.51.100.1/32" in running.ask("show ip fib 198.51.100.1"), "the route of OSPF", 120)
    wait_for(lambda: "203.0.113.0/24" in running.ask("show ip fib 203.0.113.1"), "the route of BGP", 120)
    box.wait_ping("h1", "198.51.100.1")
    # Killed and started again under traffic: the kernel keeps the routes in the meantime.
    touched, untouched = Pings(box, "h1", "198.51.100.1"), Pings(box, "h1", "10.2.0.2")
    for process in frr.processes.values():
        process.kill()
    frr.start()
    wait_for(lambda: "Established" in frr.ask("bgpd", "show bgp neighbors"), "the BGP session", 120)
    assert untouched.lost() == 0
    assert touched.lost() < 8
    box.wait_ping("h1", "198.51.100.1")
    assert "203.0.113.0/24" in running.ask("show ip fib 203.0.113.1")
