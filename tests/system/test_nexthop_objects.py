"""Routes in Linux with next-hop objects (`ip nexthop`): the router's routes follow the objects."""

import re

import pytest
from harness.waiting import wait_for
from sandbox import IP4, PAIRED, PORTS, needs, router

pytestmark = needs()


@pytest.fixture
def running(box):
    with router(box, PORTS, f"{PAIRED}{IP4}") as made:
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        # The kernel reports only changed objects, as when routing daemons have disabled the other messages.
        box.run("sysctl", "-q", "-w", "net.ipv4.nexthop_compat_mode=0", netns="dataplane")
        yield made


def linux(box, line: str) -> None:
    box.run("ip", *line.split(), netns="dataplane")


def test_a_route_follows_its_object(box, running):
    box.run("ip", "addr", "add", "48.0.0.1/32", "dev", "lo", netns="h2")
    linux(box, "nexthop add id 1 via 10.2.0.2 dev e1")
    linux(box, "route add 48.0.0.0/8 nhid 1")
    wait_for(lambda: "10.2.0.2" in running.ask("show ip fib 48.0.0.0/8"), "the route")
    box.wait_ping("h1", "48.0.0.1")
    linux(box, "nexthop replace id 1 via 10.2.0.3 dev e1")
    wait_for(lambda: "10.2.0.3" in running.ask("show ip fib 48.0.0.0/8"), "the object's new next hop")
    assert "10.2.0.2" not in running.ask("show ip fib 48.0.0.0/8")
    # The kernel deletes the route without a message.
    linux(box, "nexthop del id 1")
    wait_for(lambda: "48.0.0.0/8" not in running.ask("show ip fib"), "the end of the route")


def test_a_group_has_weights_and_loses_members(box, running):
    linux(box, "nexthop add id 1 via 10.2.0.2 dev e1")
    linux(box, "nexthop add id 2 via 10.1.0.2 dev e0")
    linux(box, "nexthop add id 9 group 1,3/2")
    linux(box, "route add 48.0.0.0/8 nhid 9")
    wait_for(lambda: "10.1.0.2" in running.ask("show ip fib 48.0.0.0/8"), "the route")
    buckets = re.findall(r"\[\d+\] \[@\d+\]: ipv4 via (\S+) e\d:", running.ask("show ip fib 48.0.0.0/8"))
    assert sorted(buckets) == ["10.1.0.2", "10.2.0.2", "10.2.0.2", "10.2.0.2"]
    linux(box, "nexthop del id 2")
    wait_for(lambda: "10.1.0.2" not in running.ask("show ip fib 48.0.0.0/8"), "the end of a member")
    assert "10.2.0.2" in running.ask("show ip fib 48.0.0.0/8")
    # Objects are deleted with their link, and their routes with them.
    linux(box, "link set e1 down")
    wait_for(lambda: "48.0.0.0/8" not in running.ask("show ip fib"), "the end of the route")


def test_objects_that_were_there_before(box):
    """The router starts after the routing daemon; IPv6 as well."""
    linux(box, "link set lo up")
    linux(box, "nexthop add id 6 blackhole")
    linux(box, "route add 49.0.0.0/8 nhid 6")
    with router(box, PORTS, f"{PAIRED}{IP4}set interface ip address e1 2001:db8:2::1/64\n") as running:
        wait_for(lambda: "49.0.0.0/8" in running.ask("show ip fib"), "the route")
        assert "drop" in running.ask("show ip fib 49.0.0.0/8")
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        linux(box, "nexthop add id 5 via 2001:db8:2::2 dev e1")
        linux(box, "route add 2001:db8:48::/48 nhid 5")
        wait_for(lambda: "2001:db8:2::2" in running.ask("show ip6 fib 2001:db8:48::/48"), "the route of IPv6")
        linux(box, "nexthop replace id 6 via 10.2.0.2 dev e1")
        wait_for(lambda: "10.2.0.2" in running.ask("show ip fib 49.0.0.0/8"), "the object's next hop")
