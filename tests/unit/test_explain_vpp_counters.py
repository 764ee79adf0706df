"""Meanings of VPP's counters: recorded `show errors` of one constructed cause each, and the table that sorts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.dut.counter_meanings import meaning
from wirespeed.dut.errors import UNTOLD, ErrorCount
from wirespeed.dut.kinds.vpp_language import telemetry
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.evidence_file import cases_of, read_evidence
from wirespeed.explain.text import UNCOUNTED, sentence

GOLDEN = Path(__file__).parents[1] / "golden" / "explain" / "vpp"
BLACKHOLE = ("blackhole", "no route, a route via drop, or the way out is down")
RIGHT = {
    "acl": ("firewall", "ACL deny packets"),
    "aclpermit": ("unknown", "no counter of the DUT explains the loss"),
    "memifdown": BLACKHOLE,
    "mtu": ("mtu", "packets do not fit the MTU"),
    "noneigh": ("no-next-hop", "ARP requests throttled"),
    "noroute": BLACKHOLE,
    "nullroute": BLACKHOLE,
    "ok": ("unknown", "no counter of the DUT explains the loss"),
    "outdown": BLACKHOLE,
    "ttl": ("slow-path", "ip4 ttl <= 1"),
    "unreach": ("blackhole", "a route refuses them"),
    "vlan": ("dropped", "unknown vlan"),
    "wrongmac": ("dropped", "l3 mac mismatch"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_cause_that_was_made_is_named_first(name: str) -> None:
    (case,) = read_evidence(GOLDEN / f"{name}.yaml")
    found = explain(case)
    cause, words = RIGHT[name]
    assert found.cause == cause and words in sentence(found)
    assert not found.named[1:], [finding.cause for finding in found.named]


def test_every_recording_has_its_cause() -> None:
    assert {path.stem for path in GOLDEN.glob("*.yaml")} == set(RIGHT)


def test_a_blackhole_comes_with_the_command_that_tells_its_causes_apart() -> None:
    (case,) = read_evidence(GOLDEN / "noroute.yaml")
    assert "show ip fib" in explain(case).next and "show interface" in explain(case).next


PERMITTED = """
schema: wirespeed-evidence/1
box: {system: vpp, workers: 1}
tests:
  - name: permit ACL
    size: 64
    line: 10G
    offered: 10Mpps
    received: 6Mpps
    show_errors: |
       Count                  Node                              Reason               Severity
         60000000        acl-plugin-in-ip4-fa                ACL permit packets             error
         60000000        acl-plugin-in-ip4-fa                 checked packets               error
"""


def test_what_an_acl_permits_is_no_drop() -> None:
    (case,) = cases_of(PERMITTED, "permit.yaml")
    found = explain(case)
    assert (found.cause, case.drops, sentence(found)) == ("unknown", {}, UNCOUNTED)
    assert sum(case.events.values()) == 120_000_000


@pytest.mark.parametrize(
    ("node", "reason", "severity", "is_drop"),
    [
        ("acl-plugin-in-ip4-fa", "ACL deny packets", "error", True),
        ("acl-plugin-out-ip6-fa", "existing session packets", "error", False),
        ("acl-plugin-in-ip4-fa", "too many sessions to add new", "error", True),
        ("l2-fwd", "L2 forward misses", "error", False),
        ("l2-output", "L2 split horizon drops", "error", True),
        ("nat44-ed-in2out", "out of ports", "error", True),
        ("nat44-in2out-worker-handoff", "do handoff", "error", False),
        ("vxlan4-encap", "good packets encapsulated", "error", False),
        ("arp-reply", "ARP replies sent", "error", False),
        ("arp-reply", "ARP hw addr does not match L2 frame src addr", "error", True),
        ("ip4-glean", "ARP requests throttled", "info", True),
        ("ip4-glean", "ARP requests sent", "info", True),
        ("ip6-glean", "throttled", "info", True),
        ("ip4-icmp-error", "hop limit exceeded response sent", "info", False),
        ("ip4-icmp-error", "error message dropped", "error", False),
        ("ip4-icmp-error", "destination unreachable response se", "info", False),
        ("ip4-frag", "number of sent fragments", "info", False),
        ("ip4-frag", "can't fragment this packet", "error", True),
        ("ip4-input", "ip4 options present", "info", False),
        ("memif-input", "not ip packet", "info", True),
        ("null-node", "blackholed packets", "error", True),
        ("esp4-encrypt-tun", "ESP pkts received", "error", False),
        ("plugin-of-somebody", "frobnicated", "error", True),
        ("plugin-of-somebody", "frobnicated", "warn", False),
        ("plugin-of-somebody", "frobnicated", UNTOLD, False),
        ("ip4-rewrite", "ip4 MTU exceeded and DF set", UNTOLD, True),
        ("arp-input", "ARP replies sent", UNTOLD, False),
        ("e1-tx", "Tx packet drops (dpdk tx failure)", UNTOLD, True),
    ],
)
def test_the_table_says_what_is_a_drop(node: str, reason: str, severity: str, is_drop: bool) -> None:
    assert (meaning(ErrorCount(5, node, reason, severity)) == "drop") is is_drop


def test_a_collector_keeps_permits_apart_from_drops() -> None:
    head = "   Count                  Node                              Reason               Severity\n"
    before = f"{head}  10  acl-plugin-in-ip4-fa  ACL permit packets  error\n"
    after = (
        f"{head}  30  acl-plugin-in-ip4-fa  ACL permit packets  error\n"
        "  4  acl-plugin-in-ip4-fa  ACL deny packets  error\n"
        "  7  ip4-glean  ARP requests throttled  info\n"
    )
    told = telemetry([""], (before, after), ("", ""), 2_000_000_000, 1.0)
    assert told.drops == {"acl-plugin-in-ip4-fa: ACL deny packets": 4, "ip4-glean: ARP requests throttled": 7}
    assert told.events == {"acl-plugin-in-ip4-fa: ACL permit packets": 20}
