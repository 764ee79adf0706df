"""Values of a result file, of which anybody may have written anything: checked, or ValueError that names the place."""

from __future__ import annotations

import math
from typing import Any

from wirespeed.results.codec import LARGEST


def as_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not an object")
    return value


def as_number(value: Any, where: str) -> float:
    """A finite number, also when it was written as a string as command-line values are."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) or abs(number) > LARGEST:
        raise ValueError(f"{where} is {str(value)[:40]!r}, not a valid number")
    return number
