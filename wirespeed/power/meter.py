"""Interface of a power meter."""

from __future__ import annotations

from typing import Protocol


class MeterFault(Exception):
    """The meter did not answer, or answered without watts. This is a gap in the log, not the end of a test."""


class PowerMeter(Protocol):
    """`name` is its name in results, without a password. `of` is what it measures: the whole DUT, or a part, which must
    not be taken for the whole."""

    name: str
    of: str

    def watts(self) -> float:
        """Watts now, or on average since the last call. MeterFault when it cannot tell; may take some seconds."""


WHOLE = "the whole DUT"
