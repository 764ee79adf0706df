"""A running suite of tests by an RFC: it stores each trial and each row, and shows them to a watcher. Also common parts
of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from wirespeed.measurement.execution import Execution
from wirespeed.measurement.rfc.result import RfcRow, RfcTrial, attribute_of
from wirespeed.results.search_trial import Goal

ATrial = TypeVar("ATrial", bound=RfcTrial)
ARow = TypeVar("ARow", bound=RfcRow)
ATest = TypeVar("ATest", bound=str)

DISTURBED_REPEATS = 3
"""Maximum repeats of a disturbed trial, if the plan repeats disturbed trials."""


@dataclass(frozen=True)
class RfcProgress(Generic[ATest, ATrial, ARow]):
    """Progress for a watcher: `trial` or `row` is new; if both are None, a trial begins. `doing` has its test, subject,
    load and duration."""

    doing: str
    trial: ATrial | None
    test: ATest
    row: ARow | None
    count: int
    spent_s: float


@dataclass(kw_only=True)
class RfcBench(Generic[ATest, ATrial, ARow]):
    """The trials and rows so far."""

    execution: Execution
    trials: list[ATrial] = field(default_factory=list)
    rows: list[tuple[ATest, ARow]] = field(default_factory=list)

    def keep(self, trial: ATrial) -> None:
        self.trials.append(trial)
        self.execution.keep(trial)
        self._watched(f"{trial.test} {trial.subject}", trial.test, trial=trial)

    def found(self, test: ATest, row: ARow) -> None:
        self.rows.append((test, row))
        self.execution.keep({"row_of": test, "row": row})
        self._watched(f"{test} {row.subject}", test, row=row)

    def tell(self, test: ATest, subject: str, what: str) -> None:
        self._watched(f"{test} {subject}: {what}", test)

    def rows_by_test(self) -> dict[str, tuple[ARow, ...]]:
        """By the attribute that they have in a result."""
        tests = dict.fromkeys(test for test, _ in self.rows)
        return {attribute_of(test): tuple(row for of, row in self.rows if of == test) for test in tests}

    def _watched(self, doing: str, test: ATest, trial: ATrial | None = None, row: ARow | None = None) -> None:
        self.execution.tell(RfcProgress(doing, trial, test, row, len(self.trials), self.execution.spent_s))


def throughput_goal(trial_s: float, resolution: float) -> Goal:
    """RFC 2544 section 26.1 for MLRsearch: one trial of the full length decides, and nothing may be lost. Trials that
    only narrow the search last 1 s."""
    return Goal("throughput", 0.0, 0.0, trial_s, trial_s, resolution, min(1.0, trial_s))


def remarks(trials: Sequence[RfcTrial]) -> str:
    """The number of `trials` that do not show the DUT alone, with the reason for the first of them."""
    told = [one.remark for one in trials if one.remark]
    return f"in {len(told)} of {len(trials)} trials {told[0]}" if told else ""


def said(*remarks: str) -> str:
    return "; ".join(filter(None, remarks))
