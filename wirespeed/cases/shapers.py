"""Shapers of a Linux device, by its `tc -s qdisc` from before and after a test. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wirespeed.cases.facts import Shaper

TEXT = "tc -s qdisc"
_KINDS = ("tbf", "htb", "hfsc", "cake", "cbq", "netem")
_QDISC = re.compile(
    r"(?m)^qdisc (?P<kind>\S+) (?P<handle>\S+) dev (?P<interface>\S+)(?P<rest>.*)\n"
    r"(?:.*\n)??\s+Sent \d+ bytes \d+ pkt \(dropped (?P<dropped>\d+)"
)
_RATE = re.compile(r"\b(?:rate|bandwidth) (\d\S*)")


def shapers_of(texts: Mapping[str, Any]) -> tuple[Shaper, ...]:
    """Shapers that limit a rate, with the packets that each dropped between the two texts."""
    before = {(one["interface"], one["handle"]): int(one["dropped"]) for one in _shaping(texts.get(f"before: {TEXT}"))}
    return tuple(
        Shaper(
            interface=row["interface"],
            kind=row["kind"],
            rate=rate[1] if (rate := _RATE.search(row["rest"])) else "",
            dropped=max(0, int(row["dropped"]) - before.get((row["interface"], row["handle"]), 0)),
        )
        for row in _shaping(texts.get(TEXT))
    )


def _shaping(text: object) -> list[re.Match[str]]:
    """The lines of disciplines that shape; netem and cake do where they have a rate."""
    found = (one for one in _QDISC.finditer(str(text or "")) if one["kind"] in _KINDS)
    return [one for one in found if one["kind"] not in ("netem", "cake") or _RATE.search(one["rest"])]
