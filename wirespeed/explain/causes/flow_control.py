"""Pause frames: the device tells the tester to wait, so that what it cannot forward is not lost but not offered."""

from __future__ import annotations

from wirespeed.explain.evidence import PROOF, Evidence, Finding
from wirespeed.explain.facts import Case

NAME = "flow-control"


def look(case: Case) -> Finding | None:
    frames = sum(count for event, count in case.events.items() if "pause" in event)
    if not case.load.paused and not frames:
        return None
    text = f"{frames:,} pause frames" if frames else "pause frames came in"
    return Finding(
        NAME,
        "flow control is on: the device throttles the tester",
        (Evidence(text, PROOF, case.load.source),),
        next="flow control off on both ends (`ethtool -A`), then measure again",
    )
