"""permit+reflect between Linux hosts: replies to requests from one side pass, and no other packets."""

from __future__ import annotations

import re

import pytest
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from sandbox import IP4, IP6, PORTS, needs, router

pytestmark = needs("iperf3")

CPUS = sorted(ALL_CPUS)
TWO = ("--cpu", f"{CPUS[0]},{CPUS[-1]}", "--max-routes", "20000")
"""Two workers: one for packets that e0 receives, one for the replies."""
PLACED = "set interface rx-placement e0 queue 0 worker 0\nset interface rx-placement e1 queue 0 worker 1\n"
REFLECT = "permit+reflect src 10.1.0.0/24 dst 0.0.0.0/0, permit+reflect src 2001:db8:1::/64 dst ::/0, permit src ::/0"
DENY = "deny src 0.0.0.0/0 dst 0.0.0.0/0, deny src ::/0 dst ::/0"
GUARDED = (
    f"set acl-plugin acl {REFLECT} tag in\nset acl-plugin acl {DENY} tag out\n"
    "set acl-plugin interface e0 input acl 0\nset acl-plugin interface e0 output acl 1\n"
)


def active(running) -> int:
    return int(re.search(r"Sessions active: add \d+ - deact \d+ = (\d+)", running.ask("show acl-plugin sessions"))[1])


@pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")
def test_hosts_are_answered_and_not_asked(box):
    with router(box, PORTS, IP4 + IP6 + PLACED + GUARDED, *TWO) as running:
        box.hosts()
        for target, back in (("10.2.0.2", "10.1.0.2"), ("2001:db8:2::2", "2001:db8:1::2")):
            box.wait_ping("h1", target)
            assert not box.ping("h2", back)
            end = box.transfer("h1", "h2", target, "-n", "1M")
            assert end["sum_sent"]["bytes"] >= 1_000_000
            # A last ACK in flight would open a session after `clear`.
            wait_for(lambda: not any(box.run("ss", "-Htn", netns=host) for host in ("h1", "h2")), "the end of all TCP")
        shown = running.ask("show acl-plugin sessions verbose")
        assert re.search(r"input icmp 10\.1\.0\.2 \d+ -> 10\.2\.0\.2 0 idle \d+ of 600", shown)
        assert re.search(r"input icmp6 2001:db8:1::2 \d+ -> 2001:db8:2::2 0 idle \d+ of 600", shown)
        # Both ends have sent a FIN.
        assert re.search(r"input tcp 10\.1\.0\.2 \d+ -> 10\.2\.0\.2 5201 flags FSA/FSA idle \d+ of 120", shown)
        running.ask("clear acl-plugin sessions")
        assert active(running) == 0
        box.wait_ping("h1", "10.2.0.2")
        assert active(running) == 1
        running.ask("set acl-plugin session timeout udp idle 1")
        wait_for(lambda: active(running) == 0, "the end of an idle session")
        # Without the rules the interface has no sessions and passes all packets.
        running.ask("set acl-plugin interface e0 input acl 0 del")
        running.ask("set acl-plugin interface e0 output acl 1 del")
        box.wait_ping("h2", "10.1.0.2")
        assert active(running) == 0
