"""The small language of `results list` and `query`: words that a result has to meet, all of them. Pure.

    dut=vpp1  version=23*  limit!=tester  rate>=10e6  imix

KEY=GLOB and KEY!=GLOB compare without regard to case, KEY>=NUMBER and KEY<=NUMBER by size; a word alone is searched for
in title, dut, version, build, load and tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from wirespeed.errors import UsageError

TEXTS = {
    "id": "digest",
    "kind": "kind",
    "title": "title",
    "dut": "dut",
    "version": "version",
    "build": "build",
    "cpu": "cpu",
    "lab": "lab",
    "load": "load",
    "directions": "directions",
    "started": "started",
    "status": "status",
    "limit": "limited_by",
    "figure": "figure",
    "tag": "tag",
}
NUMBERS = {"rate": "rate_pps", "watts": "watts", "per_watt": "per_watt", "bytes": "bytes"}
FORMER = {"box": "dut"}
_FORMER_LIMITS = {"preemption": "steal", "steal": "preemption"}
"""Archives of earlier versions have `steal` for `preemption`; either finds both."""
_WITH_CAUSES = ("dut", "host", "line")
"""Limits that find the causes of that limit too."""
"""Keys of earlier versions, which are still read."""
OF_FIGURES = ("figure", "rate", "per_watt")
"""Keys of figures; the others are keys of results."""

_WORD = re.compile(r"([a-z_]+)(!=|>=|<=|=|>|<)(.*)", re.DOTALL)
_UNITS = {"k": 1e3, "m": 1e6, "g": 1e9}


@dataclass(frozen=True)
class Condition:
    """`key` is one of TEXTS or NUMBERS, or empty of a word alone; `relation` is =, !=, >= or <=."""

    key: str
    relation: str
    value: str | float


def patterns_of(condition: Condition) -> tuple[str, ...]:
    """The value of a condition on a text; of a limit with its other name, or with the causes that have it."""
    value = str(condition.value)
    if condition.key != "limit":
        return (value,)
    if value.lower() not in _WITH_CAUSES:
        return tuple(filter(None, (value, _FORMER_LIMITS.get(value.lower()))))
    from wirespeed.explain.verdicts import causes_of  # noqa: PLC0415 - other conditions do without

    return (value, *causes_of(value.lower()))


def parse_words(words: Sequence[str]) -> tuple[Condition, ...]:
    """UsageError for an unknown key, with the nearest, and for a value that does not fit it."""
    return tuple(_condition(word) for word in words)


def parse_key(key: str, option: str) -> str:
    """A key for sorting or grouping, by its present name."""
    key = FORMER.get(key, key)
    if (key not in TEXTS and key not in NUMBERS) or key == "tag":
        raise UsageError(f"{option} {key}: {_unknown(key)}")
    return key


def _condition(word: str) -> Condition:
    match = _WORD.fullmatch(word)
    if match is None:
        return Condition("", "=", word)
    key, relation, value = FORMER.get(match[1], match[1]), match[2], match[3]
    if relation in (">", "<"):
        raise UsageError(f"{word}: {relation} is not a comparison here; give {key}{relation}={value}")
    if key in NUMBERS:
        return Condition(key, relation, _number(word, value))
    if key not in TEXTS:
        raise UsageError(f"{word}: {_unknown(key)}")
    if relation in (">=", "<=") and key != "started":
        raise UsageError(
            f"{word}: {relation} compares {', '.join(NUMBERS)} and started; {key} takes = or !=, with * as wildcard"
        )
    return Condition(key, relation, value)


def _number(word: str, value: str) -> float:
    """`12.5e6`, `12.5M` or `12.5mpps`."""
    match = re.fullmatch(r"([0-9.]+(?:e[0-9]+)?)([kmg]?)(?:pps)?", value.lower())
    try:
        return float(match[1]) * _UNITS.get(match[2], 1.0)  # type: ignore[index] # as below
    except (TypeError, ValueError):
        raise UsageError(f"{word}: {value!r} is not a number; give one such as 12.5e6 or 12.5M") from None


def _unknown(key: str) -> str:
    keys = [*TEXTS, *NUMBERS]
    near = get_close_matches(key, keys, 1, cutoff=0.5)
    return f"there is no {key!r}{f', did you mean {near[0]}?' if near else ''}; keys are {', '.join(keys)}"
