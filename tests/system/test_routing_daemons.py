"""BIRD and FRR beside the router: their routes forward, through their deaths as well."""

import re

import pytest
from routing_daemons import Bird, Frr, static_routes
from sandbox import Router, needs, router, sandbox, wait_for

pytestmark = needs("bird", "zebra", "vtysh")

ROUTES = 100_000
PORTS = ("e0=tap:h1,netns=h1", "e1=tap:p1,netns=peer")
CONFIG = """
lcp default netns dataplane
lcp lcp-sync on
lcp create e0 host-if e0
lcp create e1 host-if e1
set interface state e0 up
set interface state e1 up
set interface ip address e0 10.1.0.1/24
set interface ip address e1 10.2.0.1/24
"""
KERNEL = "protocol kernel { scan time 2; ipv4 { export all; }; }\n"


@pytest.fixture
def box(tmp_path):
    with sandbox(tmp_path) as made:
        made.namespace("h1", "peer", "dataplane")
        yield made


@pytest.fixture
def running(box):
    with router(box, PORTS, CONFIG, "--max-routes", "200000") as made:
        box.host("h1", "h1", "10.1.0.2/24", "10.1.0.1")
        box.host("peer", "p1", "10.2.0.2/24", "10.2.0.1")
        # What the peer announces, and where a ping to it ends.
        box.run("ip", "addr", "add", "198.51.100.1/32", "dev", "lo", netns="peer")
        yield made


def routes_of_linux(running: Router) -> int:
    return int(re.search(r"routes (\d+)", running.ask("show lcp")).group(1))


def bgp(role: str, own: int, peer: int) -> str:
    addresses = {65001: "10.2.0.1", 65002: "10.2.0.2"}
    channel = "import all; export none;" if role == "receiver" else "import none; export all; next hop self;"
    return f"""
    protocol bgp peer {{
        local {addresses[own]} as {own};
        neighbor {addresses[peer]} as {peer};
        connect retry time 1; connect delay time 1; error wait time 1, 2;
        ipv4 {{ {channel} }};
    }}
    """


class Pings:
    """Ten a second for five seconds, while something happens."""

    def __init__(self, box, netns: str, target: str) -> None:
        self._process = box.spawn("ping", "-n", "-i", "0.1", "-c", "50", target, netns=netns)

    def lost_percent(self) -> float:
        self._process.popen.wait()
        return float(re.search(r"([0-9.]+)% packet loss", self._process.said()).group(1))


def test_a_table_of_bird_by_bgp(box, running):
    peer = Bird(
        box,
        "peer",
        "10.2.0.2",
        "protocol static own { ipv4; route 198.51.100.0/24 blackhole; }\n"
        + static_routes(ROUTES)
        + bgp("sender", 65002, 65001),
    )
    own = Bird(box, "dataplane", "10.2.0.1", KERNEL + bgp("receiver", 65001, 65002))
    wait_for(lambda: own.is_established("peer"), "the BGP session")
    wait_for(lambda: routes_of_linux(running) == ROUTES + 1, "all routes", 120)
    assert "10.2.0.2" in running.ask("show ip fib 20.1.2.3")
    box.wait_ping("h1", "198.51.100.1")
    assert "rejected 0" in running.ask("show lcp")

    # The daemon dies: what it put into the kernel stays, and forwards.
    pinging = Pings(box, "h1", "198.51.100.1")
    own.process.kill()
    own.start()
    assert pinging.lost_percent() < 10
    wait_for(lambda: own.is_established("peer"), "the BGP session")
    wait_for(lambda: routes_of_linux(running) == ROUTES + 1, "all routes", 120)
    assert box.ping("h1", "198.51.100.1")

    # The peer dies: its routes go, on the whole way.
    peer.process.kill()
    wait_for(lambda: routes_of_linux(running) == 0, "the end of the peer's routes", 300)
    assert "10.2.0.2" not in running.ask("show ip fib 20.1.2.3")
    assert not box.ping("h1", "198.51.100.1")


OSPF = """
protocol ospf v2 area0 {{
    ipv4 {{ import all; export {export}; }};
    area 0 {{ interface "{interface}" {{ hello 1; dead 4; wait 2; type ptp; }}; {stub} }};
}}
"""


def test_ospf_of_bird_over_multicast(box, running):
    Bird(
        box,
        "peer",
        "10.2.0.2",
        OSPF.format(export="none", interface="p1", stub='interface "lo" { stub; };'),
    )
    own = Bird(box, "dataplane", "10.2.0.1", KERNEL + OSPF.format(export="none", interface="e1", stub=""))
    wait_for(lambda: "Full" in own.ask("show", "ospf", "neighbors"), "the adjacency")
    wait_for(lambda: "198.51.100.1/32" in running.ask("show ip fib 198.51.100.1"), "the route of OSPF")
    box.wait_ping("h1", "198.51.100.1")
    # The link goes: so does the adjacency, and the route with it.
    running.ask("set interface state e1 down")
    wait_for(lambda: "198.51.100.1/32" not in running.ask("show ip fib 198.51.100.1"), "the end of the route")
    running.ask("set interface state e1 up")
    wait_for(lambda: "198.51.100.1/32" in running.ask("show ip fib 198.51.100.1"), "the route again")
    box.wait_ping("h1", "198.51.100.1")


def test_frr_with_bgp_and_ospf(box, running):
    Bird(
        box,
        "peer",
        "10.2.0.2",
        "protocol static own { ipv4; route 203.0.113.0/24 blackhole; }\n"
        + bgp("sender", 65002, 65001)
        + OSPF.format(export="none", interface="p1", stub='interface "lo" { stub; };'),
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
    # Killed and started again under traffic: the kernel keeps the routes while they are away.
    pinging = Pings(box, "h1", "198.51.100.1")
    for process in frr.processes.values():
        process.kill()
    frr.start()
    wait_for(lambda: "Established" in frr.ask("bgpd", "show bgp neighbors"), "the BGP session", 120)
    assert pinging.lost_percent() < 10
    box.wait_ping("h1", "198.51.100.1")
    assert "203.0.113.0/24" in running.ask("show ip fib 203.0.113.1")
