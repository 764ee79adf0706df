"""A router with VPP's binary API as a device: wirespeed's or VPP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_interface
from typing import Any

from wirespeed.config import operations as ops
from wirespeed.config.acl_names import named_acls
from wirespeed.config.lookup import instance_of, kind_of
from wirespeed.config.router_device import router_lacks
from wirespeed.config.state import (
    HARDWARE,
    AclRuleState,
    AclState,
    BondState,
    Bridge,
    Encapsulation,
    InterfaceState,
    InterfaceType,
    RouterState,
    SflowState,
    TagRewriteState,
    TapState,
    Vxlan,
)
from wirespeed.errors import ConnectionFault, EnvironmentFault, RemoteError
from wirespeed.vpp_api.retvals import refusal
from wirespeed.vpp_api.tag_rewrites import TAG_REWRITES

_ALL = 0xFFFFFFFF
_UP = 1
_ONE_TAG, _TWO_TAGS, _DOT1AD, _EXACT, _ANY = 2, 4, 8, 16, 64 | 128
_BVI = 1
_BRIDGE_FLAGS = {"learn": 1, "forward": 2, "flood": 4, "uu_flood": 8, "arp_term": 16, "arp_ufwd": 32}


class ApiDevice:
    """`client` is a connected `vpp_papi.VPPApiClient`, which its owner disconnects."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._indices: dict[str, int] = {}
        self._is_ours = self._ask("show_version").program == "wirespeed"

    # ---- Messages

    def _ask(self, message: str, **fields: Any) -> Any:
        """The reply, or the list of details of a dump."""
        function = getattr(self._client.api, message, None)
        if function is None:
            raise EnvironmentFault(f"the router's API has no message {message}; is its plugin loaded?")
        try:
            return function(**fields)
        except (OSError, self._client_fault()) as error:
            raise ConnectionFault(f"the connection to the router's API was lost: {error}") from None

    @staticmethod
    def _client_fault() -> type[Exception]:
        from vpp_papi import VPPIOError  # noqa: PLC0415 - slow, and needed where there is a client only

        fault: type[Exception] = VPPIOError
        return fault

    def _change(self, message: str, **fields: Any) -> Any:
        reply = self._ask(message, **fields)
        if reply.retval:
            raise RemoteError(refusal(message, reply.retval))
        return reply

    def _index(self, name: str) -> int:
        if name not in self._indices:
            raise RemoteError(f"the router has no interface {name}; make it, or correct the name")
        return self._indices[name]

    # ---- Reading

    def read(self) -> RouterState:
        faces = [face for face in self._ask("sw_interface_dump") if face.interface_name != "local0"]
        names = {face.sw_if_index: face.interface_name for face in faces}
        self._indices = {name: index for index, name in names.items()}
        pairs = {pair.phy_sw_if_index: pair for pair in self._ask("lcp_itf_pair_get")[1]}
        hosts = {pair.host_sw_if_index for pair in pairs.values()}
        taps = {tap.sw_if_index: _tap(tap) for tap in self._ask("sw_interface_tap_v2_dump")}
        domains = self._ask("bridge_domain_dump", bd_id=_ALL, sw_if_index=_ALL)
        joined = {row.sw_if_index: domain for domain in domains for row in domain.sw_if_details}
        connected = {row.rx_sw_if_index: row.tx_sw_if_index for row in self._ask("l2_xconnect_dump")}
        borrowed = {row.sw_if_index: row.ip_sw_if_index for row in self._ask("ip_unnumbered_dump", sw_if_index=_ALL)}
        mpls = {row.sw_if_index for row in self._ask("mpls_interface_dump", sw_if_index=_ALL)}
        bonds = {row.sw_if_index: row for row in self._ask("sw_bond_interface_dump", sw_if_index=_ALL)}
        members = {
            row.sw_if_index: names[bond]
            for bond in bonds
            for row in self._ask("sw_member_interface_dump", sw_if_index=bond)
        }
        tunnels, sflow, sampled = self._tunnels(), self._sflow(), self._sampled()
        interfaces = {}
        for face in faces:
            index, name = face.sw_if_index, face.interface_name
            if index in hosts:
                continue
            kind = (
                InterfaceType.SUB
                if face.sup_sw_if_index != index
                else InterfaceType.TAP
                if index in taps
                else kind_of(name)[0]
            )
            pair, domain = pairs.get(index), joined.get(index)
            interfaces[name] = InterfaceState(
                name,
                kind,
                up=bool(face.flags & _UP),
                link_mtu=face.link_mtu if kind in HARDWARE else None,
                mtu=face.mtu[0],
                mac=None if kind is InterfaceType.SUB or index in members else str(face.l2_address),
                addresses=tuple(sorted(self._addresses(index))),
                unnumbered=names.get(borrowed.get(index, _ALL)),
                lcp=pair.host_if_name if pair else None,
                lcp_namespace=(pair.netns or None) if pair else None,
                mpls=index in mpls,
                sflow=index in sampled,
                bridge=domain.bd_id if domain else None,
                is_bvi=domain is not None and domain.bvi_sw_if_index == index,
                xconnect=names.get(connected.get(index, _ALL)),
                rewrite=_rewrite(face),
                parent=names[face.sup_sw_if_index] if kind is InterfaceType.SUB else None,
                sub_id=face.sub_id if kind is InterfaceType.SUB else 0,
                encapsulation=_encapsulation(face) if kind is InterfaceType.SUB else None,
                bond_of=members.get(index),
                bond=_bond(bonds[index]) if index in bonds else None,
                vxlan=tunnels.get(index),
                tap=taps.get(index),
            )
        bridges = {domain.bd_id: _bridge(domain) for domain in domains}
        return RouterState(interfaces, bridges, self._acls(), sflow, reserved=self._names(hosts, names))

    def _tunnels(self) -> dict[int, Vxlan]:
        """By their numbers; none where the router's plugin for them is off."""
        if not hasattr(self._client.api, "vxlan_tunnel_v2_dump"):
            return {}
        told = self._ask("vxlan_tunnel_v2_dump", sw_if_index=_ALL)
        return {row.sw_if_index: Vxlan(str(row.src_address), str(row.dst_address), row.vni) for row in told}

    def _sflow(self) -> SflowState | None:
        """None where the router's plugin for it is off."""
        if not hasattr(self._client.api, "sflow_sampling_rate_get"):
            return None
        header = self._ask("sflow_header_bytes_get").header_B
        return SflowState(
            header, self._ask("sflow_polling_interval_get").polling_S, self._ask("sflow_sampling_rate_get").sampling_N
        )

    def _sampled(self) -> set[int]:
        if not hasattr(self._client.api, "sflow_interface_dump"):
            return set()
        return {row.hw_if_index for row in self._ask("sflow_interface_dump", hw_if_index=_ALL)}

    def _acls(self) -> dict[str, AclState]:
        """None where the router's plugin for them is off."""
        if not hasattr(self._client.api, "acl_dump"):
            return {}
        return named_acls((row.tag, _acl(row)) for row in self._ask("acl_dump", acl_index=_ALL))

    @staticmethod
    def _names(hosts: set[int], names: dict[int, str]) -> frozenset[str]:
        return frozenset(names[index] for index in hosts if index in names)

    def _addresses(self, index: int) -> Iterator[str]:
        for is_ip6 in (False, True):
            for row in self._ask("ip_address_dump", sw_if_index=index, is_ipv6=is_ip6):
                if not ip_interface(str(row.prefix)).is_link_local:
                    yield str(ip_interface(str(row.prefix)))

    # ---- Doing

    def lacks(self, operation: ops.Operation) -> str | None:
        return router_lacks(operation) if self._is_ours else None

    def run(self, operations: Iterable[ops.Operation]) -> Iterator[None]:
        for operation in operations:
            _DO[type(operation)](self, operation)
            yield

    def _create_loopback(self, op: ops.CreateLoopback) -> None:
        given: dict[str, Any] = {"is_specified": True, "user_instance": instance_of(op.interface)}
        given |= {"mac_address": op.mac} if op.mac else {}
        self._indices[op.interface] = self._change("create_loopback_instance", **given).sw_if_index

    def _create_tap(self, op: ops.CreateTap) -> None:
        tap = op.tap
        fields: dict[str, Any] = {"id": instance_of(op.interface), "use_random_mac": True}
        fields |= {"host_if_name_set": True, "host_if_name": tap.host_name}
        fields |= {"rx_ring_sz": tap.rx_ring} if tap.rx_ring else {}
        fields |= {"tx_ring_sz": tap.tx_ring} if tap.tx_ring else {}
        options = {"host_mac_addr": tap.host_mac, "host_namespace": tap.namespace, "host_bridge": tap.bridge}
        for name, value in options.items():
            fields |= {} if value is None else {f"{name}_set": True, name: value}
        fields |= {} if tap.host_mtu is None else {"host_mtu_set": True, "host_mtu_size": tap.host_mtu}
        self._indices[op.interface] = self._change("tap_create_v3", **fields).sw_if_index

    def _create_bond(self, op: ops.CreateBond) -> None:
        given: dict[str, Any] = {"id": instance_of(op.interface), "mode": _BOND_MODES.index(op.bond.mode) + 1}
        given |= {"lb": _BALANCES.index(op.bond.load_balance)} if op.bond.load_balance else {}
        given |= {"use_custom_mac": True, "mac_address": op.mac} if op.mac else {}
        self._indices[op.interface] = self._change("bond_create2", **given).sw_if_index

    def _add_member(self, op: ops.AddMember) -> None:
        ends = {"sw_if_index": self._index(op.interface), "bond_sw_if_index": self._index(op.bond)}
        self._change("bond_add_member", **ends)

    def _remove_member(self, op: ops.RemoveMember) -> None:
        self._change("bond_detach_member", sw_if_index=self._index(op.interface))

    def _create_vxlan(self, op: ops.CreateVxlan) -> None:
        given = _tunnel(op.vxlan) | {"is_add": True, "instance": instance_of(op.interface)}
        self._indices[op.interface] = self._change("vxlan_add_del_tunnel_v3", **given).sw_if_index

    def _delete_vxlan(self, op: ops.DeleteVxlan) -> None:
        self._change("vxlan_add_del_tunnel_v3", **_tunnel(op.vxlan), is_add=False)
        del self._indices[op.interface]

    def _create_sub(self, op: ops.CreateSub) -> None:
        own = op.encapsulation
        flags = (_TWO_TAGS if own.inner else _ONE_TAG) | (_DOT1AD if own.dot1ad else 0) | (_EXACT if own.exact else 0)
        tags = {"outer_vlan_id": own.outer, "inner_vlan_id": own.inner}
        parent = self._index(op.parent)
        reply = self._change("create_subif", sw_if_index=parent, sub_id=op.sub_id, sub_if_flags=flags, **tags)
        self._indices[op.interface] = reply.sw_if_index

    def _delete(self, op: ops.Deletion) -> None:
        messages = {
            ops.DeleteLoopback: "delete_loopback",
            ops.DeleteTap: "tap_delete_v2",
            ops.DeleteSub: "delete_subif",
            ops.DeleteBond: "bond_delete",
        }
        self._change(messages[type(op)], sw_if_index=self._index(op.interface))
        del self._indices[op.interface]

    def _pair(self, op: ops.CreateLcp | ops.DeleteLcp) -> None:
        fields: dict[str, Any] = {
            "is_add": isinstance(op, ops.CreateLcp),
            "sw_if_index": self._index(op.interface),
            "host_if_type": 0,
        }
        if isinstance(op, ops.CreateLcp):
            fields |= {"host_if_name": op.host, "netns": op.namespace or ""}
        self._change("lcp_itf_pair_add_del_v3", **fields)

    def _create_bridge(self, op: ops.CreateBridge) -> None:
        flags = {name: getattr(op.settings, name) for name in _BRIDGE_FLAGS}
        age = op.settings.mac_age
        self._change("bridge_domain_add_del_v2", bd_id=op.ident, is_add=True, mac_age=age, **flags)

    def _set_bridge(self, op: ops.SetBridge) -> None:
        for is_set in (True, False):
            changed = [name for name in _BRIDGE_FLAGS if getattr(op.before, name) != getattr(op.settings, name)]
            flags = sum(_BRIDGE_FLAGS[name] for name in changed if getattr(op.settings, name) == is_set)
            if flags:
                self._change("bridge_flags", bd_id=op.ident, is_set=is_set, flags=flags)
        if op.before.mac_age != op.settings.mac_age:
            self._change("bridge_domain_set_mac_age", bd_id=op.ident, mac_age=op.settings.mac_age)

    def _join(self, op: ops.JoinBridge) -> None:
        port_type = _BVI if op.is_bvi else 0
        given = {"rx_sw_if_index": self._index(op.interface), "bd_id": op.ident, "port_type": port_type}
        self._change("sw_interface_set_l2_bridge", enable=True, **given)

    def _set_l3(self, op: ops.SetL3) -> None:
        """Out of whichever it is in: a bridge domain needs to be named, so that is looked up."""
        index = self._index(op.interface)
        for domain in self._ask("bridge_domain_dump", bd_id=_ALL, sw_if_index=_ALL):
            for row in domain.sw_if_details:
                if row.sw_if_index == index:
                    port_type = _BVI if domain.bvi_sw_if_index == index else 0
                    given = {"rx_sw_if_index": index, "bd_id": domain.bd_id, "port_type": port_type}
                    self._change("sw_interface_set_l2_bridge", enable=False, **given)
                    return
        self._change("sw_interface_set_l2_xconnect", rx_sw_if_index=index, tx_sw_if_index=index, enable=False)

    def _set_xconnect(self, op: ops.SetXconnect) -> None:
        ends = {"rx_sw_if_index": self._index(op.interface), "tx_sw_if_index": self._index(op.to)}
        self._change("sw_interface_set_l2_xconnect", enable=True, **ends)

    def _set_tag_rewrite(self, op: ops.SetTagRewrite) -> None:
        tags = (*op.push, 0, 0)
        number = TAG_REWRITES.index((op.pop, len(op.push)))
        given = {"push_dot1q": bool(op.push) and not op.dot1ad, "tag1": tags[0], "tag2": tags[1]}
        self._change("l2_interface_vlan_tag_rewrite", sw_if_index=self._index(op.interface), vtr_op=number, **given)

    def _set_link_mtu(self, op: ops.SetLinkMtu) -> None:
        self._change("hw_interface_set_mtu", sw_if_index=self._index(op.interface), mtu=op.mtu)

    def _set_packet_mtu(self, op: ops.SetPacketMtu) -> None:
        self._change("sw_interface_set_mtu", sw_if_index=self._index(op.interface), mtu=[op.mtu, 0, 0, 0])

    def _address(self, op: ops.AddAddress | ops.DeleteAddress) -> None:
        given = {"sw_if_index": self._index(op.interface), "prefix": op.address}
        self._change("sw_interface_add_del_address", is_add=isinstance(op, ops.AddAddress), **given)

    def _unnumbered(self, op: ops.SetUnnumbered | ops.EndUnnumbered) -> None:
        ends = {"sw_if_index": self._index(op.lender), "unnumbered_sw_if_index": self._index(op.interface)}
        self._change("sw_interface_set_unnumbered", is_add=isinstance(op, ops.SetUnnumbered), **ends)

    def _set_mac(self, op: ops.SetMac) -> None:
        self._change("sw_interface_set_mac_address", sw_if_index=self._index(op.interface), mac_address=op.mac)

    def _set_mpls(self, op: ops.SetMpls) -> None:
        if op.on:  # MPLS needs its table, which no configuration names; made again it is the same
            self._ask("mpls_table_add_del", mt_is_add=True, mt_table={"mt_table_id": 0})
        self._change("sw_interface_set_mpls_enable", sw_if_index=self._index(op.interface), enable=op.on)

    def _set_state(self, op: ops.SetState) -> None:
        self._change("sw_interface_set_flags", sw_if_index=self._index(op.interface), flags=_UP if op.up else 0)

    def _set_sflow(self, op: ops.SetSflow) -> None:
        words = {"header_bytes": "header_B", "polling_interval": "polling_S", "sampling_rate": "sampling_N"}
        for word, field in words.items():
            value = getattr(op.settings, word)
            if value != getattr(op.before, word):
                self._change(f"sflow_{word}_set", **{field: value})

    def _sample(self, op: ops.SetInterfaceSflow) -> None:
        self._change("sflow_enable_disable", hw_if_index=self._index(op.interface), enable_disable=op.on)

    def _delete_bridge(self, op: ops.DeleteBridge) -> None:
        self._change("bridge_domain_add_del_v2", bd_id=op.ident, is_add=False)

    def _set_acl(self, op: ops.SetAcl) -> None:
        rules = [_acl_rule(rule) for rule in op.rules]
        index = _ALL if op.index is None else op.index
        self._change("acl_add_replace", acl_index=index, tag=op.name, count=len(rules), r=rules)

    def _delete_acl(self, op: ops.DeleteAcl) -> None:
        self._change("acl_del", acl_index=0 if op.index is None else op.index)


