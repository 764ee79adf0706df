"""Values from result files as words for people: no JSON, and nothing that acts on the screen that shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from wirespeed.results.figures import NOTHING

MOST_LEVELS = 4

_UNITS = re.compile(r"(?<=\d) (?=%|[kMGT]?[pb]ps\b)")
_SPACES = re.compile(r"[\t\n\v\f\r]+")
# Control characters move cursors and ring bells, Unicode's bidirectional ones turn the text after them around.
_ACTING = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """One line of `text` that a terminal or page can show: what would act on them reads as �."""
    return _ACTING.sub("�", _SPACES.sub(" ", text))


def unbroken(text: str) -> str:
    """The text with no line break between a number and its unit."""
    return _UNITS.sub("\N{NO-BREAK SPACE}", text)


def words(value: Any, levels: int = MOST_LEVELS) -> str:
    """A value of JSON as text: `a 1, b yes`. 100 and 100.0 have the same text; deeper values become an ellipsis."""
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case None:
            return NOTHING
        case float():
            return f"{value:.12g}"
        case list() | dict() if levels == 0:
            return "…"
        case list():
            return ", ".join(words(item, levels - 1) for item in value)
        case dict():
            return ", ".join(f"{key} {words(item, levels - 1)}" for key, item in value.items())
        case _:
            return str(value)


def spaced(key: str) -> str:
    """The name of a setting as it is read: `rampup_duration` without its underscore."""
    return key.replace("_", " ")


def count(number: int, noun: str) -> str:
    ending = "" if number == 1 else "es" if noun.endswith(("ch", "x")) else "s"
    return f"{number} {noun}{ending}"


def first_of(names: Iterable[str], most: int) -> str:
    """The first names, and the number of the others: `a, b and 3 more`."""
    found = list(names)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")


def some(names: Iterable[str], total: int, noun: str) -> str:
    """A number of `total`: `All 3 tests`, `2 of 3 tests`; a single one also by its name."""
    chosen = list(names)
    if len(chosen) == 1:
        return f"1 {noun} ({chosen[0]})"
    if len(chosen) == total:
        return f"All {count(total, noun)}"
    return f"{len(chosen)} of {count(total, noun)}"
