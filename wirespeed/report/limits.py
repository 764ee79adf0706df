"""What limited a test, in the four words that a cell has room for."""

from __future__ import annotations

from typing import Literal

Limit = Literal["line", "DUT", "tester", "unknown"]

_LINE = frozenset({"line-rate"})
_TESTER = frozenset({"tester", "steal"})
_UNKNOWN = frozenset({"", "unknown"})


def limit_of(cause: str) -> Limit:
    """Of a cause as `wirespeed explain` names it; what is neither the line nor the tester's side is the device's."""
    if cause in _UNKNOWN:
        return "unknown"
    return "line" if cause in _LINE else "tester" if cause in _TESTER else "DUT"
