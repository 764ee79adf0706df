"""Values of a result file, of which anybody may have written anything: checked, or ValueError that names the place."""

from __future__ import annotations

import math
from typing import Any

LARGEST = 1e18  # a 64-bit counter that ran for a century at 1 Tb/s stays below


def as_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not an object")
    return value


def as_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where} is not a list")
    return value


def list_at(document: dict[str, Any], key: str) -> list[Any]:
    """What stands under `key`; nothing does where there is none."""
    return as_list(document.get(key, []), key)


def as_number(value: Any, where: str) -> float:
    """A finite number, also when it was written as a string as command-line values are."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or abs(number) > LARGEST:
        raise ValueError(f"{where} is {str(value)[:40]!r}, not a sensible number")
    return number
