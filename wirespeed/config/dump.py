"""A router's state as vppcfg's YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import yaml

from wirespeed.config.state import (
    AclRuleState,
    AclState,
    Bridge,
    InterfaceState,
    InterfaceType,
    RouterState,
    SflowState,
)
from wirespeed.config.steps import natural

_MTU = 1500
_BRIDGE_KEYS = {
    "learn": "learn",
    "flood": "unicast-flood",
    "uu_flood": "unknown-unicast-flood",
    "forward": "unicast-forward",
    "arp_term": "arp-termination",
    "arp_ufwd": "arp-unicast-forward",
    "mac_age": "mac-age-minutes",
}


def dump_text(state: RouterState) -> str:
    """YAML with all settings that differ from the defaults. On the same router its plan is empty."""
    document = {name: section for name, section in _sections(state).items() if section}
    if not document:
        return "{}\n"
    return str(yaml.dump(document, Dumper=_Dumper, sort_keys=False, default_flow_style=False, width=1000))


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Aliases are never used, so that readers see the values."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _sections(state: RouterState) -> Mapping[str, Any]:
    faces = sorted(state.interfaces.values(), key=lambda face: natural(face.name))
    of_kind = {kind: [face for face in faces if face.kind is kind] for kind in InterfaceType}
    named = [face for face in faces if face.kind not in (InterfaceType.LOOPBACK, InterfaceType.SUB)]
    subs: dict[str, list[InterfaceState]] = {}
    for face in of_kind[InterfaceType.SUB]:
        subs.setdefault(face.parent or "", []).append(face)
    members: dict[int, list[InterfaceState]] = {ident: [] for ident in state.bridges}
    for face in faces:
        if face.bridge is not None:
            members.setdefault(face.bridge, []).append(face)
    return {
        "interfaces": {face.name: _interface(face, subs.get(face.name, ())) for face in named},
        "bondethernets": {face.name: _bond(face, faces) for face in of_kind[InterfaceType.BOND]},
        "loopbacks": {face.name: _settings(face, _MTU) for face in of_kind[InterfaceType.LOOPBACK]},
        "bridgedomains": {
            f"bd{ident}": _bridge(domain, members[ident]) for ident, domain in sorted(state.bridges.items())
        },
        "vxlan_tunnels": {
            face.name: {"local": face.vxlan.local, "remote": face.vxlan.remote, "vni": face.vxlan.vni}
            for face in of_kind[InterfaceType.VXLAN]
            if face.vxlan is not None
        },
        "taps": {face.name: _tap(face) for face in of_kind[InterfaceType.TAP]},
        "acls": {name: _acl(acl) for name, acl in state.acls.items()},
        "sflow": _sflow(state.sflow) if state.sflow not in (None, SflowState()) else None,
    }


def _settings(face: InterfaceState, mtu: int | None) -> dict[str, Any]:
    """Settings that all kinds share; `mtu` is the default one."""
    settings: dict[str, Any] = {}
    if face.mac is not None and face.kind is not InterfaceType.BOND and face.parent is None:
        settings["mac"] = face.mac
    if face.lcp is not None:
        settings["lcp"] = face.lcp
    if face.mtu is not None and face.mtu != mtu:
        settings["mtu"] = face.mtu
    if face.addresses:
        settings["addresses"] = list(face.addresses)
    if face.unnumbered is not None:
        settings["unnumbered"] = face.unnumbered
    if face.mpls:
        settings["mpls"] = True
    return settings


def _interface(face: InterfaceState, subs: Any) -> dict[str, Any]:
    section = {**_settings(face, _MTU), **_switched(face)}
    if face.sflow:
        section["sflow"] = True
    if subs:
        section["sub-interfaces"] = {sub.sub_id: _sub(sub, face) for sub in subs}
    return section


def _switched(face: InterfaceState) -> dict[str, Any]:
    told: dict[str, Any] = {} if face.xconnect is None else {"l2xc": face.xconnect}
    return told if face.up else {**told, "state": "down"}


def _sub(face: InterfaceState, parent: InterfaceState) -> dict[str, Any]:
    section = {**_settings(face, parent.mtu), **_switched(face)}
    own = face.encapsulation
    if own is not None:
        tags: dict[str, Any] = {"dot1ad" if own.dot1ad else "dot1q": own.outer}
        tags |= {"inner-dot1q": own.inner} if own.inner else {}
        tags |= {"exact-match": True} if own.exact else {}
        section["encapsulation"] = tags
    return section


def _bond(face: InterfaceState, faces: list[InterfaceState]) -> dict[str, Any]:
    section: dict[str, Any] = {} if face.mac is None else {"mac": face.mac}
    section["interfaces"] = [other.name for other in faces if other.bond_of == face.name]
    if face.bond is not None:
        section["mode"] = face.bond.mode
        section |= {} if face.bond.load_balance is None else {"load-balance": face.bond.load_balance}
    return section


def _bridge(domain: Bridge, members: list[InterfaceState]) -> dict[str, Any]:
    section: dict[str, Any] = {}
    if members and members[0].mtu not in (None, _MTU):
        section["mtu"] = members[0].mtu
    for face in members:
        if face.is_bvi:
            section["bvi"] = face.name
        else:
            section.setdefault("interfaces", []).append(face.name)
    plain = Bridge()
    pairs = ((key, getattr(domain, name), getattr(plain, name)) for name, key in _BRIDGE_KEYS.items())
    settings = {key: value for key, value, default in pairs if value != default}
    return section | ({"settings": settings} if settings else {})


def _tap(face: InterfaceState) -> dict[str, Any]:
    tap = face.tap
    if tap is None:
        return {}
    host = {"name": tap.host_name, "mac": tap.host_mac, "mtu": tap.host_mtu}
    host |= {"bridge": tap.bridge, "namespace": tap.namespace}
    told: dict[str, Any] = {"host": {key: value for key, value in host.items() if value is not None}}
    for key, ring in (("rx-ring-size", tap.rx_ring), ("tx-ring-size", tap.tx_ring)):
        told |= {} if ring in (None, 256) else {key: ring}
    return told


def _acl(acl: AclState) -> dict[str, Any]:
    return {"terms": [_term(rule) for rule in acl.rules]}


def _term(rule: AclRuleState) -> dict[str, Any]:
    section: dict[str, Any] = {"action": rule.action, "family": "ipv6" if ":" in rule.source else "ipv4"}
    section |= {"source": rule.source, "destination": rule.destination}
    if rule.protocol:
        section["protocol"] = rule.protocol
    is_icmp = rule.protocol in (1, 58)
    keys = ("icmp-type", "icmp-code") if is_icmp else ("source-port", "destination-port")
    for key, (first, last) in zip(keys, (rule.source_ports, rule.destination_ports), strict=True):
        if (first, last) != (0, 255 if is_icmp else 65535):
            section[key] = first if first == last else f"{first}-{last}"
    return section


def _sflow(sflow: SflowState | None) -> dict[str, Any] | None:
    if sflow is None:
        return None
    names = ("header_bytes", "polling_interval", "sampling_rate")
    return {name.replace("_", "-"): getattr(sflow, name) for name in names}


def json_text(state: RouterState) -> str:
    """Every field of every object, for programs."""
    values = {
        "interfaces": {name: asdict(face) for name, face in state.interfaces.items()},
        "bridges": {str(ident): asdict(domain) for ident, domain in state.bridges.items()},
        "acls": {name: asdict(acl) for name, acl in state.acls.items()},
        "sflow": None if state.sflow is None else asdict(state.sflow),
    }
    return json.dumps(values, indent=2) + "\n"
