"""The result of a search for loads that a DUT carries, as a value.

Terms are those of MLRsearch (draft-ietf-bmwg-mlrsearch): a goal, its relevant lower and upper bound, conditional
throughput, irregular results. A load is packets per second of each direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean, stdev
from typing import Annotated, Any, ClassVar, Self

from wirespeed.measurement.shown import short_repr
from wirespeed.pages.words import count
from wirespeed.results.codec import SPARSE, Number, Stored
from wirespeed.results.draw import Draw
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.search_trial import GoalOutcome, Purpose, SearchTrial
from wirespeed.results.settings import Settings


@dataclass(frozen=True)
class RateStatistics:
    """Received packets per second of all directions together, over several trials of one load."""

    count: int
    mean_pps: float
    stdev_pps: float
    least_pps: float
    most_pps: float


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Settings):
    """`min` and `max` are loads as on a command line, `time` is the time limit in seconds."""

    preset: Annotated[str, SPARSE] = ""
    min: Annotated[str, SPARSE] = ""
    max: Annotated[str, SPARSE] = ""
    time: Annotated[Number | None, SPARSE] = None
    warmup_duration: Annotated[Number | None, SPARSE] = None
    robust: Annotated[bool | None, SPARSE] = None


@dataclass(frozen=True)
class SearchResult(MeasurementResult):
    """A whole search. `most_pps` is the highest load allowed, which is line rate if `most_is_line`. `spent_s` is its
    duration."""

    __repr__ = short_repr

    kind = "search"
    is_of_one_load = True
    schema = "wirespeed-search/2"
    noun = "search result"
    journal_noun = "a search"
    also_stored: ClassVar[Mapping[str, str]] = {"mrr": "mrr"}

    variables: Annotated[SearchSettings, Stored("vars")]
    least_pps: float
    most_pps: float
    most_is_line: bool
    trials: tuple[SearchTrial, ...] = ()
    goals: tuple[GoalOutcome, ...] = ()
    spent_s: float = 0.0

    @property
    def judged_trials(self) -> tuple[tuple[str, SearchTrial], ...]:
        return tuple((one.label or one.purpose, one) for one in self.trials)

    @property
    def is_empty(self) -> bool:
        return not self.trials

    def line_percent(self, load_pps: float) -> float | None:
        """A load of each direction as percent of the narrowest line."""
        line = self.line_pps
        return None if line is None else load_pps / line * 100

    def of(self, purpose: Purpose) -> tuple[SearchTrial, ...]:
        return tuple(trial for trial in self.trials if trial.purpose == purpose)

    @property
    def mrr(self) -> RateStatistics | None:
        """Maximum receive rate: what comes back while all that is allowed is offered."""
        rates = [trial.received_pps for trial in self.of("mrr") if not trial.excluded]
        if not rates:
            return None
        spread = stdev(rates) if len(rates) > 1 else 0.0
        return RateStatistics(len(rates), fmean(rates), spread, min(rates), max(rates))

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(self._draws())

    def _draws(self) -> Iterator[Draw]:
        trials = sorted(self.trials, key=lambda one: one.load_pps)
        for _, grouped in groupby(trials, key=lambda one: one.load_pps):
            measured = list(grouped)
            known = [one for one in measured if one.trial.dut.watts is not None]
            used = known or measured
            yield Draw(
                load="trial",
                offered_pps=fmean(one.offered_pps for one in used),
                received_pps=fmean(one.received_pps for one in used),
                watts=fmean(one.trial.dut.watts or 0.0 for one in known) if known else None,
                readings=len(measured),
                gaps=len(measured) - len(known),
            )

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Self, str]:
        """Its goals, which stand in the head as outcomes that found nothing yet, are irregular."""
        reason = f"the search did not end by itself; its journal has {count(len(entries), 'trial')}"
        result = cls.from_json({**head, "trials": list(entries)}, name)
        goals = tuple(replace(goal, irregular=reason) for goal in result.goals)
        return replace(result, goals=goals, spent_s=sum(one.trial.effective_s for one in result.trials)), reason


RESULT = SearchResult
