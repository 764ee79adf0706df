"""IPv6 between Linux hosts in namespaces of their own, on both sides of the router."""

import re

import pytest
from harness.waiting import wait_for
from sandbox import IP6, PORTS, needs, router

pytestmark = needs("traceroute")


def test_hosts_reach_each_other_and_see_the_way(box):
    with router(box, PORTS, IP6) as running:
        box.hosts()
        box.wait_ping("h1", "2001:db8:2::2")
        # Both hosts have resolved the router, and the router both hosts.
        shown = running.ask("show ip6 neighbors")
        for host in ("2001:db8:1::2", "2001:db8:2::2"):
            assert re.search(rf" {host} +DS? +[0-9a-f:]{{17}} ", shown), shown
        assert box.ping("h1", "2001:db8:1::1")
        assert box.ping("h1", "2001:db8:2::1")
        assert box.ping("h1", "ff02::2%h1")
        assert box.hops("h1", "2001:db8:2::2") == ["2001:db8:1::1", "2001:db8:2::2"]
        assert "No route" in box.try_run("ping", "-c", "1", "-W", "2", "2001:db8:9::1", netns="h1")[1]


def test_the_router_pings_hosts_by_either_kind_of_address(box):
    with router(box, PORTS, IP6) as running:
        box.hosts()
        box.wait_ping("h1", "2001:db8:1::1")
        assert " 0% packet loss" in running.ask("ping 2001:db8:1::2 repeat 3 interval 0.2")
        link_local = re.search(r"inet6 (fe80::\S+)/64", box.run("ip", "-6", "addr", "show", "dev", "h1", netns="h1"))
        assert link_local
        # The first packet makes the router resolve the neighbor.
        ping = f"ping {link_local[1]} source e0 repeat 2 interval 0.2"
        wait_for(lambda: " 0% packet loss" in running.ask(ping), "replies")


def test_a_path_mtu_is_found(box):
    with router(box, PORTS, IP6 + "set interface mtu packet 1300 e1\n"):
        box.hosts()
        box.wait_ping("h1", "2001:db8:2::2")
        code, said = box.try_run("ping", "-M", "do", "-c", "1", "-W", "2", "-s", "1400", "2001:db8:2::2", netns="h1")
        assert code != 0 and "mtu=1300" in said.replace(" ", "").lower(), said
        assert "mtu 1300" in box.run("ip", "-6", "route", "get", "2001:db8:2::2", netns="h1")
        # From now on the sender fragments to that length.
        box.wait_ping("h1", "2001:db8:2::2", "-s", "2000")


@pytest.mark.long("the time-outs of neighbor discovery")
def test_a_silent_neighbor_is_asked_and_forgotten(box):
    config = IP6 + "set ip neighbor-config ip6 age 1\n"
    with router(box, PORTS, config) as running:
        box.hosts()
        box.wait_ping("h1", "2001:db8:2::2")
        # Silent for some time, then probed, it replies.
        wait_for(lambda: re.search(r"2001:db8:2::2 +DS ", running.ask("show ip6 neighbors")), "silence")
        wait_for(lambda: re.search(r"2001:db8:2::2 +D ", running.ask("show ip6 neighbors")), "an answer")
        box.run("ip", "link", "set", "h2", "down", netns="h2")
        wait_for(
            lambda: not re.search(r"2001:db8:2::2 +D", running.ask("show ip6 neighbors")), "the neighbor's end", 120.0
        )


def test_a_host_configures_itself_by_router_advertisements(box):
    config = IP6 + "ip6 nd e0 ra-interval 4 3\nip6 nd e0 ra-lifetime 60\nip6 nd e0 no ra-suppress\n"
    with router(box, PORTS, config):
        box.host("h2", "h2", "2001:db8:2::2/64", "2001:db8:2::1")
        box.run("sysctl", "-q", "-w", "net.ipv6.conf.h1.accept_ra=2", netns="h1")
        box.run("ip", "link", "set", "h1", "up", netns="h1")
        wait_for(
            lambda: "2001:db8:1:" in box.run("ip", "-6", "addr", "show", "dev", "h1", "scope", "global", netns="h1"),
            "an address of the advertised prefix",
        )
        assert "default via fe80::" in box.run("ip", "-6", "route", netns="h1")
        box.wait_ping("h1", "2001:db8:2::2")