_ACL_ACTIONS = ("deny", "permit", "permit+reflect")
"""Actions in the order of VPP's numbers."""


def _acl(details: Any) -> AclState:
    rules = (
        AclRuleState(
            _ACL_ACTIONS[int(rule.is_permit)],
            str(rule.src_prefix),
            str(rule.dst_prefix),
            int(rule.proto),
            (rule.srcport_or_icmptype_first, rule.srcport_or_icmptype_last),
            (rule.dstport_or_icmpcode_first, rule.dstport_or_icmpcode_last),
        )
        for rule in details.r
    )
    return AclState(tuple(rules), details.acl_index)


def _acl_rule(rule: AclRuleState) -> dict[str, Any]:
    return {
        "is_permit": _ACL_ACTIONS.index(rule.action),
        "src_prefix": rule.source,
        "dst_prefix": rule.destination,
        "proto": rule.protocol,
        "srcport_or_icmptype_first": rule.source_ports[0],
        "srcport_or_icmptype_last": rule.source_ports[1],
        "dstport_or_icmpcode_first": rule.destination_ports[0],
        "dstport_or_icmpcode_last": rule.destination_ports[1],
    }


_BOND_MODES = ("round-robin", "active-backup", "xor", "broadcast", "lacp")
_BALANCES = ("l2", "l34", "l23")
"""Load balances in the order of VPP's numbers; modes are counted from 1."""


