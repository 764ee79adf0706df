"""The Linux control plane: interfaces that Linux has too, by a TAP or as a VLAN on one.

A pair mirrors state, MTU, MAC address and addresses. Linux's side is always followed; the router's side is passed on
to Linux while `sync` is on. Both directions are differences: what a side has now against what was last seen of it, so
that a change which is passed on does not come back as news.
"""

from __future__ import annotations

import contextlib
import select
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError, WirespeedError
from wirespeed.model import PortSpec
from wirespeed.router.features.control import Control
from wirespeed.router.features.lcp.core import DOT1AD_PROTOCOL, VLAN_PROTOCOL, LinuxChange, LinuxLink
from wirespeed.seam.addresses import InterfaceAddress
from wirespeed.seam.interfaces import InterfaceKind, RouterInterface, SubInterface

if TYPE_CHECKING:
    import asyncio

    from wirespeed.router.console import Console
    from wirespeed.router.features.lcp.native import LinuxHost

_NAME_BYTES = 15
_NETNS_BYTES = 127
_NAMESPACES = Path("/run/netns")
_INNER_ID_STEP = 10_000
# A routing daemon tells Linux its routes one by one: waking for each costs more than the routes do.
_GATHER_S = 0.005


@dataclass(frozen=True)
class Pair:
    """Interface `index` is link `link`, called `host_if`, in `netns`; `tap` carries its frames."""

    index: int
    name: str
    tap: int
    host_if: str
    netns: str
    link: int
    is_vlan: bool


@dataclass(frozen=True)
class _Side:
    """Properties that both sides of a pair have."""

    up: bool
    mtu: int
    mac: str
    addresses: frozenset[InterfaceAddress]


@dataclass
class _Namespace:
    host: LinuxHost
    inode: int | None
    warned: bool = False


