"""VXLAN tunnels: frames in UDP to another router.

- One remote end per tunnel, no groups; both ends use port 4789. A tunnel takes up to 9 198 bytes. A packet too long for
  the link to its other end is fragmented over IPv4 and dropped over IPv6. Sub-interfaces can be made on a tunnel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import Lines, command
from wirespeed.router.commands.subinterfaces import delete, free_number
from wirespeed.router.features.vxlan.core import Decap, VxlanTunnel
from wirespeed.router.grammar import Match
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_NAME = "vxlan_tunnel"
_MOST_INSTANCE = 16383
_MOST_VNI = (1 << 24) - 1
VXLAN_PORT = 4789


@command(
    "create vxlan tunnel ([src <address:src>]|[dst <address:dst>]|[vni <number:vni>]|[instance <number:instance>]"
    "|[encap-vrf-id <number:table>]|[decap-next (l2|ip4|ip6)]|[del])..."
)
def create_vxlan_tunnel(console: Console, words: Match) -> Lines:
    """Create a VXLAN tunnel from src, an address of the router, to dst; del: delete the tunnel with these ends."""
    missing = [word for word in ("src", "dst", "vni") if words.get(word) is None]
    if missing:
        raise UsageError(f"a tunnel needs {', '.join(missing)}: create vxlan tunnel src A dst B vni N")
    if words["vni"] > _MOST_VNI:
        raise UsageError(f"vni {words['vni']} is not between 1 and {_MOST_VNI}")
    decap = next((kind for kind in Decap if kind.name.lower() in words), Decap.L2)
    instance = words.get("instance")
    tunnel = VxlanTunnel(instance or 0, words["src"], words["dst"], words["vni"], words.get("table", 0), decap)
    if "del" in words:
        delete(console, find_tunnel(console, tunnel), InterfaceKind.VXLAN, "a VXLAN tunnel")
        return []
    return [console.core.interface(add_vxlan(console, tunnel, instance)).name]


def add_vxlan(console: Console, tunnel: VxlanTunnel, instance: int | None) -> int:
    """Make a tunnel, the first free one unless `instance` says which; returns its number."""
    number = free_number(console, _NAME) if instance is None else instance
    if number > _MOST_INSTANCE:
        raise UsageError(f"instance {number} is not between 0 and {_MOST_INSTANCE}")
    ends = tunnel.source, tunnel.destination
    return console.core.vxlan.add(VxlanTunnel(number, *ends, tunnel.vni, tunnel.table, tunnel.decap))


def tunnels(console: Console) -> Iterator[tuple[int, VxlanTunnel]]:
    """All of them, by the numbers of their interfaces."""
    for name, index in console.interface_names().items():
        if name.startswith(_NAME) and console.core.interface(index).kind is InterfaceKind.VXLAN:
            yield index, console.core.vxlan.of(index)


def find_tunnel(console: Console, wanted: VxlanTunnel) -> int:
    """The number of the one with these ends, VNI and table."""
    for index, tunnel in tunnels(console):
        if (tunnel.source, tunnel.destination, tunnel.vni, tunnel.table) == (
            wanted.source,
            wanted.destination,
            wanted.vni,
            wanted.table,
        ):
            return index
    ends = f"src {wanted.source} dst {wanted.destination} vni {wanted.vni}"
    raise UsageError(f"there is no VXLAN tunnel {ends}; show vxlan tunnel lists them")


@command("show vxlan tunnel [raw]")
def show_vxlan_tunnel(console: Console, words: Match) -> Iterator[str]:
    """VXLAN tunnels with ends, VNI and interface."""
    found = list(tunnels(console))
    if not found:
        yield "No vxlan tunnels configured..."
    for index, tunnel in found:
        yield (
            f"[{tunnel.instance}] instance {tunnel.instance} src {tunnel.source} dst {tunnel.destination}"
            f" src_port {VXLAN_PORT} dst_port {VXLAN_PORT} vni {tunnel.vni} fib-idx {tunnel.table}"
            f" sw-if-idx {shown_index(index)} decap-next {tunnel.decap.name.lower()}"
        )
