"""Runs a burst test against a generator: bursts of growing length, then a binary search."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirespeed.measurement.burst.plan import BurstPlan, check_plan
from wirespeed.measurement.burst.result import BurstResult, BurstTrial
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.head import head_of
from wirespeed.profiles import load_profiles
from wirespeed.results.ending import ending_of
from wirespeed.trial.bursts import Burst, longest_burst
from wirespeed.trial.load import TrialLoad, load_of
from wirespeed.trial.rates import narrowest_pps
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate


@dataclass(frozen=True)
class BurstProgress:
    """Progress for a watcher: `trial` just ended, or a burst of `frames` is sent now."""

    frames: int
    trial: BurstTrial | None
    count: int
    spent_s: float


def load_for(plan: BurstPlan) -> TrialLoad:
    """The streams of each port. UsageError for streams that cannot be used."""
    streams = load_profiles(plan.profile, plan.tunables, plan.senders)
    return load_of(streams, signature=plan.signature)


def run_burst(
    plan: BurstPlan,
    execution: Execution,
    load: TrialLoad | None = None,
) -> BurstResult:
    """Run `plan` and return what was found.

    Raises when no burst can be sent: UsageError (plan, profile, a load above the line), EnvironmentFault (too few
    ports, no link), RemoteError (port taken). Once a burst was sent it always returns a BurstResult, whose
    `ending.status` is complete, interrupted (by `stop` or Ctrl-C) or failed. Whatever happens, traffic is stopped
    and the ports are released.
    """
    check_plan(plan)
    trial = execution.trial(plan, load or load_for(plan))
    trial.check_rate("--load", plan.load)
    frames = {port: one.mix.mean_frame_bytes for port, one in trial.load.ports.items()}
    load_pps = narrowest_pps("--load", plan.load, trial.facts, frames)
    head = BurstResult(
        **head_of(plan, trial.tester, trial.facts, execution.dut),
        load_pps=load_pps,
        most=max(plan.first, round(plan.longest_s * load_pps)),
        frame_bytes=frames,
    )
    bench = _Bench(plan, head, trial, execution)
    with ending_of(lambda: bool(bench.trials)) as course, trial:
        execution.begin(head)
        longest_burst(bench.send, head.most, plan.resolution, plan.tries - 1, plan.first)
    return execution.result(head, course.ending, trial.notes, trials=tuple(bench.trials), spent_s=execution.spent_s)


@dataclass
class _Bench:
    """A burst test under way: the bursts so far."""

    plan: BurstPlan
    head: BurstResult
    trial: Trial
    execution: Execution
    trials: list[BurstTrial] = field(default_factory=list)

    def send(self, frames: int) -> Burst:
        """Send one burst, store it and show it. KeyboardInterrupt once `stop` is set."""
        self._tell(frames, None)
        self.execution.wait(self.plan.rest_s)
        load_pps = self.head.load_pps
        found = self.trial.measure(Rate(load_pps, "pps"), frames / load_pps)
        trial = BurstTrial(len(self.trials) + 1, frames, load_pps, found)
        self.trials.append(trial)
        self.execution.keep(trial)
        self._tell(frames, trial)
        return trial.burst

    def _tell(self, frames: int, trial: BurstTrial | None) -> None:
        self.execution.tell(BurstProgress(frames, trial, len(self.trials), self.execution.spent_s))
