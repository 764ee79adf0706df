"""Runs a burst test against a generator: bursts of growing length, then a binary search."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.dut import Dut, with_texts
from wirespeed.measurement.burst.plan import BurstPlan, check_plan
from wirespeed.measurement.burst.result import BurstResult, BurstTrial
from wirespeed.measurement.head import head_of
from wirespeed.profiles import load_profiles
from wirespeed.results.ending import ending_of
from wirespeed.results.recorder import Recorder
from wirespeed.trial.bursts import Burst, longest_burst
from wirespeed.trial.load import TrialLoad, load_of
from wirespeed.trial.rates import narrowest_pps
from wirespeed.trial.tester import Tester
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate


@dataclass(frozen=True)
class BurstProgress:
    """Progress for a watcher: `trial` just ended, or a burst of `frames` is sent now."""

    frames: int
    trial: BurstTrial | None
    count: int
    spent_s: float


Watch = Callable[[BurstProgress], None]


def load_for(plan: BurstPlan) -> TrialLoad:
    """The streams of each port. UsageError for streams that cannot be used."""
    streams = load_profiles(plan.profile, plan.tunables, plan.senders)
    return load_of(streams, signature=plan.signature)


def run_burst(
    plan: BurstPlan,
    client: GeneratorClient,
    *,
    watch: Watch | None = None,
    dut: Dut | None = None,
    stop: Event | None = None,
    load: TrialLoad | None = None,
    recorder: Recorder | None = None,
) -> BurstResult:
    """Run `plan` on ports of the connected `client` and return what was found.

    Raises when no burst can be sent: UsageError (plan, profile, a load above the line), EnvironmentFault (too few
    ports, no link), RemoteError (port taken). Once a burst was sent it always returns a BurstResult, whose
    `ending.status` is complete, interrupted (`stop` was set, or Ctrl-C) or failed. Whatever happens, traffic is stopped
    and the ports are released.
    """
    check_plan(plan)
    tester, slots = Tester(client, plan.directions), plan.lab.ring_slots or 0
    trial = Trial(
        tester,
        load or load_for(plan),
        dut=dut,
        line_bps=plan.line_bps,
        force=plan.force,
        ring_slots=slots,
        stop=stop,
    )
    trial.check_rate("--load", plan.load)
    frames = {port: one.mix.mean_frame_bytes for port, one in trial.load.ports.items()}
    load_pps = narrowest_pps("--load", plan.load, trial.facts, frames)
    head = BurstResult(
        name=plan.name or plan.profile,
        variables=plan.variables(tester.server),
        **head_of(plan, tester, trial.facts, dut),
        load_pps=load_pps,
        most=max(plan.first, round(plan.longest_s * load_pps)),
        frame_bytes=frames,
    )
    bench = _Bench(plan, head, trial, watch, recorder)
    with ending_of(lambda: bool(bench.trials)) as course, trial:
        if recorder is not None:
            recorder.begin(head)
        longest_burst(bench.send, head.most, plan.resolution, plan.tries - 1, plan.first)
    return replace(
        head,
        dut=with_texts(head.dut, dut),
        trials=tuple(bench.trials),
        spent_s=time.monotonic() - bench.began_s,
        ending=replace(course.ending, started=head.ending.started, notes=trial.notes),
    )


@dataclass
class _Bench:
    """A burst test under way: the bursts so far."""

    plan: BurstPlan
    head: BurstResult
    trial: Trial
    watch: Watch | None
    recorder: Recorder | None
    trials: list[BurstTrial] = field(default_factory=list)
    began_s: float = field(default_factory=time.monotonic)

    def send(self, frames: int) -> Burst:
        """Send one burst, store it and show it. KeyboardInterrupt once `stop` is set."""
        self._tell(frames, None)
        if self.trial.stop.wait(self.plan.rest_s):
            raise KeyboardInterrupt
        load_pps = self.head.load_pps
        found = self.trial.measure(Rate(load_pps, "pps"), frames / load_pps)
        trial = BurstTrial(len(self.trials) + 1, frames, load_pps, found)
        self.trials.append(trial)
        if self.recorder is not None:
            self.recorder.add(trial)
        self._tell(frames, trial)
        return trial.burst

    def _tell(self, frames: int, trial: BurstTrial | None) -> None:
        if self.watch is not None:
            self.watch(BurstProgress(frames, trial, len(self.trials), time.monotonic() - self.began_s))
