"""LCP pairs: the names that Linux has interfaces by."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Lookup
from wirespeed.config.state import InterfaceType
from wirespeed.findings import FileFinding


def lcp_is_unique(lookup: Lookup) -> Iterator[FileFinding]:
    first: dict[str, str] = {}
    for face in lookup.faces.values():
        if face.lcp is not None and (other := first.setdefault(face.lcp, face.name)) != face.name:
            yield FileFinding((*face.path, "lcp"), f"LCP {face.lcp} is {other} already", "give it another name")


def lcp_has_a_parent(lookup: Lookup) -> Iterator[FileFinding]:
    """A VLAN of Linux needs a parent link in Linux; a VLAN with two tags needs the VLAN of the outer tag."""
    for face in lookup.faces.values():
        if face.lcp is None or face.parent is None:
            continue
        path = (*face.path, "lcp")
        if lookup.faces[face.parent].lcp is None:
            yield FileFinding(path, f"{face.name} has LCP {face.lcp}, its parent none", f"give {face.parent} an lcp")
        elif face.encapsulation is not None and face.encapsulation.inner:
            above = lookup.intermediate(face)
            if above is None or above.lcp is None:
                message = f"{face.name} has two tags and LCP {face.lcp}, and no sub-interface of the outer tag has one"
                kind = "dot1ad" if face.encapsulation.dot1ad else "dot1q"
                fix = (
                    f"add a sub-interface of {face.parent} with {kind} {face.encapsulation.outer}, exact-match and lcp"
                )
                yield FileFinding(path, message, fix)


def lcp_is_not_on_layer2(lookup: Lookup) -> Iterator[FileFinding]:
    for face in lookup.faces.values():
        if face.lcp is None:
            continue
        if face.kind is InterfaceType.TAP:
            yield FileFinding((*face.path, "lcp"), f"{face.name} is an interface of Linux itself", "leave the lcp out")
        elif mode := lookup.mode(face.name):
            message = f"{face.name} has LCP {face.lcp} and is {mode}"
            yield FileFinding((*face.path, "lcp"), message, "leave the lcp out, or let it route")


RULES = (lcp_is_unique, lcp_has_a_parent, lcp_is_not_on_layer2)
