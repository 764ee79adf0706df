"""Sub-interfaces: their VLAN tags, and what they may be below their parent."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.config.lookup import Face, Lookup
from wirespeed.config.state import Encapsulation, InterfaceType
from wirespeed.findings import FileFinding

_MOST_VLAN = 4095


def _subs(lookup: Lookup) -> Iterator[tuple[Face, Face, Encapsulation]]:
    """Each with its parent."""
    for face in lookup.faces.values():
        if face.parent is not None and face.encapsulation is not None:
            yield face, lookup.faces[face.parent], face.encapsulation


def subinterface_says_something(lookup: Lookup) -> Iterator[FileFinding]:
    for face, _, _ in _subs(lookup):
        if face.sub is None or not face.sub.model_fields_set:
            yield FileFinding(face.path, f"{face.name} is empty", "say something of it, such as its description")


def encapsulation_is_one(lookup: Lookup) -> Iterator[FileFinding]:
    for face, _, _ in _subs(lookup):
        tags = face.sub.encapsulation if face.sub is not None else None
        if tags is None:
            continue
        path = (*face.path, "encapsulation")
        if tags.dot1q is not None and tags.dot1ad is not None:
            yield FileFinding(path, f"dot1q {tags.dot1q} and dot1ad {tags.dot1ad} are both the outer tag", "keep one")
        elif tags.dot1q is None and tags.dot1ad is None:
            inner = f" for inner-dot1q {tags.inner_dot1q}" if tags.inner_dot1q is not None else ""
            yield FileFinding(path, f"there is no outer tag{inner}", "give dot1q or dot1ad")


def subinterface_id_is_a_tag(lookup: Lookup) -> Iterator[FileFinding]:
    for face, _, own in _subs(lookup):
        if face.sub is not None and face.sub.encapsulation is None and own.outer > _MOST_VLAN:
            message = f"without an encapsulation the id is the tag, and {own.outer} is above {_MOST_VLAN}"
            yield FileFinding(face.path, message, "give encapsulation.dot1q or dot1ad")


def encapsulation_is_unique(lookup: Lookup) -> Iterator[FileFinding]:
    first: dict[tuple[str, int, int, bool, bool], str] = {}
    for face, parent, own in _subs(lookup):
        key = (parent.name, own.outer, own.inner, own.dot1ad, own.exact)
        other = first.setdefault(key, face.name)
        if own.outer and other != face.name:
            yield FileFinding(face.path, f"{face.name} has the tags of {other}", "give it tags of its own")


def subinterface_parent_may_have_some(lookup: Lookup) -> Iterator[FileFinding]:
    for face, parent, _ in _subs(lookup):
        if parent.kind is InterfaceType.TAP:
            yield FileFinding(face.path, f"{parent.name} is a {parent.kind} and takes no sub-interfaces", "take it out")


def subinterface_name_is_short(lookup: Lookup) -> Iterator[FileFinding]:
    for face, _, _ in _subs(lookup):
        if len(face.name) > 63:
            yield FileFinding(
                face.path, f"{face.name} has {len(face.name)} letters, 63 are the most", "take a lower id"
            )


def subinterface_state(lookup: Lookup) -> Iterator[FileFinding]:
    for face, parent, _ in _subs(lookup):
        if face.up and not parent.up:
            path = (*face.path, "state")
            yield FileFinding(path, f"{face.name} is up, its parent down", f"set it down, or {parent.name} up")


def subinterface_mtu(lookup: Lookup) -> Iterator[FileFinding]:
    for face, parent, _ in _subs(lookup):
        above = lookup.intermediate(face)
        for other in (parent, above):
            if other is not None and face.mtu > other.mtu:
                message = f"{face.name} has MTU {face.mtu}, {other.name} below it {other.mtu}"
                yield FileFinding((*face.path, "mtu"), message, f"give it {other.mtu} at most, or {other.name} more")
                break


def subinterface_exact(lookup: Lookup) -> Iterator[FileFinding]:
    for face, _, own in _subs(lookup):
        if own.exact:
            continue
        has = "an LCP" if face.lcp is not None else "addresses" if face.addresses else ""
        has = has or ("unnumbered" if face.unnumbered is not None else "")
        if has:
            path = (*face.path, "encapsulation")
            yield FileFinding(path, f"{face.name} has {has}, which needs exact-match", "set exact-match to true")


RULES = (
    subinterface_says_something,
    encapsulation_is_one,
    subinterface_id_is_a_tag,
    encapsulation_is_unique,
    subinterface_parent_may_have_some,
    subinterface_name_is_short,
    subinterface_state,
    subinterface_mtu,
    subinterface_exact,
)
