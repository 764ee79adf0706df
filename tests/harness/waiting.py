"""Waiting for a condition: the only wait in the tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE_S = 60.0
PAUSE_S = 0.02


def wait_for(condition: Callable[[], Found], what: str, patience_s: float = PATIENCE_S) -> Found:
    """Call `condition` until it returns something true, and return that. AssertionError with `what` if it does not
    within `patience_s` seconds.
    """
    end = time.monotonic() + patience_s
    while not (found := condition()):
        assert time.monotonic() < end, f"{what}: not within {patience_s:.0f} s"
        time.sleep(PAUSE_S)
    return found
