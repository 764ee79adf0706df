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
    Acl,
    Bond,
    Bridge,
    Interface,
    Kind,
    Sflow,
    State,
    TagRewrite,
    Tap,
    Vxlan,
)


def target_state(config: Config, current: State | None = None) -> State:
    """What a valid configuration makes of a router. Ports of `current` that it does not name lose all that is set on
    them: ports are never deleted."""
    lookup, given = Lookup(config), config.sflow
    interfaces = {interface.name: interface for interface in _interfaces(lookup)}
    for name, port in (current.interfaces if current else {}).items():
        if port.kind is Kind.PORT and name not in interfaces:
            interfaces[name] = Interface(name, Kind.PORT, link_mtu=PORT_MTU, mtu=PORT_MTU)
    return State(
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
            name: Acl(tuple(rule for term in acl.terms for rule in rules_of(term, config.prefixlists)))
            for name, acl in config.acls.items()
        },
        sflow=Sflow(given.header_bytes, given.polling_interval, given.sampling_rate) if given else Sflow(),
    )


def bare_state(config: Config) -> State:
    """A router that has the ports of a configuration, and nothing is set on them."""
    ports = (name for name in config.interfaces if kind_of(name)[0] is Kind.PORT)
    return State({name: Interface(name, Kind.PORT, link_mtu=PORT_MTU, mtu=PORT_MTU) for name in ports})


def _interfaces(lookup: Lookup) -> Iterator[Interface]:
    for face in lookup.faces.values():
        yield _interface(lookup, face)
    config = lookup.config
    for name in (*config.taps, *config.vxlan_tunnels):
        if name not in lookup.faces:  # no entry among the interfaces: it is there, and down
            kind, section = kind_of(name)
            yield _interface(lookup, Face(name, (section, name), kind, lookup.mtu(name), up=False))


def _interface(lookup: Lookup, face: Face) -> Interface:
    config, name = lookup.config, face.name
    bvi = lookup.bvi_of.get(name)
    bridge = bvi or lookup.bridges_of.get(name)
    made = Interface(
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
        made = replace(made, rewrite=TagRewrite(face.encapsulation.tags))
    match face.kind:
        case Kind.PORT:
            bonds = lookup.bonds_of.get(name)
            return replace(made, bond_of=bonds[0]) if bonds else made
        case Kind.BOND:
            bond = config.bondethernets[name]
            balance = bond.load_balance or ("l34" if bond.mode in ("lacp", "xor") else None)
            return replace(made, mac=bond.mac, bond=Bond(bond.mode, balance))
        case Kind.VXLAN:
            tunnel = config.vxlan_tunnels[name]
            return replace(made, vxlan=Vxlan(tunnel.local, tunnel.remote, tunnel.vni))
        case Kind.TAP:
            tap, host = config.taps[name], config.taps[name].host
            ends = (host.name, host.mac, host.mtu, host.bridge, host.namespace)
            return replace(made, tap=Tap(*ends, tap.rx_ring_size, tap.tx_ring_size))
    return made
