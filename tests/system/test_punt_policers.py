"""A flood for Linux, to the router's own addresses, while a routing session and pings continue."""

from __future__ import annotations

import re
import sys

from harness.waiting import wait_for
from sandbox import IP4, PAIRED, PORTS, Router, Sandbox, needs, router

pytestmark = needs("iperf3")

POLICERS = "set punt policer ip4 rate 50 burst 20\nset punt policer arp rate 50 e1\n"
UDP_FLOOD = """
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    try:
        one.sendto(b"flood", ("10.1.0.1", 9))
    except OSError:
        pass
"""
# Requests from a non-existent host, for an unused address.
ARP_FLOOD = """
import socket
one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
one.bind(("h2", 0))
own = one.getsockname()[4]
asked = bytes((0, 1, 8, 0, 6, 4, 0, 1)) + own + bytes((10, 2, 0, 77)) + bytes(6) + bytes((10, 2, 0, 88))
while True:
    try:
        one.send(b"\\xff" * 6 + own + b"\\x08\\x06" + asked)
    except OSError:
        pass
"""


def policed(running: Router, reason: str, interface: str) -> tuple[int, int]:
    """Passed packets, and dropped ones."""
    shown = running.ask("show punt policer")
    found = re.search(rf"^ *{reason} +\d+ +\d+ +(\d+) +(\d+) +{interface}$", shown, re.M)
    assert found, shown
    return int(found[1]), int(found[2])


def udp_to_nobody(box: Sandbox) -> int:
    """Datagrams that Linux received without a socket for them."""
    names, values = (
        line.split() for line in box.run("grep", "^Udp:", "/proc/net/snmp", netns="dataplane").splitlines()
    )
    return int(values[names.index("NoPorts")])


def test_a_flood_leaves_room_for_routing(box):
    with router(box, PORTS, PAIRED + IP4 + POLICERS) as running:
        box.hosts()
        box.wait_ping("h1", "10.1.0.1")
        floods = [
            box.spawn(sys.executable, "-c", code, netns=host) for host, code in (("h1", UDP_FLOOD), ("h2", ARP_FLOOD))
        ]
        wait_for(lambda: policed(running, "ip4", "all")[1] > 1000, "a flood of UDP")
        wait_for(lambda: policed(running, "arp", "e1")[1] > 1000, "a flood of ARP")

        # BGP's port, to Linux's end of the pair.
        server = box.spawn("iperf3", "-s", "-1", "-p", "179", "--forceflush", netns="dataplane")
        wait_for(lambda: "listening" in server.said(), "iperf3's server")
        box.run("iperf3", "-c", "10.1.0.1", "-p", "179", "-n", "1M", netns="h1")
        # A host that has lost the router's MAC address gets it, whatever ARP there is on another link.
        box.run("ip", "neigh", "del", "10.1.0.1", "dev", "h1", netns="h1")
        box.wait_ping("h1", "10.1.0.1")
        assert all(flood.popen.poll() is None for flood in floods), [flood.said() for flood in floods]

        for flood in floods:
            flood.kill()
        wait_for(lambda: udp_to_nobody(box) >= policed(running, "ip4", "all")[0], "the last of what passed")
        passed, dropped = policed(running, "ip4", "all")
        assert udp_to_nobody(box) == passed and dropped > 1000
        errors = running.ask("show errors")
        for node, reason, interface in (("ip4-local", "ip4", "all"), ("arp-input", "arp", "e1")):
            count = policed(running, reason, interface)[1]
            assert re.search(rf"{count} +{node} +over the rate of a punt policer", errors), errors

        running.ask("set punt policer ip4 off")
        assert " ip4 " not in running.ask("show punt policer")
