"""Bridge domains, their members and BVIs."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Lookup, instance_of
from wirespeed.findings import FileFinding, Path

_MOST_INSTANCE = 16777215


def _members(lookup: Lookup) -> Iterator[tuple[Path, str, str]]:
    """Path, bridge domain and name of each member that there is."""
    for bridge, domain in lookup.bridges():
        for place, name in enumerate(domain.interfaces):
            if lookup.is_known(name):
                yield ("bridgedomains", bridge, "interfaces", place), bridge, name


def bridge_instance(lookup: Lookup) -> Iterator[FileFinding]:
    for bridge, _ in lookup.bridges():
        if not 1 <= instance_of(bridge) <= _MOST_INSTANCE:
            message = f"{bridge} is reserved" if not instance_of(bridge) else f"{bridge} is above bd{_MOST_INSTANCE}"
            yield FileFinding(("bridgedomains", bridge), message, f"number it from 1 to {_MOST_INSTANCE}")


def bridge_bvi_exists(lookup: Lookup) -> Iterator[FileFinding]:
    for bridge, domain in lookup.bridges():
        if domain.bvi is not None and domain.bvi not in lookup.config.loopbacks:
            path = ("bridgedomains", bridge, "bvi")
            yield FileFinding(path, f"there is no loopback {domain.bvi}", f"add loopbacks.{domain.bvi}")


def bridge_bvi_is_of_one(lookup: Lookup) -> Iterator[FileFinding]:
    for bvi, bridges in lookup.bvi_of.items():
        if len(bridges) > 1:
            for bridge in bridges:
                message = f"{bvi} is the BVI of {' and '.join(bridges)}"
                yield FileFinding(("bridgedomains", bridge, "bvi"), message, "give each a loopback of its own")


def bridge_bvi_mtu(lookup: Lookup) -> Iterator[FileFinding]:
    for bridge, domain in lookup.bridges():
        loopback = None if domain.bvi is None else lookup.config.loopbacks.get(domain.bvi)
        if loopback is not None and loopback.mtu != domain.mtu:
            message = f"{domain.bvi} has MTU {loopback.mtu}, {bridge} {domain.mtu}"
            yield FileFinding(("bridgedomains", bridge, "bvi"), message, "give both the same mtu")


def bridge_member_exists(lookup: Lookup) -> Iterator[FileFinding]:
    for bridge, domain in lookup.bridges():
        for place, name in enumerate(domain.interfaces):
            path = ("bridgedomains", bridge, "interfaces", place)
            if not lookup.is_known(name):
                yield FileFinding(path, f"there is no interface {name}", f"add it, or take it out of {bridge}")
            elif name in lookup.config.loopbacks:
                yield FileFinding(path, f"{name} is a loopback", f"make it the bvi of {bridge}")


def bridge_member_of_one(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bridge, name in _members(lookup):
        bridges = lookup.bridges_of[name]
        if len(set(bridges)) > 1:
            yield FileFinding(path, f"{name} is in {' and '.join(dict.fromkeys(bridges))}", "keep it in one of them")
        elif len(bridges) > 1 and lookup.config.bridgedomains[bridge].interfaces.index(name) != path[3]:
            yield FileFinding(path, f"{name} stands here twice", "keep one of the two")


def bridge_member_has_no_address(lookup: Lookup) -> Iterator[FileFinding]:
    for path, _, name in _members(lookup):
        face = lookup.faces.get(name)
        if face is not None and face.addresses:
            fix = "leave its addresses out, or give them to the bvi"
            yield FileFinding(path, f"{name} has address {face.addresses[0]}", fix)


def bridge_member_is_no_bond_member(lookup: Lookup) -> Iterator[FileFinding]:
    for path, _, name in _members(lookup):
        if name in lookup.bonds_of:
            yield FileFinding(path, f"{name} is a member of {lookup.bonds_of[name][0]}", "put the bond here")


def bridge_member_mtu(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bridge, name in _members(lookup):
        wanted = lookup.config.bridgedomains[bridge].mtu
        if lookup.mtu(name) != wanted:
            message = f"{name} has MTU {lookup.mtu(name)}, {bridge} {wanted}"
            yield FileFinding(path, message, "give both the same mtu")


RULES = (
    bridge_instance,
    bridge_bvi_exists,
    bridge_bvi_is_of_one,
    bridge_bvi_mtu,
    bridge_member_exists,
    bridge_member_of_one,
    bridge_member_has_no_address,
    bridge_member_is_no_bond_member,
    bridge_member_mtu,
)
