"""Packets per second at other frame sizes: a limit by packet shows the same, one by byte falls as they grow."""

from __future__ import annotations

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.results.figures import rate_text

_SAME = 0.15
_OTHER_SIZE = 0.1


def same_rate_at_other_size(case: Case) -> tuple[str, bool] | None:
    """The comparison in words and whether the rate is the same; None without a test of another size below its line."""
    mine = case.load
    for other in sorted(case.others, key=lambda load: load.flows != mine.flows):
        if _compares(mine, other) and not _fills_line(other):
            text = f"{other.name}: {rate_text(other.received_pps)} of {other.frame_bytes:.0f} bytes, here "
            text += f"{rate_text(mine.received_pps)} of {mine.frame_bytes:.0f}"
            return text, abs(other.received_pps / mine.received_pps - 1) <= _SAME
    return None


def _compares(mine: CaseLoad, other: CaseLoad) -> bool:
    if mine.frame_bytes is None or other.frame_bytes is None or other.directions != mine.directions:
        return False
    return abs(other.frame_bytes / mine.frame_bytes - 1) > _OTHER_SIZE


def _fills_line(load: CaseLoad) -> bool:
    return (load.line_share or 0.0) >= 0.93
