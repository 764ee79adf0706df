"""Interfaces that Linux has too, for both families: Linux resolves neighbors and replies, the router forwards."""

import re

import pytest
from harness.waiting import wait_for
from sandbox import IP4, IP6, PAIRED, PORTS, needs, router, unchanged

pytestmark = needs("iperf3", "traceroute")


@pytest.fixture(scope="module")
def paired(shared_box):
    with router(shared_box, PORTS, PAIRED + IP4 + IP6) as made:
        shared_box.hosts()
        yield made


@pytest.fixture
def box(shared_box):
    return shared_box


@pytest.fixture
def running(paired):
    with unchanged(paired) as made:
        yield made


def test_linux_answers_asks_and_is_seen_on_the_way(box, running):
    box.wait_ping("h1", "2001:db8:1::1")
    box.wait_ping("dataplane", "2001:db8:2::2")
    box.wait_ping("h1", "2001:db8:2::2")
    assert box.hops("h1", "2001:db8:2::2") == ["2001:db8:1::1", "2001:db8:2::2"]
    assert box.ping("h1", "ff02::1%h1")
    # Linux resolved the neighbor, and the router got it from Linux.
    mac = box.run("cat", "/sys/class/net/h2/address", netns="h2").strip()
    assert f"2001:db8:2::2 dev e1 lladdr {mac}" in box.run("ip", "-6", "neigh", netns="dataplane")
    assert re.search(rf" 2001:db8:2::2 +\S+ +{mac} ", running.ask("show ip6 neighbors"))
    errors = running.ask("show errors")
    assert "packets to Linux" in errors
    assert "icmp6-echo-request" not in errors
    assert "icmp6-neighbor-solicitation" not in errors


def test_both_sides_have_one_link_local_address(box, running):
    shown = box.run("ip", "-6", "addr", "show", "dev", "e0", "scope", "link", netns="dataplane")
    own = re.search(r"inet6 (fe80::\S+)/64", shown)
    assert own
    assert own[1] in running.ask("show ip6 interface e0")
    box.wait_ping("h1", f"{own[1]}%h1")


def test_a_route_of_linux_by_a_link_local_address(box, running):
    found = re.search(r"inet6 (fe80::\S+)/64", box.run("ip", "-6", "addr", "show", "dev", "h2", netns="h2"))
    assert found
    box.run("ip", "addr", "add", "2001:db8:9::1/128", "dev", "lo", "nodad", netns="h2")
    box.run("ip", "route", "add", "2001:db8:9::/48", "via", found[1], "dev", "e1", netns="dataplane")
    wait_for(lambda: "2001:db8:9::/48" in running.ask("show ip6 fib 2001:db8:9::1"), "Linux's route")
    box.wait_ping("h1", "2001:db8:9::1")
    box.run("ip", "route", "del", "2001:db8:9::/48", netns="dataplane")
    wait_for(lambda: "2001:db8:9::/48" not in running.ask("show ip6 fib 2001:db8:9::1"), "the end of Linux's route")
    assert not box.ping("h1", "2001:db8:9::1")


@pytest.mark.parametrize(("host", "own"), [("10.2.0.2", "10.2.0.1"), ("2001:db8:2::2", "2001:db8:2::1")])
def test_the_router_pings_as_linux_does(box, running, host, own):
    """Replies go to the sender of the request, through the same interface at the same time."""
    box.wait_ping("h2", own)
    linux = box.spawn("ping", "-n", "-i", "0.1", "-c", "20", host, netns="dataplane")
    assert " 0% packet loss" in running.ask(f"ping {host} repeat 5 interval 0.3")
    linux.popen.wait()
    assert " 0% packet loss" in linux.said()


@pytest.mark.parametrize("server", ["10.2.0.2", "2001:db8:2::2", "10.1.0.1", "2001:db8:1::1"])
def test_tcp_passes_the_router_and_reaches_linux(box, running, server):
    """Through the router to a host, or to Linux's own end of the pair."""
    box.wait_ping("h1", server)
    netns = "h2" if server.endswith("2") else "dataplane"
    end = box.transfer("h1", netns, server, "-n", "8M")
    assert end["sum_sent"]["bytes"] >= 8_000_000
    assert end["sum_received"]["bytes"] >= 2_000_000
