"""Names for a router's access lists, whose tags may be equal."""

from __future__ import annotations

from collections.abc import Iterable

from wirespeed.config.state import AclState


def named_acls(told: Iterable[tuple[str, AclState]]) -> dict[str, AclState]:
    """Each by its tag; one without, or whose tag one of a lower index has, by its index."""
    acls: dict[str, AclState] = {}
    for tag, acl in sorted(told, key=lambda pair: pair[1].index or 0):
        name = tag if tag and tag not in acls else f"acl-{acl.index}"
        while name in acls:
            name += f"-{acl.index}"
        acls[name] = acl
    return acls
