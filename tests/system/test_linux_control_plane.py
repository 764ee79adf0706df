"""Interfaces that Linux has too: mirrored settings of a pair, and packets between Linux and the wire."""

import re

import pytest
from harness.waiting import wait_for
from sandbox import IP4, PAIRED, PORTS, needs, router

from wirespeed.errors import WirespeedError

pytestmark = needs("traceroute")

CONFIG = f"{PAIRED}set interface mtu packet 1400 e1\n{IP4}"


@pytest.fixture
def running(box):
    with router(box, PORTS, CONFIG) as made:
        box.hosts()
        yield made


def is_up(box, name: str) -> bool:
    flags = box.run("ip", "-br", "link", "show", name, netns="dataplane").split()[-1]
    return "UP" in flags.strip("<>").split(",")


def addresses(box, name: str) -> set[str]:
    return set(box.run("ip", "-br", "-4", "addr", "show", name, netns="dataplane").split()[2:])


def test_linux_has_what_the_router_has(box, running):
    assert is_up(box, "e0")
    assert "mtu 1400" in box.run("ip", "link", "show", "e1", netns="dataplane")
    mac = box.run("cat", "/sys/class/net/e0/address", netns="dataplane").strip()
    assert mac == "02:fe:00:00:00:00"
    assert addresses(box, "e0") == {"10.1.0.1/24"}
    running.ask("set interface ip address del e0 10.1.0.1/24")
    running.ask("set interface ip address e0 10.1.0.1/25")
    running.ask("set interface state e1 down")
    assert addresses(box, "e0") == {"10.1.0.1/25"}
    assert not is_up(box, "e1")


def test_the_router_has_what_linux_has(box, running):
    box.run("ip", "addr", "add", "192.0.2.1/30", "dev", "e0", netns="dataplane")
    box.run("ip", "link", "set", "e1", "mtu", "1300", "down", netns="dataplane")
    wait_for(lambda: "192.0.2.1/30" in running.ask("show interface addr"), "Linux's address")
    wait_for(lambda: "1300/" in running.ask("show interface e1"), "Linux's MTU")
    wait_for(lambda: " down " in running.ask("show interface e1"), "Linux's state")
    box.run("ip", "addr", "del", "192.0.2.1/30", "dev", "e0", netns="dataplane")
    wait_for(lambda: "192.0.2.1/30" not in running.ask("show interface addr"), "the end of Linux's address")


def test_linux_answers_and_asks(box, running):
    """ARP, ping to the router, ping from it, and transit, all at the same time."""
    box.wait_ping("h1", "10.1.0.1")
    box.wait_ping("dataplane", "10.2.0.2")
    box.wait_ping("h1", "10.2.0.2")
    assert box.hops("h1", "10.2.0.2") == ["10.1.0.1", "10.2.0.2"]
    errors = running.ask("show errors")
    assert "packets to Linux" in errors
    assert "packets from Linux" in errors
    # The router has sent no reply itself.
    assert "ARP replies sent" not in errors
    assert "echo replies sent" not in errors.lower()
    assert "10.2.0.2" in running.ask("show ip neighbors")


def test_routes_of_linux_come_and_go(box, running):
    def has(prefix: str) -> bool:
        return f"\n{prefix}\n" in running.ask("show ip fib")

    box.run("ip", "route", "add", "198.51.100.0/24", "via", "10.2.0.2", netns="dataplane")
    box.run("ip", "route", "add", "blackhole", "203.0.113.0/24", netns="dataplane")
    wait_for(lambda: has("198.51.100.0/24") and has("203.0.113.0/24"), "Linux's routes")
    box.run("ip", "addr", "add", "198.51.100.1/32", "dev", "h2", netns="h2")
    box.wait_ping("h1", "198.51.100.1")
    box.run("ip", "route", "del", "198.51.100.0/24", netns="dataplane")
    wait_for(lambda: not has("198.51.100.0/24"), "the end of Linux's route")
    # The kernel deletes routes without a message when a link goes down.
    box.run("ip", "route", "add", "198.51.100.0/24", "via", "10.2.0.2", netns="dataplane")
    wait_for(lambda: has("198.51.100.0/24"), "Linux's route")
    box.run("ip", "link", "set", "e1", "down", netns="dataplane")
    wait_for(lambda: not has("198.51.100.0/24"), "the end of a route by a link that is down")
    assert has("203.0.113.0/24")
    assert "rejected 0" in running.ask("show lcp")


@pytest.mark.long("the kernel's time-outs of neighbors")
def test_neighbors_of_a_pair_are_asked_whether_they_are_there(box, running):
    """Linux has no reason to probe a neighbor to which only the router sends."""
    running.ask("set ip neighbor-config ip4 age 1")
    box.wait_ping("h1", "10.2.0.2")
    learned = re.compile(r" 10\.2\.0\.2 +D[SP]? ")
    assert learned.search(running.ask("show ip neighbors"))
    box.run("ip", "link", "set", "h2", "arp", "off", netns="h2")
    wait_for(lambda: not learned.search(running.ask("show ip neighbors")), "the end of a neighbor that is silent", 60)
    box.run("ip", "link", "set", "h2", "arp", "on", netns="h2")
    box.wait_ping("h1", "10.2.0.2")


