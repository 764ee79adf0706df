"""Properties of the packets of a test, from its settings."""

from __future__ import annotations

from wirespeed.cases.facts import Flows
from wirespeed.results.settings import Settings

_UNREADABLE = ("mpls", "gre", "pppoe")
"""A NIC finds no addresses in such frames, and so one queue."""


def flows_of(settings: Settings) -> Flows:
    """By the `vm` of the bench profile, which is what varies in its packets."""
    tunables = str(settings.tunables or "")
    return "many" if "vm=" in tunables and "vm=none" not in tunables else "one"


def hashed_by(settings: Settings) -> bool:
    said = f"{settings.profile_file} {settings.tunables or ''}".lower()
    return not any(word in said for word in _UNREADABLE)
