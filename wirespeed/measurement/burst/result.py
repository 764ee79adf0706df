"""The result of a burst test, as a value. Lengths are frames of one direction, back to back at one load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from wirespeed.results.codec import INLINE
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.search_trial import SearchTrial
from wirespeed.results.trial import TrialResult

UNSENT = 0.05
"""A tester that leaves more than this share of a burst unsent does not send it back to back."""


@dataclass(frozen=True)
class BurstTrial:
    """One burst: `frames` of each direction were to be sent at `load_pps`. `trial` has what became of them."""

    number: int
    frames: int
    load_pps: float
    trial: Annotated[TrialResult, INLINE]

    @property
    def judged(self) -> SearchTrial:
        """As a search judges it."""
        seconds = self.frames / self.load_pps
        return SearchTrial(self.number, "search", self.load_pps, seconds, self.trial, f"{self.frames:,} frames")

    @property
    def is_whole(self) -> bool:
        """Frames were sent, and all came back."""
        return self.trial.balance.offered > 0 and self.trial.balance.lost == 0

    @property
    def sent(self) -> float:
        """Frames that each direction really sent, on average."""
        return self.trial.balance.offered / len(self.trial.channels)


@dataclass(frozen=True)
class BurstResult(MeasurementResult):
    """A whole burst test. `load_pps` is the rate within a burst, of each direction, `most` the longest burst allowed in
    frames. `longest` is the longest burst that was forwarded whole, by the frames sent, `lossy` the shortest of which
    every try lost frames; null if there is none. `spent_s` is the duration of the test."""

    kind = "burst"
    schema = "wirespeed-burst/1"
    noun = "burst result"
    journal_noun = "a burst test"
    finds_limit = False
    also_stored: ClassVar[Mapping[str, str]] = {"longest": "longest", "lossy": "lossy"}

    load_pps: float
    most: int
    trials: tuple[BurstTrial, ...] = ()
    spent_s: float = 0.0

    @property
    def is_empty(self) -> bool:
        return not self.trials

    @property
    def longest(self) -> float | None:
        return max((one.sent for one in self.trials if one.is_whole), default=None)

    @property
    def lossy(self) -> int | None:
        whole = {one.frames for one in self.trials if one.is_whole}
        return min((one.frames for one in self.trials if one.frames not in whole), default=None)

    @property
    def lossy_trials(self) -> tuple[BurstTrial, ...]:
        """The tries of the shortest lossy length."""
        return tuple(one for one in self.trials if one.frames == self.lossy)

    @property
    def is_short_of_tester(self) -> bool:
        """The tester sent its longest burst with gaps."""
        longest = max(self.trials, key=lambda one: one.frames)
        return longest.trial.balance.tester_share > UNSENT

    def burst_s(self, frames: float) -> float:
        """The time that so many frames take at the load."""
        return frames / self.load_pps

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Self, str]:
        reason = f"the test did not end by itself; its {len(entries)} bursts are from its journal"
        return cls.from_json({**head, "trials": list(entries)}, name), reason


RESULT = BurstResult
