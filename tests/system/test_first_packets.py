"""The first packet to an unresolved neighbour arrives, and senders to an absent neighbour get an error."""

import re

from harness.waiting import PATIENCE_S, wait_for
from sandbox import IP4, IP6, PORTS, needs, router

pytestmark = needs()


def test_the_first_packet_arrives(box):
    with router(box, PORTS, IP4 + IP6, rx_mode="polling") as running:
        box.hosts()
        # Four at once, without retransmission: the router knows no neighbour yet.
        for target in ("10.2.0.2", "2001:db8:2::2"):
            code, said = box.try_run("ping", "-n", "-c", "4", "-l", "4", "-W", "10", target, netns="h1")
            assert code == 0 and "4 received" in said, said + running.ask("show errors")
            assert re.findall(r"icmp_seq=(\d)", said) == ["1", "2", "3", "4"], said
        errors = running.ask("show errors")
        assert re.search(r"\d +recirculate +held packets sent to their next hop", errors), errors


def test_senders_are_told_when_nobody_answers(box):
    with router(box, PORTS, IP4 + IP6) as running:
        box.hosts()
        box.wait_ping("h1", "10.2.0.2")
        box.wait_ping("h1", "2001:db8:2::2")
        pings = [
            box.spawn("ping", "-c", "1", "-W", "10", target, netns="h1") for target in ("10.2.0.77", "2001:db8:2::77")
        ]
        for ping in pings:
            code, said = ping.popen.wait(PATIENCE_S), ping.said()
            assert code and re.search(r"(Host|Address) [Uu]nreachable|address unreachable", said, re.I), said
        assert "held packets whose next hop did not answer" in running.ask("show errors")
        wait_for(lambda: len(running.ask("show ip neighbor-hold").splitlines()) == 1, "an empty table")
