"""set interface …: state, addresses, MTU, MAC, cross-connect, queue placement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("set interface state <interface> (up|down)")
def set_state(console: Console, words: Match) -> None:
    """Let an interface pass packets, or not."""
    console.core.set_state(words["interface"], "up" in words)


@command("set interface ip address <interface> <prefix>")
def add_address(console: Console, words: Match) -> None:
    """Give an interface an address and the route to its network."""
    console.core.add_address(words["interface"], words["prefix"])


@command(
    "set interface ip address del <interface> <prefix>",
    "set interface ip address <interface> <prefix> del",
)
def delete_address(console: Console, words: Match) -> None:
    """Take an address from an interface."""
    console.core.delete_address(words["interface"], words["prefix"])


@command("set interface mtu [packet] <number> <interface>", "set interface mtu [packet] <interface> <number>")
def set_mtu(console: Console, words: Match) -> None:
    """The longest IP packet that an interface sends, in bytes."""
    console.core.set_mtu(words["interface"], _mtu(words["number"]))


def _mtu(given: int) -> int:
    if not 68 <= given <= 9194:
        raise UsageError(f"mtu {given} is not between 68 (RFC 791) and 9194")
    return given


@command("set interface mac address <interface> <mac>")
def set_mac(console: Console, words: Match) -> None:
    """The Ethernet address of an interface."""
    console.core.set_mac(words["interface"], words["mac"])


@command("set interface promiscuous (on|off) <interface>")
def set_promiscuous(console: Console, words: Match) -> None:
    """Whether the port takes frames for other Ethernet addresses."""
    console.core.set_promiscuous(words["interface"], "on" in words)


@command("set interface l2 xconnect <interface> <interface:to>")
def set_xconnect(console: Console, words: Match) -> None:
    """Send all that an interface receives out of another, unchanged; one direction."""
    if words["interface"] == words["to"]:
        raise UsageError("an interface cannot be cross-connected to itself")
    console.core.set_xconnect(words["interface"], words["to"])


@command("set interface l2 tag-rewrite <interface> disable")
def no_tag_rewrite(console: Console, words: Match) -> None:
    """Leave VLAN tags as they are, as this router always does."""


@command("set interface l3 <interface>")
def set_l3(console: Console, words: Match) -> None:
    """Let an interface route again after a cross-connect."""
    console.core.set_l3(words["interface"])


@command("set interface rx-placement <interface> [queue <number:queue>] worker <number:worker>")
def set_placement(console: Console, words: Match) -> None:
    """Have a worker poll an RX queue; traffic pauses for a moment."""
    core = console.core
    index, queue, worker = words["interface"], words.get("queue", 0), words["worker"]
    queues, workers = core.port(index).rx_queues, core.worker_count()
    if queue >= queues:
        raise UsageError(f"there is no queue {queue}; {core.interface(index).name} has 0 to {queues - 1}")
    if worker >= workers:
        raise UsageError(f"there is no worker {worker}; there are 0 to {workers - 1}")
    core.set_placement(index, queue, worker)


@command("mpls <text>", "set interface mpls <text>", "show mpls [<text>]")
def mpls(console: Console, words: Match) -> None:
    """Not supported yet."""
    raise UsageError("MPLS is not supported yet; leave the mpls lines out")
