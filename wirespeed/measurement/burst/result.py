"""The result of a burst test, as a value. Lengths are numbers of frames per direction, back to back at one load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from wirespeed.measurement.shown import short_repr
from wirespeed.pages.words import count
from wirespeed.results.codec import INLINE, SPARSE, Number, Stored
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.search_trial import SearchTrial
from wirespeed.results.settings import Settings
from wirespeed.results.trial import TrialResult
from wirespeed.trial.bursts import Burst, burst_of


@dataclass(frozen=True)
class BurstTrial:
    """One burst: `frames` per direction were intended at `load_pps`. `trial` has the outcome."""

    number: int
    frames: int
    load_pps: float
    trial: Annotated[TrialResult, INLINE]

    @property
    def judged(self) -> SearchTrial:
        """The trial in the form that a search judges."""
        seconds = self.frames / self.load_pps
        return SearchTrial(self.number, "search", self.load_pps, seconds, self.trial, f"{self.frames:,} frames")

    @property
    def burst(self) -> Burst:
        return burst_of(self.trial)


@dataclass(frozen=True, kw_only=True)
class BurstSettings(Settings):
    """`load` is the rate within a burst as on a command line, `first` the length of the first burst in frames;
    `longest` and `rest` are in seconds."""

    load: Annotated[str, SPARSE] = ""
    first: Annotated[int | None, SPARSE] = None
    longest: Annotated[Number | None, SPARSE] = None
    resolution: Annotated[Number | None, SPARSE] = None
    tries: Annotated[int | None, SPARSE] = None
    rest: Annotated[Number | None, SPARSE] = None


@dataclass(frozen=True)
class BurstResult(MeasurementResult):
    """A whole burst test. `load_pps` is the rate within a burst, per direction; `most` is the longest burst allowed, in
    frames. `longest` is the longest burst that was forwarded without loss, in frames sent. `lossy` is the shortest
    burst that lost frames in every try, all sent back to back. `unsent` is the shortest that the tester could not send
    back to back. Each is null if there is none. `spent_s` is the duration of the test."""

    __repr__ = short_repr

    kind = "burst"
    schema = "wirespeed-burst/2"
    noun = "burst result"
    journal_noun = "a burst test"
    finds_limit = False
    also_stored: ClassVar[Mapping[str, str]] = {"longest": "longest", "lossy": "lossy", "unsent": "unsent"}

    variables: Annotated[BurstSettings, Stored("vars")]
    load_pps: float
    most: int
    trials: tuple[BurstTrial, ...] = ()
    spent_s: float = 0.0

    @property
    def judged_trials(self) -> tuple[tuple[str, SearchTrial], ...]:
        return tuple((one.judged.label, one.judged) for one in self.trials)

    @property
    def is_empty(self) -> bool:
        return not self.trials

    @property
    def longest(self) -> float | None:
        return max((one.burst.sent for one in self.trials if one.burst.whole), default=None)

    @property
    def lossy(self) -> int | None:
        return min(self._never_whole - self._with_gaps, default=None)

    @property
    def unsent(self) -> int | None:
        return min(self._never_whole & self._with_gaps, default=None)

    @property
    def lossy_trials(self) -> tuple[BurstTrial, ...]:
        """The tries of the shortest lossy length."""
        return tuple(one for one in self.trials if one.frames == self.lossy)

    @property
    def _never_whole(self) -> set[int]:
        return {one.frames for one in self.trials} - {one.frames for one in self.trials if one.burst.whole}

    @property
    def _with_gaps(self) -> set[int]:
        return {one.frames for one in self.trials if not one.burst.back_to_back}

    def burst_s(self, frames: float) -> float:
        """The time that so many frames take at the load."""
        return frames / self.load_pps

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Self, str]:
        reason = f"the test did not end by itself; its journal has {count(len(entries), 'burst')}"
        return cls.from_json({**head, "trials": list(entries)}, name), reason


RESULT = BurstResult
