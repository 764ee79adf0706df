"""Duplicate address detection with a Linux host at the other end of the link."""

from __future__ import annotations

from harness.waiting import wait_for
from sandbox import PORTS, UP, needs, router

pytestmark = needs()

OWN = ("2001:db8:1::1", "2001:db8:2::1")
ADDRESSES = [f"set interface ip address e{number} {address}/64" for number, address in enumerate(OWN)]


def test_an_address_that_a_host_has_is_not_used(box):
    with router(box, PORTS, "set ip6 dad all transmits 1\n" + UP) as running:
        # One host already has the router's new address, the other one does not.
        for name, address in (("h1", OWN[0]), ("h2", "2001:db8:2::2")):
            box.run("ip", "addr", "add", f"{address}/64", "dev", name, "nodad", netns=name)
            box.run("ip", "link", "set", name, "up", netns=name)
        for line in ADDRESSES:
            running.ask(line)
        wait_for(lambda: f"{OWN[0]}/64 duplicate" in running.ask("show interface address e0"), "a duplicate")
        mac = box.run("cat", "/sys/class/net/h1/address", netns="h1").strip()
        told = f"wirespeed: interface e0: {OWN[0]} is the address of {mac}; it is not used here"
        wait_for(lambda: told in running.process.said(), "the line about it")
        assert f"{OWN[0]}, subnet is 2001:db8:1::/64 duplicate" in running.ask("show ip6 interface e0")
        assert f"{OWN[0]}/128" not in running.ask(f"show ip6 fib {OWN[0]}")

        box.wait_ping("h2", OWN[1])
        shown = running.ask("show interface address e1")
        assert f"{OWN[1]}/64" in shown and "tentative" not in shown and "duplicate" not in shown

        # Deleted on the host: the router uses the address after a new probe.
        box.run("ip", "addr", "del", f"{OWN[0]}/64", "dev", "h1", netns="h1")
        box.run("ip", "addr", "add", "2001:db8:1::2/64", "dev", "h1", "nodad", netns="h1")
        running.ask(f"set interface ip address del e0 {OWN[0]}/64")
        running.ask(ADDRESSES[0])
        box.wait_ping("h1", OWN[0])
        assert "duplicate" not in running.ask("show interface address e0")


def test_a_host_that_wants_the_routers_address_does_not_get_it(box):
    """Here Linux probes, and the router replies."""
    with router(box, PORTS, "set ip6 dad all transmits 1\n" + UP + ADDRESSES[0] + "\n") as running:
        box.run("ip", "link", "set", "h1", "up", netns="h1")
        wait_for(lambda: "tentative" not in running.ask("show interface address e0"), "an address that is used")
        box.run("ip", "addr", "add", f"{OWN[0]}/64", "dev", "h1", netns="h1")
        wait_for(lambda: "dadfailed" in box.run("ip", "-6", "addr", "show", "dev", "h1", netns="h1"), "Linux's refusal")
        assert "duplicate" not in running.ask("show interface address e0")


def test_without_it_an_address_is_used_at_once(box):
    with router(box, PORTS, UP + "\n".join(ADDRESSES) + "\n") as running:
        assert "ND DAD is disabled" in running.ask("show ip6 interface e0")
        shown = running.ask("show interface address")
        assert all(f"{address}/64" in shown for address in OWN)
        assert "tentative" not in shown
        assert f"{OWN[0]}/128" in running.ask(f"show ip6 fib {OWN[0]}")
