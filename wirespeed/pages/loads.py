"""Loads and directions in the words of the command line and of reviews: `64b many flows`, `bidirectional`. Pure."""

from __future__ import annotations

_FLOWS = {"": "one flow", "none": "one flow", "var2": "many flows"}
"""By the setting `vm` of the profile bench."""
_BOTH_WAYS = "0→1, 1→0"


def load_title(load: str) -> str:
    """`bench size=64,vm=var2` as `64b many flows`; what has no such name stays as it is."""
    profile, _, settings = load.partition(" ")
    values = dict(one.partition("=")[::2] for one in settings.split(","))
    size = values.pop("size", "")
    if profile not in ("bench", "mpls") or not size:
        return load
    named = "MPLS" if profile == "mpls" else _FLOWS.get(values.get("vm", ""), "")
    if named and profile == "bench":
        values.pop("vm", None)
    rest = [f"{name}={value}" if value else name for name, value in values.items()]
    frames = f"{size}b" if size.isdigit() else size
    return ", ".join((f"{frames} {named}".strip(), *filter(None, rest)))


def ways_title(number: int) -> str:
    """The directions of a test of whose rates all add up."""
    if number == 1:
        return "one direction"
    return "bidirectional, both directions together" if number == 2 else f"{number} directions together"


def directions_title(directions: str) -> str:
    """`0→1, 1→0` as `bidirectional`; others as they are, without commas."""
    return "bidirectional" if directions == _BOTH_WAYS else directions.replace(", ", " ")
