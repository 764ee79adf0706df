"""Access lists in `show state`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wirespeed.router.features.acl.core import AclRule

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def objects(console: Console) -> Iterator[dict[str, Any]]:
    for acl in console.core.acl.all():
        yield {"acl": acl.index, "tag": acl.tag, "rules": [_rule(rule) for rule in acl.rules]}


def _rule(rule: AclRule) -> dict[str, Any]:
    return {
        "action": rule.action.word,
        "source": str(rule.source),
        "destination": str(rule.destination),
        "protocol": rule.protocol,
        "source_ports": rule.source_ports,
        "destination_ports": rule.destination_ports,
    }
