"""Which figure stands for a test, and how far it can be believed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirespeed.results.figures import three_digits
from wirespeed.site.entries import Figure
from wirespeed.units import scale

_HELD, _MOST = "held", "most received"
_ORDER = ("NDR", "throughput", _HELD, "PDR", _MOST)
"""What says most of a box first."""
_SIZE = re.compile(r"\bsize=(\d+|imix)")
_IMIX_BYTES, _UNKNOWN_BYTES = 362, 9999
_FLOWS = ("vm=", "src=", "flows=")


@dataclass(frozen=True)
class Trust:
    """A shape, a word and why."""

    shape: str
    word: str
    why: str


HELD = Trust("●", "held", "No more than the goal's loss over whole trials.")
ESTIMATE = Trust("◆", "estimate", "The highest load of a ramp whose sample lost no more than the threshold.")
MOST = Trust("◇", "most received", "The most that came back over a sample, whatever was lost.")
AT_LEAST = Trust("▲", "tester-limited: at least this", "The tester was the limit, not the box.")
IRREGULAR = Trust("✕", "irregular", "")


def trust(figure: Figure) -> Trust:
    if figure.value.irregular:
        return Trust(IRREGULAR.shape, IRREGULAR.word, figure.value.irregular)
    if figure.value.at_least:
        return AT_LEAST
    return {_HELD: ESTIMATE, _MOST: MOST}.get(figure.name, HELD)


def telling(figures: Sequence[Figure]) -> list[Figure]:
    """Without the most that came back of tests that held a load too, which says more of the box."""
    holding = {figure.entry.digest for figure in figures if figure.name == _HELD}
    return [one for one in figures if one.name != _MOST or one.entry.digest not in holding]


def rank(name: str) -> int:
    """Of a figure's name; the less the better."""
    return next((place for place, one in enumerate(_ORDER) if name.startswith(one)), len(_ORDER))


def chosen(figures: Iterable[Figure]) -> Figure | None:
    """Of the figures of one test through one box the one that says most: believable before irregular, then by name,
    the newest first."""
    found = sorted(figures, key=lambda one: one.entry.started, reverse=True)
    return min(found, key=lambda one: (bool(one.value.irregular), rank(one.name)), default=None)


def hardness(figure: Figure) -> tuple[int, int, int]:
    """Of the test that it is of; the most is the hardest: small frames, both ways, many flows."""
    entry = figure.entry
    size = _SIZE.search(entry.load)
    frame_bytes = _UNKNOWN_BYTES if size is None else _IMIX_BYTES if size[1] == "imix" else int(size[1])
    many = any(word in entry.load for word in _FLOWS)
    return -frame_bytes, entry.directions.count("→"), int(many)


def answer(figures: Sequence[Figure]) -> Figure | None:
    """What a box is known by: the figure of its hardest test."""
    believed = [one for one in figures if not one.value.irregular] or list(figures)
    if not believed:
        return None
    hardest = max(map(hardness, believed))
    return chosen(one for one in believed if hardness(one) == hardest)


def rate_parts(pps: float) -> tuple[str, str]:
    """`("7.77", "Mpps")`."""
    number, prefix = scale(pps)
    return three_digits(number), f"{prefix}pps"


def rate(pps: float) -> str:
    """With a space that no line breaks at."""
    return "\u202f".join(rate_parts(pps))


def rate_of(figure: Figure) -> str:
    return f"{at_least(figure)}{rate(figure.value.rate_pps)}"


def mega(figure: Figure) -> str:
    """In a column of Mpps."""
    return f"{at_least(figure)}{three_digits(figure.value.rate_pps / 1e6)}"


def at_least(figure: Figure) -> str:
    return "≥\u202f" if figure.value.at_least else ""


def per_watt(figure: Figure) -> str:
    """In a column of Mpps a watt; empty where nobody metered."""
    return "" if figure.per_watt is None else three_digits(figure.per_watt / 1e6)
