"""Ports on existing Linux interfaces: veth pairs with hosts in namespaces at the other ends."""

import pytest
from harness.waiting import wait_for
from sandbox import IP4, IP6, PAIRED, needs, router

pytestmark = needs("ethtool", "iperf3", "traceroute")

PORTS = tuple(f"e{number}=af_packet:v{number + 1},mac=02:fe:00:00:00:0{number}" for number in (0, 1))


@pytest.fixture
def wires(box):
    for number in (1, 2):
        box.run("ip", "link", "add", f"v{number}", "type", "veth", "peer", f"h{number}", "netns", f"h{number}")
        box.run("sysctl", "-q", "-w", f"net.ipv6.conf.v{number}.disable_ipv6=1")
        box.run("ip", "link", "set", f"v{number}", "up")
        # The kernel would pass on unsegmented packets without checksums, which only a NIC completes.
        box.run("ethtool", "-K", f"h{number}", "tx", "off", "tso", "off", "gso", "off", netns=f"h{number}")
    return box


@pytest.mark.parametrize("pairs", ["", PAIRED])
def test_hosts_on_veth_reach_each_other(wires, pairs):
    with router(wires, PORTS, pairs + IP4 + IP6) as running:
        wires.hosts()
        for first, last in (("10.1.0.1", "10.2.0.2"), ("2001:db8:1::1", "2001:db8:2::2")):
            wires.wait_ping("h1", last)
            assert wires.hops("h1", last) == [first, last]
            end = wires.transfer("h1", "h2", last, "-n", "8M")
            assert end["sum_sent"]["bytes"] >= 8_000_000
            assert end["sum_received"]["bytes"] >= 2_000_000
        assert " 0% packet loss" in running.ask("ping 10.2.0.2 repeat 2 interval 0.2")


def link(running, name: str) -> str:
    return running.ask(f"show hardware-interfaces brief {name}").splitlines()[1].split()[2]


def test_a_link_is_followed_when_it_changes(wires):
    """Routes through a port whose link is down are not used, and Linux's side of a pair loses its carrier."""
    with router(wires, PORTS, PAIRED + IP4) as running:
        wires.hosts()
        wires.wait_ping("h1", "10.2.0.2")
        assert link(running, "e1") == "up"
        wires.run("ip", "link", "set", "h2", "down", netns="h2")
        wait_for(lambda: link(running, "e1") == "down", "the news of the link")
        wait_for(lambda: "NO-CARRIER" in wires.run("ip", "link", "show", "e1", netns="dataplane"), "the same in Linux")
        assert link(running, "e0") == "up"
        wires.host("h2", "h2", "10.2.0.3/24", "10.2.0.1")
        wait_for(lambda: link(running, "e1") == "up", "the link")
        wires.wait_ping("h1", "10.2.0.3")
        wires.run("ip", "link", "del", "v2")
        wait_for(lambda: link(running, "e1") == "down", "the end of the interface")
        assert wires.ping("h1", "10.1.0.1")


def test_a_port_takes_all_frames_while_it_has_something_in_layer_2(wires):
    def takes_all(port: int) -> bool:
        shown = f"promiscuous: unicast {'on' if is_promiscuous(wires, port) else 'off'}"
        assert shown in running.ask(f"show hardware-interfaces detail e{port - 1}")
        return is_promiscuous(wires, port)

    with router(wires, PORTS, IP4) as running:
        assert not takes_all(1) and not takes_all(2)
        running.ask("set interface l2 xconnect e0 e1")
        assert takes_all(1) and not takes_all(2)
        running.ask("set interface l3 e0")
        assert not takes_all(1)
        # A sub-interface needs it as well; the user's setting stays.
        running.ask("create sub-interfaces e1 7")
        running.ask("set interface l2 bridge e1.7 10")
        assert takes_all(2)
        running.ask("set interface promiscuous off e1")
        assert takes_all(2)
        running.ask("delete sub-interface e1.7")
        assert not takes_all(2)
        running.ask("set interface promiscuous on e0")
        running.ask("set interface l2 bridge e0 10")
        running.ask("set interface l3 e0")
        assert takes_all(1)
        running.ask("set interface promiscuous off e0")
        assert not takes_all(1)


def is_promiscuous(box, port: int) -> bool:
    """True if promiscuous mode was requested, by its flag or by the count of requesters."""
    return "promiscuity 0 " not in box.run("ip", "-d", "link", "show", f"v{port}") or "PROMISC" in box.run(
        "ip", "link", "show", f"v{port}"
    )
