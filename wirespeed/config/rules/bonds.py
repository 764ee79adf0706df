"""Bonds and their members."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Face, Lookup
from wirespeed.config.rules._instances import instances_above
from wirespeed.config.state import InterfaceType
from wirespeed.findings import FileFinding, Path

_MOST_INSTANCE = 4294967294


def _members(lookup: Lookup) -> Iterator[tuple[Path, str, Face]]:
    """Path, bond and face of each member that there is."""
    for bond, given in lookup.config.bondethernets.items():
        for place, name in enumerate(given.interfaces):
            if name in lookup.faces:
                yield ("bondethernets", bond, "interfaces", place), bond, lookup.faces[name]


def bond_is_an_interface(lookup: Lookup) -> Iterator[FileFinding]:
    for bond in lookup.config.bondethernets:
        if bond not in lookup.config.interfaces:
            message = f"{bond} has no entry among the interfaces"
            yield FileFinding(("bondethernets", bond), message, f"add interfaces.{bond}: {{}}")


def bond_instance(lookup: Lookup) -> Iterator[FileFinding]:
    return instances_above(_MOST_INSTANCE, "bondethernets", lookup.config.bondethernets)


def bond_load_balance(lookup: Lookup) -> Iterator[FileFinding]:
    for bond, given in lookup.config.bondethernets.items():
        if given.load_balance is not None and given.mode not in ("lacp", "xor"):
            message = f"load-balance {given.load_balance} has no meaning in mode {given.mode}"
            path = ("bondethernets", bond, "load-balance")
            yield FileFinding(path, message, "leave it out, or set mode to lacp or xor")


def bond_member_exists(lookup: Lookup) -> Iterator[FileFinding]:
    for bond, given in lookup.config.bondethernets.items():
        for place, name in enumerate(given.interfaces):
            if name not in lookup.faces:
                path = ("bondethernets", bond, "interfaces", place)
                yield FileFinding(
                    path, f"there is no interface {name}", f"add interfaces.{name}, or take it out of {bond}"
                )


def bond_member_is_a_port(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        if face.kind is not InterfaceType.PORT:
            yield FileFinding(path, f"{face.name} is a {face.kind}, and members of {bond} are ports", "name a port")


def bond_member_of_one(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        first = lookup.bonds_of[face.name][0]
        if first != bond:
            yield FileFinding(path, f"{face.name} is a member of {first} already", "keep it in one of them")
        elif lookup.bonds_of[face.name].count(bond) > 1 and path[3] != _first(lookup, bond, face.name):
            yield FileFinding(path, f"{face.name} stands here twice", "keep one of the two")


def _first(lookup: Lookup, bond: str, name: str) -> int:
    return lookup.config.bondethernets[bond].interfaces.index(name)


def bond_member_has_no_subinterface(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        if face.subs:
            message = f"member {face.name} has sub-interface {face.subs[0]}"
            yield FileFinding(path, message, f"put sub-interfaces on {bond}")


def bond_member_has_no_lcp(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        if face.lcp is not None:
            yield FileFinding(path, f"member {face.name} has LCP {face.lcp}", f"give the LCP to {bond}")


def bond_member_has_no_address(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        if face.addresses:
            yield FileFinding(path, f"member {face.name} has address {face.addresses[0]}", f"give addresses to {bond}")
        if face.unnumbered is not None:
            yield FileFinding(path, f"member {face.name} is unnumbered", f"let {bond} be")


def bond_member_routes(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        if mode := lookup.mode(face.name):
            yield FileFinding(path, f"member {face.name} is {mode}", f"put {bond} there")


def bond_member_mtu(lookup: Lookup) -> Iterator[FileFinding]:
    for path, bond, face in _members(lookup):
        if bond in lookup.faces and lookup.faces[bond].mtu != face.mtu:
            message = f"member {face.name} has MTU {face.mtu}, its bond {lookup.faces[bond].mtu}"
            yield FileFinding(path, message, "give both the same mtu among the interfaces")


RULES = (
    bond_is_an_interface,
    bond_instance,
    bond_load_balance,
    bond_member_exists,
    bond_member_is_a_port,
    bond_member_of_one,
    bond_member_has_no_subinterface,
    bond_member_has_no_lcp,
    bond_member_has_no_address,
    bond_member_routes,
    bond_member_mtu,
)