def test_neighbors_that_linux_forgets_are_asked(box, running):
    """A permanent neighbor is deleted with Linux's entry; one that replies to the router stays."""
    box.run("ip", "neigh", "add", "10.2.0.77", "lladdr", "02:aa:00:00:00:77", "dev", "e1", netns="dataplane")
    wait_for(lambda: re.search(r" 10\.2\.0\.77 +S ", running.ask("show ip neighbors")), "Linux's neighbor")
    box.run("ip", "neigh", "del", "10.2.0.77", "dev", "e1", netns="dataplane")
    wait_for(lambda: "10.2.0.77" not in running.ask("show ip neighbors"), "the end of Linux's neighbor")
    running.ask("ip neighbor e1 10.2.0.78 02:aa:00:00:00:78")
    box.run("ip", "neigh", "add", "10.2.0.78", "lladdr", "02:aa:00:00:00:79", "dev", "e1", netns="dataplane")
    box.run("ip", "neigh", "del", "10.2.0.78", "dev", "e1", netns="dataplane")
    box.wait_ping("dataplane", "10.2.0.2")
    assert re.search(r" 10\.2\.0\.78 +S +02:aa:00:00:00:78 ", running.ask("show ip neighbors"))


def test_a_router_that_starts_again_reads_everything(box, running):
    box.run("ip", "route", "add", "blackhole", "203.0.113.0/24", netns="dataplane")
    wait_for(lambda: "203.0.113.0/24" in running.ask("show ip fib"), "Linux's route")
    running.process.kill()
    box.run("ip", "route", "add", "blackhole", "203.0.114.0/24", netns="dataplane")
    running.start()
    wait_for(lambda: "203.0.114.0/24" in running.ask("show ip fib"), "Linux's routes")
    assert "203.0.113.0/24" in running.ask("show ip fib")
    box.host("h1", "h1", "10.1.0.2/24", "10.1.0.1")
    box.wait_ping("h1", "10.1.0.1")


def test_deleting_a_pair_leaves_the_interface(box, running):
    box.run("ip", "route", "add", "198.51.100.0/24", "via", "10.2.0.2", netns="dataplane")
    wait_for(lambda: "198.51.100.0/24" in running.ask("show ip fib"), "Linux's route")
    running.ask("lcp delete e1")
    wait_for(lambda: "198.51.100.0/24" not in running.ask("show ip fib"), "the end of Linux's route")
    assert "e1" not in box.run("ip", "-br", "link", netns="dataplane")
    assert "10.2.0.1/24" in running.ask("show interface addr")
    box.wait_ping("h2", "10.2.0.1")
    box.wait_ping("h1", "10.2.0.2")
    running.ask("lcp create e1 host-if e1")
    wait_for(lambda: addresses(box, "e1") == {"10.2.0.1/24"}, "the pair")
    box.wait_ping("h2", "10.2.0.1")


def configured(running) -> list[str]:
    """Settings only, since counters increase with the hosts' own packets."""
    lines = [line for line in running.ask("show interface").splitlines() if not line.startswith(" ")]
    return [
        *(" ".join(line.split()[:4]) for line in lines),
        running.ask("show interface addr"),
        running.ask("show lcp"),
    ]


REFUSED = {
    "lcp create e0 host-if lo netns h1": "the name is taken",
    "lcp create e0 host-if e0 netns nowhere": "there is no network namespace nowhere",
    "lcp create e0 host-if a-name-that-is-too-long": "1 to 15 bytes",
    "lcp delete e1": "interface e1 has no Linux side",
    "lcp create e1.5 host-if e1.5": "there is no interface 'e1.5'",
}


def test_what_cannot_be_is_one_line_and_changes_nothing(box):
    with router(box, PORTS, "") as running:
        before = configured(running)
        for line, told in REFUSED.items():
            with pytest.raises(WirespeedError, match=told) as refused:
                running.ask(line)
            assert "\n" not in str(refused.value)
            assert configured(running) == before, line


def test_a_namespace_that_vanishes(box, running):
    """The namespace's name disappears; its pairs keep working until they are deleted."""
    box.wait_ping("h1", "10.1.0.1")
    box.run("ip", "netns", "del", "dataplane")
    wait_for(lambda: "dataplane has been deleted" in running.process.said(), "the warning")
    assert "(deleted)" in running.ask("show lcp")
    assert box.ping("h1", "10.1.0.1")
    running.ask("lcp delete e0")
    with pytest.raises(WirespeedError, match="there is no network namespace dataplane"):
        running.ask("lcp create e0 host-if x0")
    running.ask("lcp delete e1")
    box.wait_ping("h1", "10.1.0.1")
    assert running.process.said().count("has been deleted") == 1
