"""Trials of the tests one by one: learning frames and waits, and storage and output of each trial."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.measurement.rfc.bench import DISTURBED_REPEATS, RfcBench
from wirespeed.measurement.rfc2544.result import Method, Row, SuiteTrial, Test
from wirespeed.results.trial import TrialResult
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

LEARNING_PPS = 1000.0
LEARNING_S = 0.05


@dataclass
class Rfc2544Bench(RfcBench[Test, SuiteTrial, Row]):
    """A running suite; `robust` repeats disturbed trials."""

    method: Method
    robust: bool = False

    def measure(
        self, trial: Trial, test: Test, frame: str, load_pps: float, seconds: float, label: str = ""
    ) -> SuiteTrial:
        """Hold a load, and repeat disturbed trials if `robust`. Returns the trial that counts."""
        for repeat in range(DISTURBED_REPEATS + 1):
            self.learn(trial)
            self.tell(test, frame, f"{load_pps:,.0f} fps for {seconds:.3g} s")
            found = trial.measure(Rate(load_pps, "pps"), seconds)
            disturbed = found.disturbed if self.robust and repeat < DISTURBED_REPEATS else None
            kept = self.kept(test, frame, load_pps, seconds, found, label, disturbed or "")
            self.rest()
            if disturbed is None:
                break
        return kept

    def kept(
        self, test: Test, frame: str, load_pps: float, seconds: float, found: TrialResult, label: str, aside: str = ""
    ) -> SuiteTrial:
        one = SuiteTrial(len(self.trials) + 1, test, load_pps, seconds, found, frame, label=label, excluded=aside)
        self.keep(one)
        return one

    def learn(self, trial: Trial) -> None:
        """Section 23 b: some frames of the streams, so that bridges and neighbours are known, and a wait."""
        if self.method.learning_s > 0:
            trial.measure(Rate(LEARNING_PPS, "pps"), LEARNING_S)
            self.execution.wait(self.method.learning_s)

    def rest(self) -> None:
        """Section 23 e: let the device restabilise."""
        self.execution.wait(self.method.restabilise_s)
