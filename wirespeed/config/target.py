"""The state that a configuration asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_interface

from wirespeed.config.acl_terms import rules_of
from wirespeed.config.lookup import Face, Lookup, instance_of, kind_of
from wirespeed.config.schema import Config
from wirespeed.config.state import (
    HARDWARE,
    PORT_MTU,
    AclState,
    BondState,
    Bridge,
    InterfaceState,
    InterfaceType,
    RouterState,
    SflowState,
    TagRewriteState,
    TapState,
    Vxlan,
)


def target_state(config: Config, current: RouterState | None = None) -> RouterState:
    """State of a router with a valid configuration. Ports of `current` that are not named lose all their settings:
    ports are never deleted."""
    lookup, sflow = Lookup(config), config.sflow
    interfaces = {interface.name: interface for interface in _interfaces(lookup)}
    for name, port in (current.interfaces if current else {}).items():
        if port.kind is InterfaceType.PORT and name not in interfaces:
            interfaces[name] = InterfaceState(name, InterfaceType.PORT, link_mtu=PORT_MTU, mtu=PORT_MTU)
    return RouterState(
        interfaces=interfaces,
        bridges={
            instance_of(name): Bridge(
                domain.settings.learn,
                domain.settings.unicast_flood,
                domain.settings.unknown_unicast_flood,
                domain.settings.unicast_forward,
                domain.settings.arp_termination,
                domain.settings.arp_unicast_forward,
                domain.settings.mac_age_minutes,
            )
            for name, domain in config.bridgedomains.items()
        },
        acls={
            name: AclState(tuple(rule for term in acl.terms for rule in rules_of(term, config.prefixlists)))
            for name, acl in config.acls.items()
        },
        sflow=SflowState(sflow.header_bytes, sflow.polling_interval, sflow.sampling_rate) if sflow else SflowState(),
    )


def bare_state(config: Config) -> RouterState:
    """A router that has the ports of a configuration, and nothing is set on them."""
    ports = (name for name in config.interfaces if kind_of(name)[0] is InterfaceType.PORT)
    return RouterState(
        {name: InterfaceState(name, InterfaceType.PORT, link_mtu=PORT_MTU, mtu=PORT_MTU) for name in ports}
    )


def _interfaces(lookup: Lookup) -> Iterator[InterfaceState]:
    for face in lookup.faces.values():
        yield _interface(lookup, face)
    config = lookup.config
    for name in (*config.taps, *config.vxlan_tunnels):
        if name not in lookup.faces:  # no entry among the interfaces: it is there, and down
            kind, section = kind_of(name)
            yield _interface(lookup, Face(name, (section, name), kind, lookup.mtu(name), up=False))


def _interface(lookup: Lookup, face: Face) -> InterfaceState:
    config, name = lookup.config, face.name
    bvi = lookup.bvi_of.get(name)
    bridge = bvi or lookup.bridges_of.get(name)
    made = InterfaceState(
        name,
        face.kind,
        up=face.up,
        link_mtu=face.mtu if face.kind in HARDWARE else None,
        mtu=face.mtu,
        mac=face.mac,
        addresses=tuple(sorted(str(ip_interface(address)) for address in face.addresses)),
        unnumbered=face.unnumbered,
        lcp=face.lcp,
        mpls=face.mpls,
        sflow=face.sflow,
        bridge=instance_of(bridge[0]) if bridge else None,
        is_bvi=bvi is not None,
        xconnect=face.l2xc,
        parent=face.parent,
        sub_id=face.sub_id,
        encapsulation=face.encapsulation,
    )
    if made.is_layer2 and face.encapsulation is not None:
        made = replace(made, rewrite=TagRewriteState(face.encapsulation.tags))
    match face.kind:
        case InterfaceType.PORT:
            bonds = lookup.bonds_of.get(name)
            return replace(made, bond_of=bonds[0]) if bonds else made
        case InterfaceType.BOND:
            bond = config.bondethernets[name]
            balance = bond.load_balance or ("l34" if bond.mode in ("lacp", "xor") else None)
            return replace(made, mac=bond.mac, bond=BondState(bond.mode, balance))
        case InterfaceType.VXLAN:
            tunnel = config.vxlan_tunnels[name]
            return replace(made, vxlan=Vxlan(tunnel.local, tunnel.remote, tunnel.vni))
        case InterfaceType.TAP:
            tap, host = config.taps[name], config.taps[name].host
            ends = (host.name, host.mac, host.mtu, host.bridge, host.namespace)
            return replace(made, tap=TapState(*ends, tap.rx_ring_size, tap.tx_ring_size))
    return made
