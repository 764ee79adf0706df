"""Interfaces: state, addresses, MTU, MAC address.

- **MTU.** `set interface mtu N IF` sets what a port carries and what is routed out of it. A port that carries less is
  made to carry N, as far as its device can. `packet`, `ip4`, `ip6` and `mpls` set only what is routed, of all protocols
  or of one (0: as all). No value can exceed what the port carries, and lowering that lowers the values of its
  sub-interfaces.
- A longer IPv4 packet is fragmented by `ip4-frag`, or with DF answered with "fragmentation needed".
- A NIC is stopped and restarted for a new MTU, so its link goes down briefly. Packets must fit its buffers: above 2 026
  bytes start with `buffers { default data-size 9216 }`, as the refusal says.
- Bridged and cross-connected frames are limited by the port that they leave by, with up to two additional VLAN tags.
  Longer ones are dropped and counted (`l2-output`, `L2 MTU exceeded`), without an answer.
- **Links.** A link change is followed at once if it is signalled. This is the case for drivers with a link interrupt
  (NICs on vfio-pci, net_tap), `af_packet`, `af_xdp`, memif, and deleted TAPs. Otherwise the router polls once per
  second. Packets routed to an interface without a link are dropped and counted (`interface has no link`).
- A Linux host at the other end of a veth pair must complete its checksums itself: `ethtool -K eth0 tx off tso off gso
  off`. Byte counters exclude the FCS on every driver.
- **NICs** under DPDK stop while their interface is down: they receive nothing and their link goes down. While it is up,
  multicast groups and VLANs are accepted for IPv6, OSPF and mDNS; other stations' frames are not. A port accepts all
  frames while it or a sub-interface is in a layer 2 mode, or after `set interface promiscuous on`. A NIC removed from
  the machine is released with a line on standard error; its interface stays, without a link, until it is deleted.
- A sub-interface has the MAC address of its parent. A tag has at most 63 bytes, and is in dumps of the API too.
- Not supported: `create host-interface`, `create gre tunnel`, `create ipip tunnel`. Host interfaces are given at the
  start: `--interface e0=af_packet:eth0`.
"""

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
    """Set the administrative state of an interface."""
    console.core.set_state(words["interface"], "up" in words)


@command("set interface ip address <interface> <prefix>")
def add_address(console: Console, words: Match) -> None:
    """Add an address and the route to its network."""
    console.core.add_address(words["interface"], words["prefix"])


@command(
    "set interface ip address del <interface> <prefix>",
    "set interface ip address <interface> <prefix> del",
)
def delete_address(console: Console, words: Match) -> None:
    """Remove an address."""
    console.core.delete_address(words["interface"], words["prefix"])


@command("set interface mtu <number> <interface>", "set interface mtu <interface> <number>")
def set_mtu(console: Console, words: Match) -> None:
    """Set the longest packet in bytes that a port carries and that is routed out of it."""
    console.core.set_mtu(words["interface"], checked_mtu(words["number"]))


@command("set interface tag <interface> <word:tag>")
def set_tag(console: Console, words: Match) -> None:
    """Store a word about an interface, for show interface tag and VPP's API."""
    tag_interface(console, words["interface"], words["tag"])


def tag_interface(console: Console, index: int, tag: str) -> None:
    """Keep a word about an interface; UsageError when it is too long for VPP's API."""
    if len(tag.encode()) > _TAG_BYTES:
        raise UsageError(f"a tag has at most {_TAG_BYTES} bytes, not {len(tag.encode())}")
    console.tags[index] = tag


@command("clear interface tag <interface>")
def clear_tag(console: Console, words: Match) -> None:
    """Delete the tag of an interface."""
    console.tags.pop(words["interface"], None)


_PROTOCOLS = {"packet": MtuKind.L3, "ip4": MtuKind.IP4, "ip6": MtuKind.IP6, "mpls": MtuKind.MPLS}


@command(
    "set interface mtu (packet|ip4|ip6|mpls) <number> <interface>",
    "set interface mtu (packet|ip4|ip6|mpls) <interface> <number>",
)
def set_protocol_mtu(console: Console, words: Match) -> None:
    """Set the longest packet that is routed out of an interface, of all protocols or one; 0: as all."""
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


def checked_mtu(mtu: int) -> int:
    """An MTU that an interface can have; UsageError for others."""
    if not 68 <= mtu <= MAX_MTU:
        raise UsageError(f"mtu {mtu} is not between 68 (RFC 791) and {MAX_MTU}")
    return mtu


@command("set interface unnumbered <interface> use <interface:of>")
def set_unnumbered(console: Console, words: Match) -> None:
    """Use the addresses of another interface."""
    console.core.set_unnumbered(words["interface"], words["of"])


@command("set interface unnumbered del <interface>")
def end_unnumbered(console: Console, words: Match) -> None:
    """Stop using another interface's addresses."""
    console.core.set_unnumbered(words["interface"], None)


@command("set interface mac address <interface> <mac>")
def set_mac(console: Console, words: Match) -> None:
    """Set the MAC address of an interface."""
    console.core.set_mac(words["interface"], words["mac"])


@command("set interface promiscuous (on|off) <interface>")
def set_promiscuous(console: Console, words: Match) -> None:
    """Accept frames for other MAC addresses, or not."""
    console.core.set_promiscuous(words["interface"], "on" in words)
