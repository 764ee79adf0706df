"""Runs the tests of a plan against a generator, one frame size after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.errors import MeasurementError, RemoteError, UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.head import head_of
from wirespeed.measurement.rfc.bench import throughput_goal
from wirespeed.measurement.rfc.method import APPLICABILITY
from wirespeed.measurement.rfc2544.bench import Rfc2544Bench
from wirespeed.measurement.rfc2544.benchmarks import (
    FramesSent,
    back_to_back,
    frame_loss_rate,
    latency,
    throughput,
)
from wirespeed.measurement.rfc2544.disturbances import recovery, reset
from wirespeed.measurement.rfc2544.plan import Frame, Rfc2544Plan, check_plan
from wirespeed.measurement.rfc2544.result import Rfc2544Result, ThroughputRow
from wirespeed.profiles import load_profiles
from wirespeed.results.ending import COMPLETE, ending_of, raise_for
from wirespeed.trial.controller import check_resolution
from wirespeed.trial.load import TrialLoad, load_of
from wirespeed.trial.tester import Tester
from wirespeed.trial.trial import Trial
from wirespeed.units import line_rate_pps


@dataclass(frozen=True)
class FrameLoad:
    """Streams of the ports for one frame size, and the same with tagged frames in addition (None if no test needs
    them)."""

    plain: TrialLoad
    tagged: TrialLoad | None


def loads_for(plan: Rfc2544Plan) -> dict[str, FrameLoad]:
    """By the name of the frame size; UsageError for streams that cannot be used so."""
    loads = {}
    for frame in plan.frames:
        tunables = plan.tunables_of(frame)
        streams = load_profiles(plan.profile, tunables, plan.senders)
        tagged = None
        if "latency" in plan.tests:
            tagged = load_of(streams, latency_pps=plan.method.latency_pps, signature=plan.signature)
        loads[frame.name] = FrameLoad(load_of(streams, signature=plan.signature), tagged)
    return loads


def run_rfc2544(
    plan: Rfc2544Plan,
    execution: Execution,
    loads: Mapping[str, FrameLoad] | None = None,
) -> Rfc2544Result:
    """Run `plan` and return what was found. The reset test is `restart` of the execution.

    Raises when nothing can be measured: UsageError (plan, line), EnvironmentFault (too few ports, no link), RemoteError
    (port taken, frames that it cannot send). Once traffic ran it always returns a result, whose `ending.status` is
    complete, interrupted (by `stop` or Ctrl-C) or failed; `raise_for_ending` raises that. Whatever happens,
    traffic is stopped and the ports are released.
    """
    check_plan(plan)
    suite = _Suite(plan, execution, Tester(execution.client, plan.directions), loads or loads_for(plan))
    sizes = suite.sizes()
    head = suite.head()
    check_resolution([throughput_goal(plan.trial_s, plan.resolution)], min(sent.line_pps for sent in sizes.values()))
    bench = Rfc2544Bench(plan.method, plan.is_robust, execution=execution)
    execution.begin(head)
    notes = [APPLICABILITY, *plan.notes]
    with ending_of(lambda: bool(bench.trials)) as course:
        for frame in plan.frames:
            before = len(bench.trials)
            try:
                suite.run(bench, frame, sizes[frame.name])
            except RemoteError as error:  # frames that the ports do not carry are no reason to test no others
                if len(bench.trials) > before or (frame == plan.frames[-1] and not bench.trials):
                    raise
                notes.append(f"frames of {frame.name} were not tested: {error}")
    aside = sum(1 for trial in bench.trials if trial.excluded)
    if aside:
        notes.append(f"excluded trials, repeated because CPUs were preempted during them: {aside}")
    parts = {**bench.rows_by_test(), "trials": tuple(bench.trials), "spent_s": execution.spent_s}
    return execution.result(head, course.ending, (*suite.notes, *notes), **parts)


def raise_for_ending(result: Rfc2544Result) -> None:
    """Raise what ended failed tests, and MeasurementError when no frame size has a throughput."""
    ending = result.ending
    raise_for(ending)
    rows = result.throughput
    if ending.status == COMPLETE and rows and all(row.throughput_pps is None for row in rows):
        raise MeasurementError(f"no throughput was found: {rows[-1].irregular}")


@dataclass
class _Suite:
    """A plan on the ports of a tester."""

    plan: Rfc2544Plan
    execution: Execution
    tester: Tester
    loads: Mapping[str, FrameLoad]
    notes: tuple[str, ...] = ()

    def _trial(self, load: TrialLoad, *, ignore_link_down: bool = False) -> Trial:
        residual_s = self.plan.method.residual_s
        return self.execution.trial(
            self.plan, load, self.tester, ignore_link_down=ignore_link_down, residual_s=residual_s
        )

    def sizes(self) -> dict[str, FramesSent]:
        """Each frame size with what the narrowest line carries of it. UsageError without a line speed, which all of
        these tests refer to."""
        facts = self.tester.facts(self.tester.status(), self.plan.line_bps)
        frames_sent = {}
        for name, load in self.loads.items():
            lines, lengths = [], []
            for port, port_load in load.plain.ports.items():
                speed_bps = facts[port].speed_bps
                if speed_bps is None:
                    raise UsageError(
                        f"port {port} has no line speed, to which all loads of RFC 2544 refer; give the generator's "
                        "port an option such as speed=10G, or give --line 10G"
                    )
                lengths.append(port_load.mix.mean_frame_bytes)
                lines.append(line_rate_pps(lengths[-1], speed_bps))
            frames_sent[name] = FramesSent(name, sum(lengths) / len(lengths), min(lines))
        return frames_sent

    def head(self) -> Rfc2544Result:
        """The result before its first trial."""
        plan, tester = self.plan, self.tester
        ports = tester.facts(tester.status(), plan.line_bps)
        return Rfc2544Result(**head_of(plan, tester, ports, self.execution.dut), method=plan.method)

    def run(self, bench: Rfc2544Bench, frame: Frame, sent: FramesSent) -> None:
        """All tests of one frame size."""
        load, tests, row = self.loads[frame.name], self.plan.tests, None
        with self._trial(load.plain) as trial:
            self.notes = trial.notes
            if "throughput" in tests:
                row = throughput(bench, trial, sent)
                bench.found("throughput", row)
            if "frame-loss" in tests:
                bench.found("frame-loss", frame_loss_rate(bench, trial, sent))
            if "back-to-back" in tests and row is not None:
                bench.found("back-to-back", back_to_back(bench, trial, sent, row))
            if "recovery" in tests and row is not None and row.throughput_pps is not None:
                bench.found("recovery", recovery(bench, trial, sent, row))
        if row is None or row.throughput_pps is None:
            return
        if load.tagged is not None:
            with self._trial(load.tagged) as trial:
                for one in latency(bench, trial, sent, row):
                    bench.found("latency", one)
        self._reset(bench, frame, load, sent, row)

    def _reset(self, bench: Rfc2544Bench, frame: Frame, load: FrameLoad, sent: FramesSent, row: ThroughputRow) -> None:
        """The reset test, with the smallest frames (section 26.6)."""
        port = self.plan.senders[0]
        smallest = min(self.loads, key=lambda name: self.loads[name].plain.ports[port].mix.mean_frame_bytes)
        if (
            "reset" not in self.plan.tests
            or self.execution.restart is None
            or frame.name != smallest
            or row.throughput_pps is None
        ):
            return
        with self._trial(load.plain, ignore_link_down=True) as trial:
            bench.found("reset", reset(bench, trial, sent, row, self.plan.reset_kind, self.execution.restart))