def _bond(told: Any) -> BondState:
    lb = int(told.lb)
    return BondState(_BOND_MODES[int(told.mode) - 1], _BALANCES[lb] if lb < len(_BALANCES) else None)


def _tap(details: Any) -> TapState:
    mac = str(details.host_mac_addr)
    return TapState(
        details.host_if_name,
        None if mac == "00:00:00:00:00:00" else mac,
        details.host_mtu_size or None,
        details.host_bridge or None,
        details.host_namespace or None,
        details.rx_ring_sz,
        details.tx_ring_sz,
    )


def _tunnel(vxlan: Vxlan) -> dict[str, Any]:
    ends = {"src_address": vxlan.local, "dst_address": vxlan.remote}
    return {**ends, "vni": vxlan.vni, "decap_next_index": _ALL, "mcast_sw_if_index": _ALL}


def _rewrite(face: Any) -> TagRewriteState:
    pop, push = TAG_REWRITES[int(face.vtr_op)]
    tags = (int(face.vtr_tag1), int(face.vtr_tag2))[:push]
    return TagRewriteState(pop, tags, bool(tags) and not face.vtr_push_dot1q)


def _encapsulation(face: Any) -> Encapsulation:
    flags = int(face.sub_if_flags)
    outer = 0 if flags & _ANY else face.sub_outer_vlan_id
    return Encapsulation(outer, face.sub_inner_vlan_id, bool(flags & _DOT1AD), bool(flags & _EXACT))


