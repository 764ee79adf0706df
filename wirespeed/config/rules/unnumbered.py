"""Interfaces that use another's addresses."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Face, Lookup
from wirespeed.findings import FileFinding


def _borrowers(lookup: Lookup) -> Iterator[tuple[Face, str]]:
    for face in lookup.faces.values():
        if face.unnumbered is not None:
            yield face, face.unnumbered


def _finding(face: Face, message: str, fix: str) -> FileFinding:
    return FileFinding((*face.path, "unnumbered"), message, fix)


def unnumbered_target_exists(lookup: Lookup) -> Iterator[FileFinding]:
    for face, lender in _borrowers(lookup):
        if lender not in lookup.faces:
            yield _finding(face, f"there is no interface {lender} with addresses", "name one of this file")


def unnumbered_is_not_of_itself(lookup: Lookup) -> Iterator[FileFinding]:
    for face, lender in _borrowers(lookup):
        if face.name == lender:
            yield _finding(face, f"{face.name} uses its own addresses", "name another interface")


def unnumbered_target_has_its_own(lookup: Lookup) -> Iterator[FileFinding]:
    for face, lender in _borrowers(lookup):
        other = lookup.faces.get(lender)
        if other is not None and other is not face and other.unnumbered is not None:
            fix = f"name {other.unnumbered}" if other.unnumbered != face.name else "give one of the two addresses"
            yield _finding(face, f"{lender} uses the addresses of {other.unnumbered} itself", fix)


def unnumbered_has_no_address(lookup: Lookup) -> Iterator[FileFinding]:
    for face, lender in _borrowers(lookup):
        if face.addresses:
            message = f"{face.name} has address {face.addresses[0]} and uses those of {lender}"
            yield _finding(face, message, "leave one of the two out")


def unnumbered_is_not_on_layer2(lookup: Lookup) -> Iterator[FileFinding]:
    for face, lender in _borrowers(lookup):
        for name in dict.fromkeys((face.name, lender)):
            if mode := lookup.mode(name):
                yield _finding(face, f"{name} is {mode}", "let it route, or leave unnumbered out")


RULES = (
    unnumbered_target_exists,
    unnumbered_is_not_of_itself,
    unnumbered_target_has_its_own,
    unnumbered_has_no_address,
    unnumbered_is_not_on_layer2,
)
