"""VPP's own rules, as far as a planner must know them, without a router.

`Vpp` executes one operation at a time and refuses those that VPP, linux-cp or Linux would refuse, or that would
silently change something else. It knows nothing of plans and their order, so plans can be tested with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from wirespeed.config import operations as ops
from wirespeed.config.ordering import Network, network_of
from wirespeed.config.state import (
    HARDWARE,
    PORT_MTU,
    TUNNEL_MTU,
    AclState,
    InterfaceState,
    InterfaceType,
    RouterState,
    SflowState,
    TagRewriteState,
    TapState,
)

_LOOPBACK_MTU = 9000


class Refused(Exception):
    """VPP would refuse this."""


class Vpp:
    """Starts as `state`; `state()` is the current one."""

    def __init__(self, state: RouterState) -> None:
        self._faces = dict(state.interfaces)
        self._bridges = dict(state.bridges)
        self._acls = dict(state.acls)
        self._sflow = state.sflow
        self._own_macs: dict[str, str | None] = {}
        self._children: dict[str, set[str]] = {}
        self._networks: dict[Network, set[str]] = {}
        self._lengths: dict[tuple[int, int], int] = {}
        for face in self._faces.values():
            if face.parent:
                self._children.setdefault(face.parent, set()).add(face.name)
            for address in face.addresses:
                self._take(face.name, address)

    def state(self) -> RouterState:
        return RouterState(dict(self._faces), dict(self._bridges), dict(self._acls), self._sflow)

    def run(self, operation: ops.Operation) -> None:
        """Run an operation. Refused has the reason; the state is then unchanged."""
        _DO[type(operation)](self, operation)

    # ---- Lookups

    def _face(self, name: str) -> InterfaceState:
        if name not in self._faces:
            raise Refused(f"there is no interface {name}")
        return self._faces[name]

    def _change(self, name: str, **values: object) -> None:
        self._faces[name] = replace(self._faces[name], **values)  # type: ignore[arg-type]

    def _subs(self, name: str) -> Iterator[InterfaceState]:
        return (self._faces[child] for child in self._children.get(name, ()))

    def _any(self, is_so: Callable[[InterfaceState], bool]) -> InterfaceState | None:
        return next((face for face in self._faces.values() if is_so(face)), None)

    def _above(self, face: InterfaceState) -> InterfaceState | None:
        """The sub-interface of the outer tag only; of two, the one with exact match."""
        own = face.encapsulation
        if own is None or not own.inner or face.parent is None:
            return None
        found = None
        for other in self._subs(face.parent):
            outer = other.encapsulation
            if outer and (outer.outer, outer.inner, outer.dot1ad) == (own.outer, 0, own.dot1ad):
                found = other if outer.exact or found is None else found
        return found

    # ---- Creation and deletion

    def _create(self, face: InterfaceState) -> None:
        if face.name in self._faces:
            raise Refused(f"there is an interface {face.name} already")
        self._faces[face.name] = face

    def _delete(self, name: str, kind: InterfaceType) -> None:
        face = self._face(name)
        if face.kind is not kind:
            raise Refused(f"{name} is not a valid {kind}")
        users = {
            "is up": face.up,
            "has sub-interfaces": any(True for _ in self._subs(name)),
            "has addresses": bool(face.addresses),
            "is unnumbered": face.unnumbered is not None,
            "has an LCP": face.lcp is not None,
            "is in a bridge domain": face.bridge is not None,
            "is cross-connected": face.xconnect is not None,
            "lends its addresses": self._any(lambda other: other.unnumbered == name),
            "is the target of a cross-connect": self._any(lambda other: other.xconnect == name),
            "has members": self._any(lambda other: other.bond_of == name),
        }
        for why, is_so in users.items():
            if is_so:
                raise Refused(f"{name} {why} and cannot be deleted")
        del self._faces[name]
        if face.parent:
            self._children[face.parent].discard(name)

    def _do_create_loopback(self, op: ops.CreateLoopback) -> None:
        mac = op.mac or f"de:ad:00:00:{len(self._faces) >> 8 & 255:02x}:{len(self._faces) & 255:02x}"
        self._create(InterfaceState(op.interface, InterfaceType.LOOPBACK, mtu=_LOOPBACK_MTU, mac=mac))

    def _do_delete_loopback(self, op: ops.DeleteLoopback) -> None:
        self._delete(op.interface, InterfaceType.LOOPBACK)

    def _do_create_bond(self, op: ops.CreateBond) -> None:
        if op.bond.load_balance is not None and op.bond.mode not in ("lacp", "xor"):
            raise Refused(f"mode {op.bond.mode} has no load-balance")
        self._create(InterfaceState(op.interface, InterfaceType.BOND, mtu=PORT_MTU, mac=op.mac, bond=op.bond))

    def _do_delete_bond(self, op: ops.DeleteBond) -> None:
        self._delete(op.interface, InterfaceType.BOND)

    def _do_create_vxlan(self, op: ops.CreateVxlan) -> None:
        other = self._any(lambda face: face.vxlan is not None and face.vxlan.vni == op.vxlan.vni)
        if other is not None:
            raise Refused(f"VNI {op.vxlan.vni} is {other.name}'s")
        self._create(InterfaceState(op.interface, InterfaceType.VXLAN, mtu=TUNNEL_MTU, vxlan=op.vxlan))

    def _do_delete_vxlan(self, op: ops.DeleteVxlan) -> None:
        self._delete(op.interface, InterfaceType.VXLAN)

    def _do_create_tap(self, op: ops.CreateTap) -> None:
        self._check_host_name(op.tap)
        self._create(InterfaceState(op.interface, InterfaceType.TAP, link_mtu=1500, mtu=1500, tap=op.tap))

    def _do_delete_tap(self, op: ops.DeleteTap) -> None:
        self._delete(op.interface, InterfaceType.TAP)

    def _check_host_name(self, tap: TapState) -> None:
        """Names are unique within a namespace. The namespace of pairs is not given, so only names of pairs conflict."""
        ends = ((face.name, face.tap) for face in self._faces.values() if face.tap is not None)
        for name, other in ends:
            if (other.host_name, other.namespace) == (tap.host_name, tap.namespace):
                raise Refused(f"Linux has {tap.host_name} already, by {name}")

    def _do_create_sub(self, op: ops.CreateSub) -> None:
        parent = self._face(op.parent)
        if (
            parent.kind not in (InterfaceType.PORT, InterfaceType.BOND, InterfaceType.VXLAN)
            or parent.bond_of is not None
        ):
            raise Refused(f"{parent.name} takes no sub-interfaces")
        if any(sub.encapsulation == op.encapsulation for sub in self._subs(op.parent)):
            raise Refused(f"a sub-interface of {op.parent} has these tags")
        face = InterfaceState(
            op.interface,
            InterfaceType.SUB,
            mtu=parent.mtu,
            parent=op.parent,
            sub_id=op.sub_id,
            encapsulation=op.encapsulation,
        )
        self._create(face)
        above = self._above(face)
        if above is not None:
            self._change(op.interface, mtu=min(above.mtu or 0, parent.mtu or 0))
        self._children.setdefault(op.parent, set()).add(op.interface)

    def _do_delete_sub(self, op: ops.DeleteSub) -> None:
        face = self._face(op.interface)
        below = [sub for sub in self._subs(face.parent or "") if sub.lcp is not None and self._above(sub) is face]
        if below:
            raise Refused(f"{below[0].name} stands on {op.interface} in Linux")
        self._delete(op.interface, InterfaceType.SUB)

    # ---- Linux, bonds

    def _do_create_lcp(self, op: ops.CreateLcp) -> None:
        face = self._face(op.interface)
        if face.lcp is not None:
            raise Refused(f"{face.name} has LCP {face.lcp}")
        if face.is_layer2 or face.bond_of is not None:
            raise Refused(f"{face.name} does not route")
        if self._any(lambda other: other.lcp == op.host):
            raise Refused(f"Linux has {op.host} already")
        if face.encapsulation is not None:
            if not face.encapsulation.exact:
                raise Refused(f"{face.name} takes further tags")
            below = self._above(face) if face.encapsulation.inner else self._faces[face.parent or ""]
            if below is None or below.lcp is None:
                raise Refused(f"{face.name} has nothing to stand on in Linux")
        self._change(op.interface, lcp=op.host)

    def _do_delete_lcp(self, op: ops.DeleteLcp) -> None:
        face = self._face(op.interface)
        if face.lcp is None:
            raise Refused(f"{face.name} has no LCP")
        for other in self._subs(face.name if face.parent is None else face.parent):
            stands = face.parent is None or self._above(other) is face
            if other.lcp is not None and stands and other is not face:
                raise Refused(f"{other.name} stands on {face.name} in Linux")
        self._change(op.interface, lcp=None)

    def _do_add_member(self, op: ops.AddMember) -> None:
        face, bond = self._face(op.interface), self._face(op.bond)
        if face.kind is not InterfaceType.PORT or bond.kind is not InterfaceType.BOND:
            raise Refused(f"{face.name} cannot be a member of {bond.name}")
        busy = face.addresses or face.unnumbered or face.lcp or face.is_layer2 or face.bond_of
        if busy or any(True for _ in self._subs(face.name)):
            raise Refused(f"{face.name} is used otherwise: {busy or 'it has sub-interfaces'}")
        if bond.mac is None:
            self._change(op.bond, mac=face.mac)
        self._own_macs[op.interface] = face.mac
        self._change(op.interface, bond_of=op.bond, mac=None)

    def _do_remove_member(self, op: ops.RemoveMember) -> None:
        if self._face(op.interface).bond_of is None:
            raise Refused(f"{op.interface} is in no bond")
        self._change(op.interface, bond_of=None, mac=self._own_macs.get(op.interface))

    # ---- Layer 2

    def _do_create_bridge(self, op: ops.CreateBridge) -> None:
        if op.ident in self._bridges or not 1 <= op.ident < 1 << 24:
            raise Refused(f"bridge domain {op.ident} cannot be made")
        self._bridges[op.ident] = op.settings

    def _do_delete_bridge(self, op: ops.DeleteBridge) -> None:
        if op.ident not in self._bridges:
            raise Refused(f"there is no bridge domain {op.ident}")
        member = self._any(lambda face: face.bridge == op.ident)
        if member is not None:
            raise Refused(f"bridge domain {op.ident} has {member.name}")
        del self._bridges[op.ident]

    def _do_set_bridge(self, op: ops.SetBridge) -> None:
        if self._bridges.get(op.ident) != op.before:
            raise Refused(f"bridge domain {op.ident} is not as it was thought to be")
        self._bridges[op.ident] = op.settings

    def _check_free(self, face: InterfaceState) -> None:
        """Refuse an interface with layer 3 settings."""
        busy = face.addresses or face.unnumbered or face.lcp or face.bond_of
        if busy or self._any(lambda other: other.unnumbered == face.name):
            raise Refused(f"{face.name} routes: {busy or 'it lends its addresses'}")

    def _do_join_bridge(self, op: ops.JoinBridge) -> None:
        face = self._face(op.interface)
        if op.ident not in self._bridges:
            raise Refused(f"there is no bridge domain {op.ident}")
        if face.bridge is not None or face.xconnect is not None:
            raise Refused(f"{face.name} is in layer 2 already")
        if op.is_bvi != (face.kind is InterfaceType.LOOPBACK):
            raise Refused("a loopback is a BVI, and nothing else is")
        if not op.is_bvi:
            self._check_free(face)
        elif self._any(lambda other: other.bridge == op.ident and other.is_bvi):
            raise Refused(f"bridge domain {op.ident} has a BVI")
        self._change(op.interface, bridge=op.ident, is_bvi=op.is_bvi)

    def _do_set_xconnect(self, op: ops.SetXconnect) -> None:
        face, target = self._face(op.interface), self._face(op.to)
        if face is target or InterfaceType.LOOPBACK in (face.kind, target.kind):
            raise Refused(f"{face.name} and {target.name} cannot be cross-connected")
        if face.bridge is not None or face.xconnect is not None or target.bridge is not None:
            raise Refused(f"{face.name} or {target.name} is in layer 2 already")
        self._check_free(face)
        if target.addresses or target.lcp:
            raise Refused(f"{target.name} routes")
        self._change(op.interface, xconnect=op.to)

    def _do_set_l3(self, op: ops.SetL3) -> None:
        face = self._face(op.interface)
        if face.bridge is None and face.xconnect is None:
            raise Refused(f"{face.name} routes already")
        if face.rewrite != TagRewriteState():
            raise Refused(f"{face.name} still takes tags off")
        self._change(op.interface, bridge=None, is_bvi=False, xconnect=None)

    def _do_set_tag_rewrite(self, op: ops.SetTagRewrite) -> None:
        face = self._face(op.interface)
        tags = face.encapsulation.tags if face.encapsulation else 0
        if op.pop > tags or (op.pop and not face.is_layer2):
            raise Refused(f"{face.name} has {tags} tags and is {'' if face.is_layer2 else 'not '}in layer 2")
        self._change(op.interface, rewrite=TagRewriteState(op.pop, op.push, op.dot1ad))

    # ---- MTU

    def _do_set_link_mtu(self, op: ops.SetLinkMtu) -> None:
        face = self._face(op.interface)
        if face.kind not in HARDWARE:
            raise Refused(f"{face.name} has no link")
        if face.kind is InterfaceType.PORT and face.up:
            raise Refused(f"{face.name} is up; its driver takes no other MTU now")
        self._change(op.interface, link_mtu=op.mtu)
        # Interfaces on a link carry at most as much as the link.
        for each in (face, *self._subs(face.name)):
            self._change(each.name, mtu=min(each.mtu or op.mtu, op.mtu))

    def _do_set_packet_mtu(self, op: ops.SetPacketMtu) -> None:
        face = self._face(op.interface)
        port = self._faces[face.parent] if face.parent else face
        if port.link_mtu is not None and op.mtu > port.link_mtu:
            raise Refused(f"{face.name}: {op.mtu} is more than its link carries, {port.link_mtu}")
        for lower in filter(None, (port if port is not face else None, self._above(face))):
            if op.mtu > (lower.mtu or 0):
                raise Refused(f"{face.name}: {op.mtu} is more than {lower.name} has, {lower.mtu}")
        for sub in self._subs(port.name):
            on_it = port is face or self._above(sub) is face
            if on_it and sub is not face and (sub.mtu or 0) > op.mtu:
                raise Refused(f"{face.name}: {op.mtu} is less than {sub.name} has, {sub.mtu}")
        self._change(op.interface, mtu=op.mtu)

    # ---- Addresses

    def _take(self, name: str, address: str) -> None:
        network = network_of(address)
        self._networks.setdefault(network, set()).add(name)
        key = (network.version, network.prefixlen)
        self._lengths[key] = self._lengths.get(key, 0) + 1

    def _give_back(self, name: str, address: str) -> None:
        network = network_of(address)
        if not any(network_of(other) == network for other in self._faces[name].addresses):
            self._networks[network].discard(name)
            if not self._networks[network]:
                del self._networks[network]

    def _check_network(self, name: str, network: Network) -> None:
        for (version, length), _ in self._lengths.items():
            if version == network.version and length <= network.prefixlen:
                above = network.supernet(new_prefix=length)
                if above in self._networks and (length != network.prefixlen or self._networks[above] != {name}):
                    raise Refused(f"{network} is within {above} of {self._networks[above]}")
        if any(version == network.version and length > network.prefixlen for version, length in self._lengths):
            for other in self._networks:
                if other.version == network.version and other != network and other.subnet_of(network):  # type: ignore[arg-type]
                    raise Refused(f"{network} contains {other} of {self._networks[other]}")

    def _do_add_address(self, op: ops.AddAddress) -> None:
        face = self._face(op.interface)
        if op.address in face.addresses:
            raise Refused(f"{face.name} has {op.address}")
        if face.is_layer2 or face.unnumbered is not None or face.bond_of is not None:
            raise Refused(f"{face.name} takes no address now")
        if self._any(lambda other: other.xconnect == face.name):
            raise Refused(f"{face.name} is the target of a cross-connect")
        if face.encapsulation is not None and not face.encapsulation.exact:
            raise Refused(f"{face.name} has no exact match")
        self._check_network(face.name, network_of(op.address))
        self._take(face.name, op.address)
        self._change(op.interface, addresses=tuple(sorted((*face.addresses, op.address))))

    def _do_delete_address(self, op: ops.DeleteAddress) -> None:
        face = self._face(op.interface)
        if op.address not in face.addresses:
            raise Refused(f"{face.name} has no {op.address}")
        self._change(op.interface, addresses=tuple(one for one in face.addresses if one != op.address))
        self._give_back(face.name, op.address)

    def _do_set_unnumbered(self, op: ops.SetUnnumbered) -> None:
        face, lender = self._face(op.interface), self._face(op.lender)
        if face is lender or face.addresses or face.unnumbered or face.is_layer2 or face.bond_of:
            raise Refused(f"{face.name} cannot use another's addresses now")
        if lender.unnumbered is not None or lender.is_layer2:
            raise Refused(f"{lender.name} has none of its own")
        if self._any(lambda other: other.unnumbered == face.name):
            raise Refused(f"{face.name} lends its addresses")
        self._change(op.interface, unnumbered=op.lender)

    def _do_end_unnumbered(self, op: ops.EndUnnumbered) -> None:
        if self._face(op.interface).unnumbered != op.lender:
            raise Refused(f"{op.interface} does not use the addresses of {op.lender}")
        self._change(op.interface, unnumbered=None)

    # ---- Other attributes

    def _do_set_mac(self, op: ops.SetMac) -> None:
        face = self._face(op.interface)
        if int(op.mac[:2], 16) & 1 or face.parent is not None or face.bond_of is not None:
            raise Refused(f"{op.mac} cannot be {face.name}'s")
        self._change(op.interface, mac=op.mac)

    def _do_set_mpls(self, op: ops.SetMpls) -> None:
        if self._face(op.interface).mpls == op.on:
            raise Refused(f"MPLS is so on {op.interface} already")
        self._change(op.interface, mpls=op.on)

    def _do_set_interface_sflow(self, op: ops.SetInterfaceSflow) -> None:
        if self._face(op.interface).kind is not InterfaceType.PORT:
            raise Refused(f"{op.interface} is not a port")
        self._change(op.interface, sflow=op.on)

    def _do_set_sflow(self, op: ops.SetSflow) -> None:
        if (self._sflow or SflowState()) != op.before:
            raise Refused("sFlow is not as it was thought to be")
        self._sflow = op.settings

    def _do_set_state(self, op: ops.SetState) -> None:
        face = self._face(op.interface)
        if op.up and face.parent is not None and not self._faces[face.parent].up:
            raise Refused(f"{face.name} is on {face.parent}, which is down")
        self._change(op.interface, up=op.up)
        if not op.up:
            for sub in list(self._subs(face.name)):
                self._change(sub.name, up=False)

    # ---- Access lists

    def _do_set_acl(self, op: ops.SetAcl) -> None:
        have = self._acls.get(op.name)
        if (have.index if have else None) != op.index:
            raise Refused(f"access list {op.name} has index {have.index if have else None}")
        used = {acl.index for acl in self._acls.values()}
        index = next(number for number in range(len(used) + 1) if number not in used) if have is None else have.index
        self._acls[op.name] = AclState(op.rules, index)

    def _do_delete_acl(self, op: ops.DeleteAcl) -> None:
        have = self._acls.get(op.name)
        if have is None or have.index != op.index:
            raise Refused(f"there is no access list {op.name} with index {op.index}")
        del self._acls[op.name]


_DO: dict[type[ops.Operation], Callable[[Vpp, Any], None]] = {
    ops.CreateLoopback: Vpp._do_create_loopback,
    ops.DeleteLoopback: Vpp._do_delete_loopback,
    ops.CreateBond: Vpp._do_create_bond,
    ops.DeleteBond: Vpp._do_delete_bond,
    ops.CreateVxlan: Vpp._do_create_vxlan,
    ops.DeleteVxlan: Vpp._do_delete_vxlan,
    ops.CreateTap: Vpp._do_create_tap,
    ops.DeleteTap: Vpp._do_delete_tap,
    ops.CreateSub: Vpp._do_create_sub,
    ops.DeleteSub: Vpp._do_delete_sub,
    ops.CreateLcp: Vpp._do_create_lcp,
    ops.DeleteLcp: Vpp._do_delete_lcp,
    ops.AddMember: Vpp._do_add_member,
    ops.RemoveMember: Vpp._do_remove_member,
    ops.CreateBridge: Vpp._do_create_bridge,
    ops.DeleteBridge: Vpp._do_delete_bridge,
    ops.SetBridge: Vpp._do_set_bridge,
    ops.JoinBridge: Vpp._do_join_bridge,
    ops.SetXconnect: Vpp._do_set_xconnect,
    ops.SetL3: Vpp._do_set_l3,
    ops.SetTagRewrite: Vpp._do_set_tag_rewrite,
    ops.SetLinkMtu: Vpp._do_set_link_mtu,
    ops.SetPacketMtu: Vpp._do_set_packet_mtu,
    ops.AddAddress: Vpp._do_add_address,
    ops.DeleteAddress: Vpp._do_delete_address,
    ops.SetUnnumbered: Vpp._do_set_unnumbered,
    ops.EndUnnumbered: Vpp._do_end_unnumbered,
    ops.SetMac: Vpp._do_set_mac,
    ops.SetMpls: Vpp._do_set_mpls,
    ops.SetInterfaceSflow: Vpp._do_set_interface_sflow,
    ops.SetSflow: Vpp._do_set_sflow,
    ops.SetState: Vpp._do_set_state,
    ops.SetAcl: Vpp._do_set_acl,
    ops.DeleteAcl: Vpp._do_delete_acl,
}