class LinuxControlPlane(Control):
    """All pairs of a router. `fileno` is readable when `poll` has something to do; `warn` gets one line at a time."""

    def __init__(self, console: Console) -> None:
        self._core = console.core
        self.warn: Callable[[str], None] = partial(console.messages.warn, "linux-cp")
        self.default_netns = ""
        self.sync = False
        self.auto_subint = False
        self.pairs: dict[int, Pair] = {}
        self._namespaces: dict[str, _Namespace] = {}
        self._router_seen: dict[int, _Side] = {}
        self._linux_seen: dict[int, _Side] = {}
        self._carrier: dict[int, bool] = {}
        self._epoll = select.epoll()
        self._refused: set[str] = set()
        self.untaken: dict[tuple[int, InterfaceAddress], str] = {}
        """Addresses that Linux has on the other side of an interface and the router refused, with the reason."""

    def fileno(self) -> int:
        return self._epoll.fileno()

    def serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take in what Linux says, in pieces that leave others their turn; what comes next may gather before it wakes
        the thread again."""
        loop.add_reader(self.fileno(), self._read, loop)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.remove_reader(self.fileno())
        loop.call_later(0 if self.poll() else _GATHER_S, self.serve, loop)

    def close(self) -> None:
        for namespace in self._namespaces.values():
            namespace.host.close(withdraw=False)
        self._namespaces.clear()
        self._epoll.close()

    def hosts(self) -> Iterator[tuple[str, LinuxHost]]:
        return ((netns, namespace.host) for netns, namespace in self._namespaces.items())

    # ---- Making and ending pairs

    def create(self, index: int, host_if: str, netns: str | None = None) -> Pair:
        """Pair an interface with a new one of Linux; nothing is left of it when that fails."""
        face = self._core.interface(index)
        if index in self.pairs:
            raise UsageError(
                f"interface {face.name} is {self.pairs[index].host_if} in Linux already; lcp delete it first"
            )
        if any(pair.tap == index for pair in self.pairs.values()):
            raise UsageError(f"interface {face.name} is itself the Linux side of a pair")
        if not 1 <= len(host_if.encode()) <= _NAME_BYTES:
            raise UsageError(f"host-if {host_if}: an interface of Linux has a name of 1 to {_NAME_BYTES} bytes")
        if face.kind is InterfaceKind.SUB:
            return self._create_vlan(index, face, host_if, netns)
        return self._create_tap(index, face, host_if, self.default_netns if netns is None else netns)

    def _create_tap(self, index: int, face: RouterInterface, host_if: str, netns: str) -> Pair:
        taken = self._core.interface_names()
        name = next(name for number in range(len(taken) + 1) if (name := f"tap{number}") not in taken)
        options = {"netns": netns} if netns else {}
        options |= {"host-mac": face.mac, "state": "up" if face.admin_up else "down"}
        host = self._open(netns)
        with contextlib.ExitStack() as undo:
            undo.callback(self._close_unused)
            tap = self._core.add_port(name, PortSpec("tap", host_if, options))
            undo.callback(self._core.delete_interface, tap)
            link = host.link_index(host_if)
            host.set_mtu(link, face.mtu)
            self._core.lcp.pair(index, tap)
            undo.callback(self._core.lcp.unpair, index)
            self._core.set_state(tap, True)
            pair = self._add(Pair(index, face.name, tap, host_if, netns, link, is_vlan=False))
            undo.pop_all()
        return pair

    def _create_vlan(self, index: int, face: RouterInterface, host_if: str, netns: str | None) -> Pair:
        parent = self.pairs.get(face.parent)
        above = self._parent_pair(face)
        port = self._core.interface(face.parent).name
        if parent is None or above is None or face.sub is None:
            raise UsageError(f"interface {face.name} needs {self._what_is_missing(face, port)}")
        if netns is not None and netns != parent.netns:
            raise UsageError(
                f"interface {face.name} must be in the namespace of its port, "
                f"{parent.netns or 'this one'}; leave out netns"
            )
        if not face.sub.exact:
            raise UsageError(f"interface {face.name} takes further tags; a Linux VLAN needs exact-match")
        if not face.sub.outer:
            raise UsageError(f"interface {face.name} takes untagged frames, which belong to {port} in Linux")
        host = self._namespaces[parent.netns].host
        protocol = DOT1AD_PROTOCOL if face.sub.dot1ad and not face.sub.inner else VLAN_PROTOCOL
        link = host.add_vlan(host_if, above.link, protocol, face.sub.inner or face.sub.outer)
        try:
            host.set_state(link, face.admin_up)
            host.set_mtu(link, face.mtu)
            self._core.lcp.pair(index, parent.tap)
            return self._add(Pair(index, face.name, parent.tap, host_if, parent.netns, link, is_vlan=True))
        except WirespeedError:
            host.delete_link(link)
            raise

    def _what_is_missing(self, face: RouterInterface, port: str) -> str:
        """The part that a sub-interface needs before it can be in a pair, and the lines that make it."""
        outer = face.sub.outer if face.sub and face.sub.inner else 0
        if not outer:
            return f"its port in a pair first: lcp create {port} host-if <name>"
        faces = (self._core.interface(index) for index in self._core.interface_names().values())
        below = next(
            (
                one.name
                for one in faces
                if one.sub and one.parent == face.parent and (one.sub.outer, one.sub.inner) == (outer, 0)
            ),
            None,
        )
        create = "" if below else f"create sub-interfaces {port} {outer}, "
        pair = "" if face.parent in self.pairs else f"lcp create {port} host-if <name>, "
        return (
            f"a sub-interface with tag {outer} alone in a pair first: "
            f"{create}{pair}lcp create {below or f'{port}.{outer}'} host-if <name>"
        )

    def _parent_pair(self, face: RouterInterface) -> Pair | None:
        """On which link a VLAN belongs: the port's, or of two tags that of the outer one."""
        if face.sub is None or not face.sub.inner:
            return self.pairs.get(face.parent)
        for pair in self.pairs.values():
            other = self._core.interface(pair.index)
            if other.sub and other.parent == face.parent and (other.sub.outer, other.sub.inner) == (face.sub.outer, 0):
                return pair
        return None

    def _add(self, pair: Pair) -> Pair:
        face = self._core.interface(pair.index)
        self.pairs[pair.index] = pair
        self._namespaces[pair.netns].host.pair(pair.link, pair.index)
        now = self._side(face)
        # The pair begins alike but for the addresses, which follow if they are to.
        self._linux_seen[pair.index] = replace(now, addresses=frozenset())
        self._router_seen[pair.index] = replace(now, addresses=frozenset()) if self.sync else now
        self._carrier.pop(pair.index, None)
        self._push(pair)
        return pair

    def delete(self, index: int) -> None:
        """End a pair: Linux's side goes, the router's stays as it is."""
        pair = self.pairs.get(index)
        if pair is None:
            raise UsageError(
                f"interface {self._core.interface(index).name} has no Linux side; show lcp lists the pairs"
            )
        children = [other.name for other in self.pairs.values() if other.tap == pair.tap and other.is_vlan]
        if children and not pair.is_vlan:
            raise UsageError(f"interface {pair.name} has VLANs in Linux; lcp delete {', '.join(children)} first")
        self._core.lcp.unpair(index)
        self._forget(pair)

    def _forget(self, pair: Pair) -> None:
        """The router's side is out of the pair; take Linux's away."""
        del self.pairs[pair.index]
        for seen in (self._router_seen, self._linux_seen, self._carrier):
            seen.pop(pair.index, None)
        self.untaken = {key: reason for key, reason in self.untaken.items() if key[0] != pair.index}
        host = self._namespaces[pair.netns].host
        host.pair(pair.link, None)
        if pair.is_vlan:
            host.delete_link(pair.link)
        else:
            self._core.delete_interface(pair.tap)
        self._close_unused()

    # ---- Namespaces

    def _open(self, netns: str) -> LinuxHost:
        if len(netns.encode()) > _NETNS_BYTES:
            raise UsageError(f"netns: a name has at most {_NETNS_BYTES} bytes")
        if netns not in self._namespaces:
            host = self._core.lcp.open(netns)
            self._namespaces[netns] = _Namespace(host, _inode(netns))
            self._epoll.register(host.fileno(), select.EPOLLIN)
        return self._namespaces[netns].host

    def _close_unused(self) -> None:
        used = {pair.netns for pair in self.pairs.values()}
        for netns in [netns for netns in self._namespaces if netns not in used]:
            namespace = self._namespaces.pop(netns)
            self._epoll.unregister(namespace.host.fileno())
            namespace.host.close(withdraw=True)

    def is_gone(self, netns: str) -> bool:
        """True if the namespace has no name any more. It continues to exist while the router's interfaces are in it."""
        return bool(netns) and _inode(netns) != self._namespaces[netns].inode

    # ---- Mirroring

    def poll(self) -> bool:
        """Take in what Linux has to say, and follow it. Once a second as well. True when it had more than that."""
        changed = LinuxChange(0)
        for netns, namespace in list(self._namespaces.items()):
            changes = namespace.host.poll()
            changed |= changes
            if changes & ~LinuxChange.MORE and netns in self._namespaces:
                self._follow(netns, namespace.host, changes)
        return LinuxChange.MORE in changed

    def each_second(self) -> None:
        """Links of ports, namespaces, addresses that the router may have room for by now."""
        self.poll()
        for index, address in list(self.untaken):
            self._guard(self._take, index, address)
        self.changed()
        for netns, namespace in self._namespaces.items():
            if not namespace.warned and self.is_gone(netns):
                namespace.warned = True
                self.warn(f"network namespace {netns} has been deleted; its pairs stay until lcp delete")

    def changed(self) -> None:
        """After the router changed: pass it on to Linux, as far as that is wanted."""
        if not self.pairs:
            return  # every command asks, and thousands may come in a row
        present = self._core.interface_names()
        for pair in list(self.pairs.values()):
            if present.get(pair.name) != pair.index:
                self._guard(self._forget, pair)
        if self.auto_subint:
            for index in present.values():
                self._create_child(index)
        for pair in list(self.pairs.values()):
            self._guard(self._push, pair)

    def _create_child(self, index: int) -> None:
        face = self._core.interface(index)
        parent = self._parent_pair(face) if face.kind is InterfaceKind.SUB and index not in self.pairs else None
        if parent is None or face.sub is None or not (face.sub.exact and face.sub.outer):
            return
        name = f"{parent.host_if}.{face.sub.inner or face.sub.outer}"
        self._guard(self.create, index, name)

    def _push(self, pair: Pair) -> None:
        face = self._core.interface(pair.index)
        if not pair.is_vlan and self._carrier.get(pair.index) != face.link_up:
            self._core.lcp.set_carrier(pair.tap, face.link_up)
            self._carrier[pair.index] = face.link_up
        now, before = self._side(face), self._router_seen[pair.index]
        if not self.sync or now == before:
            return
        host = self._namespaces[pair.netns].host
        self._router_seen[pair.index] = now
        if now.mac != before.mac:
            host.set_mac(pair.link, now.mac)
        if now.mtu != before.mtu:
            host.set_mtu(pair.link, now.mtu)
        if now.up != before.up:
            host.set_state(pair.link, now.up)
        for address in before.addresses - now.addresses:
            host.delete_address(pair.link, address)
        for address in now.addresses - before.addresses:
            host.add_address(pair.link, address)

    def set_sync(self, on: bool) -> None:
        """From now on Linux follows the router, at first in all that it has."""
        self.sync = on
        for index, side in self._linux_seen.items():
            if on:
                self._router_seen[index] = side

    def _follow(self, netns: str, host: LinuxHost, changes: LinuxChange) -> None:
        links, addresses = host.links(), host.addresses()
        for pair in [pair for pair in self.pairs.values() if pair.netns == netns]:
            link = links.get(pair.link)
            if link is None:
                self._guard(self._lost, pair)
            else:
                self._guard(self._pull, pair, link, addresses.get(pair.link, frozenset()))
        if LinuxChange.LINKS in changes:
            for link in links.values():
                if link.kind == "vlan":
                    self._guard(self._follow_vlan, netns, host, link)

    def _lost(self, pair: Pair) -> None:
        """Linux's side was deleted there."""
        if pair.is_vlan:
            self._core.lcp.unpair(pair.index)
            self._forget(pair)
            self._core.delete_interface(pair.index)
        elif self._linux_seen.pop(pair.index, None):
            self.warn(f"{pair.host_if} was deleted in Linux; lcp delete {pair.name} and create it again")

    def _pull(self, pair: Pair, link: LinuxLink, addresses: frozenset[InterfaceAddress]) -> None:
        before = self._linux_seen.get(pair.index)
        now = _Side(link.is_up, link.mtu, link.mac, frozenset(a for a in addresses if not a.ip.is_link_local))
        if before is None or now == before:
            return
        self._linux_seen[pair.index] = now
        if now.up != before.up:
            self._core.set_state(pair.index, now.up)
        if now.mtu != before.mtu:
            self._core.set_mtu(pair.index, now.mtu)
        if now.mac != before.mac:
            self._core.set_mac(pair.index, now.mac)
        have = set(self._core.interface(pair.index).addresses)
        for address in before.addresses - now.addresses:
            self.untaken.pop((pair.index, address), None)
        for address in (before.addresses - now.addresses) & have:
            # The kernel drops IPv6 addresses of a link that is down; the router has not been told to.
            if not (self.sync and address.version == 6 and not now.up):
                self._guard(self._core.delete_address, pair.index, address)
        for address in now.addresses - before.addresses - have:
            self._guard(self._take, pair.index, address)
        side = self._side(self._core.interface(pair.index))
        if now.up and not before.up:
            # … and has them again now.
            side = replace(side, addresses=side.addresses & now.addresses)
        self._router_seen[pair.index] = side
        self._push(pair)

    def _take(self, index: int, address: InterfaceAddress) -> None:
        try:
            self._core.add_address(index, address)
        except WirespeedError as error:
            self.untaken[index, address] = str(error)
            raise
        self.untaken.pop((index, address), None)

    def _follow_vlan(self, netns: str, host: LinuxHost, link: LinuxLink) -> None:
        """A VLAN created in Linux on a paired link becomes a sub-interface of the router."""
        if any((pair.netns, pair.link) == (netns, link.index) for pair in self.pairs.values()):
            return
        parent = next((p for p in self.pairs.values() if (p.netns, p.link) == (netns, link.parent)), None)
        if parent is None:
            return
        face = self._core.interface(parent.index)
        dot1ad = link.vlan_protocol == DOT1AD_PROTOCOL
        if face.sub is None:
            sub, port = SubInterface(link.vlan_id, link.vlan_id, 0, dot1ad), parent.index
        else:
            number = face.sub.outer * _INNER_ID_STEP + link.vlan_id
            sub, port = SubInterface(number, face.sub.outer, link.vlan_id, face.sub.dot1ad), face.parent
        index = self._core.add_subinterface(port, sub)
        name = self._core.interface(index).name
        self._core.set_state(index, link.is_up)
        self._core.lcp.pair(index, parent.tap)
        self._add(Pair(index, name, parent.tap, link.name, netns, link.index, is_vlan=True))
        self._pull(self.pairs[index], link, host.addresses().get(link.index, frozenset()))

    def _side(self, face: RouterInterface) -> _Side:
        return _Side(face.admin_up, face.mtu, face.mac, frozenset(a for a in face.addresses if not a.ip.is_link_local))

    def _guard(self, action: Callable[..., object], *arguments: object) -> None:
        """Mirroring goes on with the rest when one thing of it is refused; the refusal is told once."""
        try:
            action(*arguments)
        except WirespeedError as error:
            if str(error) not in self._refused:
                self._refused.add(str(error))
                self.warn(f"lcp: {error}")


def _inode(netns: str) -> int | None:
    if not netns:
        return None
    try:
        return (_NAMESPACES / netns).stat().st_ino
    except OSError:
        return None


CONTROL = LinuxControlPlane