def _bridge(told: Any) -> Bridge:
    return Bridge(told.learn, told.flood, told.uu_flood, told.forward, told.arp_term, told.arp_ufwd, told.mac_age)


_DO: dict[type[ops.Operation], Callable[[ApiDevice, Any], None]] = {
    ops.CreateLoopback: ApiDevice._create_loopback,
    ops.CreateTap: ApiDevice._create_tap,
    ops.CreateVxlan: ApiDevice._create_vxlan,
    ops.DeleteVxlan: ApiDevice._delete_vxlan,
    ops.CreateSub: ApiDevice._create_sub,
    ops.DeleteLoopback: ApiDevice._delete,
    ops.DeleteTap: ApiDevice._delete,
    ops.DeleteSub: ApiDevice._delete,
    ops.CreateBond: ApiDevice._create_bond,
    ops.DeleteBond: ApiDevice._delete,
    ops.AddMember: ApiDevice._add_member,
    ops.RemoveMember: ApiDevice._remove_member,
    ops.CreateLcp: ApiDevice._pair,
    ops.DeleteLcp: ApiDevice._pair,
    ops.CreateBridge: ApiDevice._create_bridge,
    ops.DeleteBridge: ApiDevice._delete_bridge,
    ops.SetBridge: ApiDevice._set_bridge,
    ops.SetAcl: ApiDevice._set_acl,
    ops.DeleteAcl: ApiDevice._delete_acl,
    ops.JoinBridge: ApiDevice._join,
    ops.SetXconnect: ApiDevice._set_xconnect,
    ops.SetL3: ApiDevice._set_l3,
    ops.SetTagRewrite: ApiDevice._set_tag_rewrite,
    ops.SetLinkMtu: ApiDevice._set_link_mtu,
    ops.SetPacketMtu: ApiDevice._set_packet_mtu,
    ops.AddAddress: ApiDevice._address,
    ops.DeleteAddress: ApiDevice._address,
    ops.SetUnnumbered: ApiDevice._unnumbered,
    ops.EndUnnumbered: ApiDevice._unnumbered,
    ops.SetMac: ApiDevice._set_mac,
    ops.SetMpls: ApiDevice._set_mpls,
    ops.SetSflow: ApiDevice._set_sflow,
    ops.SetInterfaceSflow: ApiDevice._sample,
    ops.SetState: ApiDevice._set_state,
}
