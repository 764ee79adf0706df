"""Meanings of the counters of `show errors`, of VPP and of wirespeed's router: dropped packets, or a count in addition
to them.

VPP prints a severity with each counter. For most counters `error` is a dropped packet and the others are counts. The
plugins whose counters have no severity of their own (ACL, NAT, layer 2, tunnels) print `error` for all of them, and a
few packets are dropped under `info`. The table below has these exceptions by node; it was made from the counters that
VPP 26.10 registers (`*.api`, `foreach_*_error`), with a recorded text of each in tests/golden/explain/vpp.
"""

from __future__ import annotations

import re
from typing import Literal

from wirespeed.dut.errors import UNTOLD, ErrorCount

Meaning = Literal["drop", "count"]

_ANY = r".*"
_COUNTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # A packet in its way: permitted, handed over, learned, encapsulated.
    (
        r"acl-plugin-.*",
        (
            *("ACL permit packets", "new sessions added", "existing session packets", "checked packets"),
            "restart session timer",
        ),
    ),
    (
        r"l2-.*|feature-bitmap.*",
        (
            *("L2 input packets", "L2 output packets", "L2 forward packets", "L2 forward hits", "L2 forward misses"),
            *("L2 learn packets", "L2 learn misses", "L2 learn hit updates", "L2 mac moves", "L2 flood packets"),
            *("L2 not learned due to limit", "L2 replication complete", "Packets forwarded"),
            *("L2 rewrite packets", "L2 EFP packets", "L2 classify packets", "Classified packets"),
        ),
    ),
    (
        r"(?:d?s?nat|nat44|nat64|nat66|det44|dslite|pnat).*",
        (
            *("do handoff", "same worker", "fragment cached", "pkts-processed", "good in2out packets processed"),
            *("good out2in packets processed", "valid CE decap DS-Lite packets", "valid CE encap DS-Lite packets"),
            *("in2out packets", "out2in packets", "successfully rewritten"),
        ),
    ),
    (
        r"vxlan.*|gre.*|geneve.*|gtpu.*|ipip.*|mpls.*",
        (
            *("good packets encapsulated", "good packets decapsulated", "packets decapsulated", "pkts decapsulated"),
            *("GRE input packets decapsulated", "GRE output packets encapsulated", "MPLS input packets decapsulated"),
            *("MPLS output packets encapsulated", "MPLS output packets needs fragmentation"),
        ),
    ),
    (r"esp.*|ah.*|ipsec.*", ("(?:ESP|AH)(?:-POST|-post)? pkts received", "good packets received", "[Hh]and-off")),
    (r"bond-.*|lacp.*|lldp.*", ("pass through .*", "good .*consumed", "good .*cache hit.*", "packets switched.*")),
    (r"abf-.*|.*-acl|.*-inacl|.*-outacl|flow-classify.*", ("matched", ".*hits", ".*classified packets")),
    (r"linux-cp-.*|lcp-.*", ("ARP packets processed", "ARP replies copied to host", "packets .*host")),
    # The protocols of the router itself.
    (
        r"arp-.*",
        (
            "ARP replies sent",
            "ARP replies received",
            "ARP request IP4 source address learned",
            "Proxy ARP replies sent",
        ),
    ),
    (
        r"(?:ip|icmp)[46]-.*",
        (
            *("valid packets", "echo replies sent", "neighbor advertisements (?:sent|received)"),
            *("router advertisements (?:sent|received)", ".*response se(?:nt?)?"),
        ),
    ),
    # An answer to a packet that another counter has already.
    (r"ip[46]-icmp-error", ("error message dropped",)),
    (r"ip[46]-(?:frag|.*reassembly.*)", ("packet fragmented", "packets fragmented", "number of sent fragments")),
    (
        r"ip[46]-.*reassembly.*",
        ("successful reassemblies", "fragments reassembled", "fragments received"),
    ),
    (_ANY, ("no error", "No error", "none", "OK", "valid ip[46] packets", "ip4 options present")),
)
_DROPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # The packet that asks for a neighbour is dropped, whether its request was sent or rationed.
    (r"ip4-(?:glean|arp)", ("ARP requests throttled", "ARP requests sent")),
    (r"ip6-(?:glean|discover-neighbor)", ("throttled", "neighbor solicitations sent")),
    (r"memif-input", ("not ip packet",)),
)
_DROPS_UNTOLD = re.compile(
    r".*(?:drop|den(?:y|ied)|fail|miss|mismatch|bad |exceeded|unknown|unreach|prohibit|no route|blackhole|<=|full|"
    r"no free|out of|throttled|too (?:short|big|long|many)|down|not |invalid|no buffer|mtu|punt|path says|is gone).*",
    re.IGNORECASE,
)
"""Words of drops in releases that print no severity."""


def meaning(row: ErrorCount) -> Meaning:
    """By the table; a counter that is not in it by its severity, and without one by its words."""
    if _is_in(_COUNTS, row):
        return "count"
    if _is_in(_DROPS, row):
        return "drop"
    if row.severity == UNTOLD:
        return "drop" if _DROPS_UNTOLD.fullmatch(row.reason) else "count"
    return "drop" if row.severity == "error" else "count"


def _is_in(table: tuple[tuple[str, tuple[str, ...]], ...], row: ErrorCount) -> bool:
    return any(
        re.fullmatch(node, row.node) and any(re.fullmatch(reason, row.reason) for reason in reasons)
        for node, reasons in table
    )
