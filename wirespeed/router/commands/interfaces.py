"""set interface …: state, addresses, MTU, MAC, cross-connect, queue placement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.model import MAX_MTU
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import InterfaceKind, MtuKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.native import NativeRouter

_TAG_BYTES = 63


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


@command("set interface mtu <number> <interface>", "set interface mtu <interface> <number>")
def set_mtu(console: Console, words: Match) -> None:
    """The longest packet, in bytes, that a port carries, and that is routed out of it."""
    console.core.set_mtu(words["interface"], checked_mtu(words["number"]))


@command("set interface tag <interface> <word:tag>")
def set_tag(console: Console, words: Match) -> None:
    """A word of yours about an interface, which show interface tag and VPP's API tell."""
    tag_interface(console, words["interface"], words["tag"])


def tag_interface(console: Console, index: int, tag: str) -> None:
    """Keep a word about an interface; UsageError when it is too long for VPP's API."""
    if len(tag.encode()) > _TAG_BYTES:
        raise UsageError(f"a tag has at most {_TAG_BYTES} bytes, not {len(tag.encode())}")
    console.tags[index] = tag


@command("clear interface tag <interface>")
def clear_tag(console: Console, words: Match) -> None:
    """Forget the word about an interface."""
    console.tags.pop(words["interface"], None)


_PROTOCOLS = {"packet": MtuKind.L3, "ip4": MtuKind.IP4, "ip6": MtuKind.IP6, "mpls": MtuKind.MPLS}


@command(
    "set interface mtu (packet|ip4|ip6|mpls) <number> <interface>",
    "set interface mtu (packet|ip4|ip6|mpls) <interface> <number>",
)
def set_protocol_mtu(console: Console, words: Match) -> None:
    """The longest packet that is routed out of an interface: any, or of one protocol; 0: as any."""
    kind = next(kind for word, kind in _PROTOCOLS.items() if word in words)
    mtu = words["number"]
    route_out(console.core, words["interface"], kind, mtu if mtu == 0 and kind != MtuKind.L3 else checked_mtu(mtu))


def route_out(core: NativeRouter, index: int, kind: MtuKind, mtu: int) -> None:
    """Set the longest packet of a protocol. A port or a bond that carries less is made to carry as much: VPP's carry
    9 216 bytes from the start."""
    face = core.interface(index)
    if face.kind in (InterfaceKind.PORT, InterfaceKind.BOND) and mtu > face.mtus[MtuKind.L2]:
        core.set_mtu(index, mtu)
        core.set_protocol_mtu(index, MtuKind.L3, face.mtus[MtuKind.L3])
    core.set_protocol_mtu(index, kind, mtu)


def checked_mtu(given: int) -> int:
    """An MTU that an interface can have; UsageError for others."""
    if not 68 <= given <= MAX_MTU:
        raise UsageError(f"mtu {given} is not between 68 (RFC 791) and {MAX_MTU}")
    return given


@command("set interface unnumbered <interface> use <interface:of>")
def set_unnumbered(console: Console, words: Match) -> None:
    """Use the addresses of another interface, having none."""
    console.core.set_unnumbered(words["interface"], words["of"])


@command("set interface unnumbered del <interface>")
def end_unnumbered(console: Console, words: Match) -> None:
    """Use no other interface's addresses any more."""
    console.core.set_unnumbered(words["interface"], None)


@command("set interface mac address <interface> <mac>")
def set_mac(console: Console, words: Match) -> None:
    """The Ethernet address of an interface."""
    console.core.set_mac(words["interface"], words["mac"])


@command("set interface promiscuous (on|off) <interface>")
def set_promiscuous(console: Console, words: Match) -> None:
    """Whether the port takes frames for other Ethernet addresses."""
    console.core.set_promiscuous(words["interface"], "on" in words)
