"""Trials of the tests one by one: learning frames before, the waits around them, each kept and told of."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from wirespeed.measurement.rfc2544.result import Method, Row, SuiteTrial, Test
from wirespeed.results.recorder import Recorder
from wirespeed.results.trial import TrialResult
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

LEARNING_PPS = 1000.0
LEARNING_S = 0.05

DISTURBED_REPEATS = 3
"""A trial that the machine spoilt is repeated so often, where the plan says so."""


@dataclass(frozen=True)
class Rfc2544Progress:
    """Progress for a watcher: `trial` or `row` is new, or neither, and a trial begins. `doing` names its test, its
    frame size, its load and its duration."""

    doing: str
    trial: SuiteTrial | None
    test: Test
    row: Row | None
    count: int
    spent_s: float


Watch = Callable[[Rfc2544Progress], None]


@dataclass
class Rfc2544Bench:
    """Tests under way: the trials and rows there are so far."""

    method: Method
    stop: Event
    watch: Watch | None = None
    recorder: Recorder | None = None
    robust: bool = False
    trials: list[SuiteTrial] = field(default_factory=list)
    rows: list[tuple[Test, Row]] = field(default_factory=list)
    began_s: float = field(default_factory=time.monotonic)

    def measure(
        self, trial: Trial, test: Test, frame: str, load_pps: float, seconds: float, label: str = ""
    ) -> SuiteTrial:
        """Hold a load; several times where the machine disturbed it and that is wanted. The trial that counts."""
        for repeat in range(DISTURBED_REPEATS + 1):
            self.learn(trial)
            self.tell(test, frame, f"{load_pps:,.0f} fps for {seconds:.3g} s")
            found = trial.measure(Rate(load_pps, "pps"), seconds)
            disturbed = found.disturbed if self.robust and repeat < DISTURBED_REPEATS else None
            one = self.keep(test, frame, load_pps, seconds, found, label, disturbed or "")
            self.rest()
            if disturbed is None:
                break
        return one

    def keep(
        self, test: Test, frame: str, load_pps: float, seconds: float, found: TrialResult, label: str, aside: str = ""
    ) -> SuiteTrial:
        one = SuiteTrial(len(self.trials) + 1, test, frame, load_pps, seconds, found, label, aside)
        self.trials.append(one)
        if self.recorder is not None:
            self.recorder.add(one)
        self._watched(f"{test} {frame}", test, trial=one)
        return one

    def found(self, test: Test, row: Row) -> None:
        self.rows.append((test, row))
        if self.recorder is not None:
            self.recorder.add({"row_of": test, "row": row})
        self._watched(f"{test} {row.frame}", test, row=row)

    def tell(self, test: Test, frame: str, what: str) -> None:
        self._watched(f"{test} {frame}: {what}", test)

    def learn(self, trial: Trial) -> None:
        """Section 23 b: some frames of the streams, so that bridges and neighbours are known, and a wait."""
        if self.method.learning_s > 0:
            trial.measure(Rate(LEARNING_PPS, "pps"), LEARNING_S)
            self.wait(self.method.learning_s)

    def rest(self) -> None:
        """Section 23 e: let the device restabilise."""
        self.wait(self.method.restabilise_s)

    def wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise KeyboardInterrupt

    def _watched(self, doing: str, test: Test, trial: SuiteTrial | None = None, row: Row | None = None) -> None:
        if self.watch is not None:
            self.watch(Rfc2544Progress(doing, trial, test, row, len(self.trials), time.monotonic() - self.began_s))
