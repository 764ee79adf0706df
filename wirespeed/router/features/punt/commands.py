"""Punt policers: limits on packets to Linux and to the main thread.

- By default there are no limits. Token buckets apply to packets for Linux on paired interfaces (`linux-cp-punt`) and
  for the main thread on others, one bucket per reason. Reasons are independent: with `ip4` limited to 50 per second, a
  TCP session to port 179 of Linux continues.
- Reasons: `arp`, `lacp`, `icmp`: that protocol. `nd`: neighbour discovery, queries for listeners. `routing`: BGP, OSPF,
  IS-IS, BFD, LDP, RIP, PIM, VRRP, by protocol and port. `multicast`: other IP to groups and to all. `ip4`, `ip6`:
  everything else to the router's addresses. `other`: the rest. `all` sets each of them.
- A packet of an interface with its own policer needs a token there first, then one of the policer for all interfaces.
  Each worker has its own buckets, so a rate applies to each worker that receives the packets, as for ICMP errors. The
  default `burst` is a tenth of a second's packets, and 32 at least.
- A packet without a token is dropped before anything is learnt from it, and counted by the node (`over the rate of a
  punt policer`) and in `show punt policer`. ARP, LACP and neighbour discovery answered by the router itself count too;
  answers to pings do not.
- Anything that looks like BGP shares its bucket: use an ACL to restrict senders. Forwarded packets are not affected.
  VPP's `ip punt policer`, which binds a policer of bits or packets to what its nodes punt, is not supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.columns import centre
from wirespeed.router.commands.registry import command
from wirespeed.router.features.punt.core import PuntPolicer, PuntReason
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_REASONS = "all|arp|nd|lacp|routing|icmp|multicast|ip4|ip6|other"
_MOST_RATE = 2**32 - 1
# Without a burst: a tenth of a second's packets, and as many as a host sends at once.
_BURSTS_A_SECOND, _LEAST_BURST, _MOST_BURST = 10, 32, 1_000_000


@command(f"set punt policer ({_REASONS}) rate <number:rate> [burst <number:burst>] [<interface>]")
def set_policer(console: Console, words: Match) -> None:
    """Limit packets per second and worker for a reason, of one interface or of all together."""
    rate = words["rate"]
    if not 1 <= rate <= _MOST_RATE:
        raise UsageError(f"a rate is 1 to {_MOST_RATE} packets per second, not {rate}; off ends a policer")
    burst = words.get("burst", min(max(rate // _BURSTS_A_SECOND, _LEAST_BURST), _MOST_BURST))
    if not 1 <= burst <= _MOST_BURST:
        raise UsageError(f"a burst is 1 to {_MOST_BURST} packets, not {burst}")
    _set(console, words, PuntPolicer(rate, burst))


@command(f"set punt policer ({_REASONS}) (off) [<interface>]")
def end_policer(console: Console, words: Match) -> None:
    """Remove the limit for a reason."""
    _set(console, words, None)


def _set(console: Console, words: Match, policer: PuntPolicer | None) -> None:
    for reason in PuntReason:
        if "all" in words or reason.name.lower() in words:
            console.core.punt.set_policer(words.get("interface"), reason, policer)


@command("show punt policer [<interface>]")
def show_policers(console: Console, words: Match) -> Iterator[str]:
    """Policers, and packets passed and dropped since they were set."""
    columns = (("Reason", 12), ("Rate", 12), ("Burst", 10), ("Passed", 16), ("Dropped", 16), ("Interface", 24))
    yield "".join(centre(head, width) for head, width in columns)
    chosen = words.all("interface")
    for interface in chosen or [None, *console.interfaces([])]:
        name = "all" if interface is None else console.core.interface(interface).name
        for reason in PuntReason:
            policer = console.core.punt.policer(interface, reason)
            if policer:
                values = (reason.name.lower(), policer.rate_pps, policer.burst, policer.passed, policer.dropped)
                cells = (centre(value, width) for value, (_, width) in zip(values, columns, strict=False))
                yield "".join(cells) + name
