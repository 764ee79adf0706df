"""Common parts of plans of tests by an RFC. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wirespeed.errors import UsageError
from wirespeed.trial.plan import RepeatingPlan

ATest = TypeVar("ATest", bound=str)

TRIAL_S = 60.0
LATENCY_REPEATS, LATENCY_STREAM_S = 20, 120.0
LEAST_REPEATS = 3
EVERYTHING = "all"


@dataclass(frozen=True, kw_only=True)
class RfcPlan(RepeatingPlan):
    """`repeats` is None if it follows from `trial_s`. `resolution` is the relative distance between the highest passing
    load and the lowest failing one."""

    trial_s: float = TRIAL_S
    repeats: int | None = None
    resolution: float = 0.01
    ip6: bool = False

    @property
    def protocol(self) -> str:
        return "UDP over IPv6" if self.ip6 else "UDP over IPv4"

    def repeats_for(self, of_the_rfc: int) -> int:
        """The given repeats; otherwise the RFC's, or fewer if trials are shorter than the RFC's."""
        return self.repeats or max(LEAST_REPEATS, math.ceil(of_the_rfc * min(1.0, self.trial_s / TRIAL_S)))

    def check_trials(self, repeats: str) -> None:
        """UsageError for invalid numbers; `repeats` describes the RFC's own."""
        if not (math.isfinite(self.trial_s) and self.trial_s > 0):
            raise UsageError(f"--trial {self.trial_s:g} is not a duration: give seconds above 0, 60 for the RFC's")
        if self.repeats is not None and self.repeats < 1:
            raise UsageError(f"--repeats {self.repeats}: give 1 or more; {repeats}")
        if not 0 < self.resolution < 1:
            raise UsageError(f"--resolution {self.resolution:g}: give a share between 0 and 1, such as 1% or 0.001")


def tests_of(
    word: str, known: Sequence[ATest], needed: Mapping[ATest, Sequence[ATest]], usual: Sequence[ATest]
) -> tuple[ATest, ...]:
    """The named test after those that it depends on, in running order; the `usual` tests for "all"."""
    if word == EVERYTHING:
        return tuple(usual)
    for found in known:
        if found == word:
            return tuple(test for test in known if test == word or test in needed.get(found, ()))
    raise UsageError(f"test {word!r} is not known: give {', '.join(known)} or {EVERYTHING}")
