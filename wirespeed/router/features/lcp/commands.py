"""Linux pairs: interfaces that Linux has too.

- [linux-control-plane.md](linux-control-plane.md) has an example, and what is copied in which direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("lcp create <interface> host-if <word:host_if> [netns <word:netns>]")
def create(console: Console, words: Match) -> None:
    """Pair an interface with a TAP in Linux."""
    console.lcp.create(words["interface"], words["host_if"], words.get("netns"))


@command("lcp delete <interface>")
def delete(console: Console, words: Match) -> None:
    """Delete the Linux side of a pair."""
    console.lcp.delete(words["interface"])


@command("lcp default netns <word:netns>", "lcp default netns")
def default_netns(console: Console, words: Match) -> None:
    """Set the default namespace of pairs; without a name, the router's own."""
    console.lcp.default_netns = words.get("netns", "")


@command("lcp lcp-sync (on|off|enable|disable)")
def set_sync(console: Console, words: Match) -> None:
    """Copy state, MTU, MAC and IP addresses of the router to Linux, or not."""
    console.lcp.set_sync("on" in words or "enable" in words)


@command("lcp lcp-auto-subint (on|off|enable|disable)")
def set_auto_subint(console: Console, words: Match) -> None:
    """Create VLANs in Linux for sub-interfaces of paired ports, or not."""
    console.lcp.auto_subint = "on" in words or "enable" in words


@command("show lcp [phy <interface>]")
def show(console: Console, words: Match) -> Iterator[str]:
    """Pairs, refused addresses, and netlink statistics per namespace."""
    lcp = console.lcp
    yield f"lcp default netns {_name(lcp.default_netns)}"
    yield f"lcp lcp-auto-subint {'on' if lcp.auto_subint else 'off'}"
    yield f"lcp lcp-sync {'on' if lcp.sync else 'off'}"
    wanted = words.get("interface")
    for number, pair in enumerate(lcp.pairs.values()):
        if wanted not in (None, pair.index):
            continue
        tap = console.core.interface(pair.tap).name
        line = f"itf-pair: [{number}] {pair.name} {tap} {pair.host_if} {pair.link} type tap"
        yield line + (f" netns {pair.netns}" if pair.netns else "")
        for (index, address), reason in lcp.untaken.items():
            if index == pair.index:
                yield f"  address {address} is in Linux only: {reason}"
    if wanted is not None:
        return
    for netns, host in lcp.hosts():
        stats = host.stats()
        state = " (deleted)" if lcp.is_gone(netns) else " syncing" if stats.is_syncing else ""
        yield (
            f"netlink: netns {_name(netns)}{state} routes {stats.routes} labels {stats.labels} "
            f"messages {stats.messages} dumps {stats.dumps} failed {stats.failed_dumps} "
            f"overflows {stats.overflows} rejected {stats.rejected}"
        )
        if stats.rejection:
            yield f"  last rejected: {stats.rejection}"


def _name(netns: str) -> str:
    return f"'{netns}'" if netns else "<unset>"
