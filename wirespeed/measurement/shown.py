"""A result in one line, for debuggers and failed assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.measurement.registry import verdict_of

if TYPE_CHECKING:
    from wirespeed.results.measurement import MeasurementResult


def short_repr(result: MeasurementResult) -> str:
    """`<load-test result 64b: forwarded 4.47 Mpps, 30.1 % of line, loss 0 %; …>`: its name and its figures."""
    return f"<{result.noun} {result.name}: {verdict_of(result).line}>"
