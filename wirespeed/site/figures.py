"""The figure that represents a test, and its trust mark. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from wirespeed.pages.trust import Trust, trust_of
from wirespeed.results.figures import MEGA, three_digits
from wirespeed.results.verdict import FORWARDED, FULL_LOAD
from wirespeed.site.entries import SiteFigure

ORDER = ("NDR", "throughput", FORWARDED, "PDR", FULL_LOAD)
"""The most informative figures first."""
_SIZE = re.compile(r"\bsize=(\d+|imix)")
_IMIX_BYTES, _UNKNOWN_BYTES = 362, 9999
_FLOWS = ("vm=", "src=", "flows=")


def trust(figure: SiteFigure) -> Trust:
    told = figure.told
    return trust_of(replace(told, mark="irregular") if figure.value.irregular else told)


def telling(figures: Sequence[SiteFigure]) -> list[SiteFigure]:
    """Without what was forwarded at full load in tests that held a load too, which says more of the DUT."""
    holding = {figure.entry.digest for figure in figures if figure.name == FORWARDED}
    return [one for one in figures if one.name != FULL_LOAD or one.entry.digest not in holding]


def rank(name: str) -> int:
    """Rank of a figure's name; lower is better."""
    return next((place for place, one in enumerate(ORDER) if name.startswith(one)), len(ORDER))


def chosen(figures: Iterable[SiteFigure]) -> SiteFigure | None:
    """The most informative figure of one test and DUT: believable before irregular, then by name,
    the newest first."""
    found = sorted(figures, key=lambda one: one.entry.started, reverse=True)
    return min(found, key=lambda one: (bool(one.value.irregular), rank(one.name)), default=None)


def hardness(figure: SiteFigure) -> tuple[int, int, int]:
    """Hardness of the figure's test; the highest value is the hardest: small frames, both directions, many flows."""
    entry = figure.entry
    return -_frame_bytes(entry.load), entry.directions.count("→"), int(_has_many_flows(entry.load))


def load_order(load: str) -> tuple[bool, int, bool, str]:
    """The order of loads in a review: large frames first, many flows before one; loads of unknown size last."""
    size = _frame_bytes(load)
    return size == _UNKNOWN_BYTES, -size, not _has_many_flows(load), load


def test_order(test: tuple[str, str]) -> tuple[tuple[bool, int, bool, str], int, str]:
    """Sort key of tests: by load, one direction before several."""
    load, directions = test
    return load_order(load), directions.count("→"), directions


def _frame_bytes(load: str) -> int:
    size = _SIZE.search(load)
    return _UNKNOWN_BYTES if size is None else _IMIX_BYTES if size[1] == "imix" else int(size[1])


def _has_many_flows(load: str) -> bool:
    return any(word in load for word in _FLOWS)


def size_of(load: str) -> str:
    """`64b`, `imix`; empty where the load does not say."""
    size = _SIZE.search(load)
    return "" if size is None else f"{size[1]}b" if size[1].isdigit() else size[1]


def answer(figures: Sequence[SiteFigure]) -> SiteFigure | None:
    """The headline figure of a DUT: that of its hardest test."""
    believed = [one for one in figures if not one.value.irregular] or list(figures)
    if not believed:
        return None
    hardest = max(map(hardness, believed))
    return chosen(one for one in believed if hardness(one) == hardest)


def rate_of(figure: SiteFigure) -> str:
    """`≥ 4.47 Mpps (tester-limited)`."""
    return figure.told.text


def mega(figure: SiteFigure) -> str:
    """In a column of Mpps."""
    return figure.told.scaled(MEGA)


def of_mega(rate: float) -> str:
    return three_digits(rate / MEGA.divisor)


def at_least(figure: SiteFigure) -> str:
    """`≥ ` before what follows from a lower bound."""
    return "≥ " if figure.value.at_least else ""


def per_watt(figure: SiteFigure) -> str:
    """For a column of Mpps per watt; empty without a meter."""
    return "" if figure.per_watt is None else f"{at_least(figure)}{of_mega(figure.per_watt)}"
