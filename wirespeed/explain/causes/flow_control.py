"""Pause frames: the DUT makes the tester wait, so that packets which it cannot forward are not offered instead of lost.

A frame stops the sender for at most 65,535 times 512 bits (IEEE 802.3, annex 31B): 3.4 ms at 10 Gb/s. Fewer frames than
the missing packets require do not explain them.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import EXCLUDED, PROOF, CauseFinding, Evidence
from wirespeed.explain.words import share_text

NAME = "flow-control"
_MOST_BITS = 65_535 * 512
_MOST = 0.5


def look(case: Case) -> CauseFinding | None:
    frames = sum(count for event, count in case.events.items() if "pause" in event)
    if not case.load.paused and not frames:
        return None
    text = f"{frames:,} pause frames" if frames else "pause frames came in"
    bits = PROOF
    share, lacks = _paused_share(case, frames), _lacks(case)
    if share is not None and lacks is not None and share < _MOST * lacks:
        text += f", at most {share_text(share)} of the time, do not explain that {share_text(lacks)} is missing"
        bits = EXCLUDED
    return CauseFinding(
        NAME,
        "flow control is on: the DUT throttles the tester",
        (Evidence(text, bits, case.load.source),),
        next="flow control off on both ends (`ethtool -A`), then measure again",
    )


def _paused_share(case: Case, frames: int) -> float | None:
    """The largest share of the time for which so many pause frames can stop a sender; None if they were not counted."""
    if not frames or not case.load.line_bps:
        return None
    return min(1.0, frames * _MOST_BITS / case.load.line_bps / case.counted_s)


def _lacks(case: Case) -> float | None:
    """Missing share of the offered load; of line rate, if the offered load is unknown."""
    load = case.load
    if load.loss_ratio is not None:
        return load.loss_ratio
    return None if load.line_share is None else max(0.0, 1 - load.line_share)
