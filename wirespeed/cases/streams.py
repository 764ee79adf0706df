"""What the settings of a test say of the packets that it sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.cases.facts import Flows

_UNREADABLE = ("mpls", "gre", "pppoe")
"""A NIC finds no addresses in such frames, and so one queue."""


def flows_of(variables: Mapping[str, Any]) -> Flows:
    """By the `vm` of the bench profile, which is what varies in its packets."""
    tunables = _tunables(variables)
    return "many" if "vm=" in tunables and "vm=none" not in tunables else "one"


def hashed_by(variables: Mapping[str, Any]) -> bool:
    said = f"{variables.get('profile_file') or ''} {_tunables(variables)}".lower()
    return not any(word in said for word in _UNREADABLE)


def _tunables(variables: Mapping[str, Any]) -> str:
    return str(variables.get("tunables") or "")
