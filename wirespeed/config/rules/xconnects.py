"""l2xc: interfaces that are cross-connected."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Face, Lookup
from wirespeed.config.state import InterfaceType
from wirespeed.findings import FileFinding


def _xconnects(lookup: Lookup) -> Iterator[tuple[Face, str]]:
    for face in lookup.faces.values():
        if face.l2xc is not None:
            yield face, face.l2xc


def _finding(face: Face, message: str, fix: str) -> FileFinding:
    return FileFinding((*face.path, "l2xc"), message, fix)


def xconnect_target_exists(lookup: Lookup) -> Iterator[FileFinding]:
    for face, target in _xconnects(lookup):
        if not lookup.is_known(target):
            yield _finding(face, f"there is no interface {target}", "name one of this file")
        elif target in lookup.config.loopbacks:
            yield _finding(face, f"{target} is a loopback", "name an interface that frames go out of")


def xconnect_is_not_to_itself(lookup: Lookup) -> Iterator[FileFinding]:
    for face, target in _xconnects(lookup):
        if face.name == target:
            yield _finding(face, f"{face.name} is cross-connected to itself", "name another interface")


def xconnect_target_is_of_one(lookup: Lookup) -> Iterator[FileFinding]:
    for face, target in _xconnects(lookup):
        first = lookup.xconnects_to[target][0]
        if first != face.name:
            yield _finding(face, f"{target} is the target of {first} already", "name another interface")


def xconnect_is_not_bridged(lookup: Lookup) -> Iterator[FileFinding]:
    for face, target in _xconnects(lookup):
        for name in dict.fromkeys((face.name, target)):
            if name in lookup.bridges_of:
                message = f"{name} is in bridge domain {lookup.bridges_of[name][0]}"
                yield _finding(face, message, "take it out of one of the two")


def xconnect_mtu(lookup: Lookup) -> Iterator[FileFinding]:
    for face, target in _xconnects(lookup):
        if lookup.is_known(target) and lookup.mtu(target) != face.mtu:
            message = f"{face.name} has MTU {face.mtu}, {target} {lookup.mtu(target)}"
            yield _finding(face, message, "give both the same mtu")


def xconnect_has_no_subinterface(lookup: Lookup) -> Iterator[FileFinding]:
    for face, _ in _xconnects(lookup):
        if face.subs:
            yield _finding(face, f"{face.name} has sub-interface {face.subs[0]}", "cross-connect that one")


def xconnect_has_no_address(lookup: Lookup) -> Iterator[FileFinding]:
    """For neither end; an end that is cross-connected itself is reported once, at its own place."""
    for face, target in _xconnects(lookup):
        if face.addresses:
            yield _finding(face, f"{face.name} has address {face.addresses[0]}", "leave its addresses out")
        other = lookup.faces.get(target)
        if other is not None and other.addresses and other.l2xc is None:
            yield _finding(face, f"{target} has address {other.addresses[0]}", "leave its addresses out")


def xconnect_end_is_no_bond_member(lookup: Lookup) -> Iterator[FileFinding]:
    for face, target in _xconnects(lookup):
        if target in lookup.bonds_of and face.kind is not InterfaceType.BOND:
            yield _finding(face, f"{target} is a member of {lookup.bonds_of[target][0]}", "name the bond")


RULES = (
    xconnect_target_exists,
    xconnect_is_not_to_itself,
    xconnect_target_is_of_one,
    xconnect_is_not_bridged,
    xconnect_mtu,
    xconnect_has_no_subinterface,
    xconnect_has_no_address,
    xconnect_end_is_no_bond_member,
)
