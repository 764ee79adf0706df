"""Runs the tests of a plan against a generator, one frame size after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Event

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.dut import Dut, with_texts
from wirespeed.errors import MeasurementError, RemoteError, UsageError
from wirespeed.measurement.head import head_of
from wirespeed.measurement.rfc.bench import throughput_goal
from wirespeed.measurement.rfc.method import APPLICABILITY
from wirespeed.measurement.rfc.result import attribute_of
from wirespeed.measurement.rfc2544.bench import Rfc2544Bench, Watch
from wirespeed.measurement.rfc2544.benchmarks import (
    FramesSent,
    back_to_back,
    frame_loss_rate,
    latency,
    throughput,
)
from wirespeed.measurement.rfc2544.disturbances import recovery, reset
from wirespeed.measurement.rfc2544.plan import Frame, Rfc2544Plan, check_plan
from wirespeed.measurement.rfc2544.result import TESTS, Rfc2544Result, ThroughputRow
from wirespeed.profiles import load_profiles
from wirespeed.results.ending import COMPLETE, ending_of, raise_for
from wirespeed.results.recorder import Recorder
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


Reset = Callable[[], None]


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
    client: GeneratorClient,
    *,
    watch: Watch | None = None,
    dut: Dut | None = None,
    stop: Event | None = None,
    loads: Mapping[str, FrameLoad] | None = None,
    recorder: Recorder | None = None,
    do_reset: Reset | None = None,
) -> Rfc2544Result:
    """Run `plan` on ports of the connected `client` and return what was found.

    Raises when nothing can be measured: UsageError (plan, line), EnvironmentFault (too few ports, no link), RemoteError
    (port taken, frames that it cannot send). Once traffic ran it always returns a result, whose `ending.status` is
    complete, interrupted (`stop` was set, or Ctrl-C) or failed; `raise_for_ending` raises that. Whatever happens,
    traffic is stopped and the ports are released.
    """
    check_plan(plan)
    stop = stop or Event()
    suite = _Suite(plan, Tester(client, plan.directions), loads or loads_for(plan), dut, stop, do_reset)
    sizes = suite.sizes()
    head = suite.head()
    check_resolution([throughput_goal(plan.trial_s, plan.resolution)], min(sent.line_pps for sent in sizes.values()))
    bench = Rfc2544Bench(plan.method, plan.is_robust, stop=stop, watch=watch, recorder=recorder)
    if recorder is not None:
        recorder.begin(head)
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
    rows = {attribute_of(test): tuple(row for of, row in bench.rows if of == test) for test in TESTS}
    aside = sum(1 for trial in bench.trials if trial.excluded)
    if aside:
        notes.append(f"excluded trials, repeated because CPUs were preempted during them: {aside}")
    return replace(
        head,
        dut=with_texts(head.dut, dut),
        **rows,  # type: ignore[arg-type] # each of its own kind
        trials=tuple(bench.trials),
        spent_s=bench.spent_s,
        ending=replace(course.ending, started=head.ending.started, notes=(*suite.notes, *notes)),
    )


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
    tester: Tester
    loads: Mapping[str, FrameLoad]
    dut: Dut | None
    stop: Event
    do_reset: Reset | None
    notes: tuple[str, ...] = ()

    def _trial(self, load: TrialLoad, *, ignore_link_down: bool = False) -> Trial:
        plan = self.plan
        return Trial(
            self.tester,
            load,
            dut=self.dut,
            line_bps=plan.line_bps,
            force=plan.force,
            ignore_link_down=ignore_link_down,
            residual_s=plan.method.residual_s,
            ring_slots=plan.lab.ring_slots or 0,
            stop=self.stop,
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
                        "port speed=10G or so, or --line 10G"
                    )
                lengths.append(port_load.mix.mean_frame_bytes)
                lines.append(line_rate_pps(lengths[-1], speed_bps))
            frames_sent[name] = FramesSent(name, sum(lengths) / len(lengths), min(lines))
        return frames_sent

    def head(self) -> Rfc2544Result:
        """The result before its first trial."""
        plan, tester = self.plan, self.tester
        ports = tester.facts(tester.status(), plan.line_bps)
        head, variables = head_of(plan, tester, ports, self.dut), plan.variables(tester.server)
        return Rfc2544Result(plan.name or "rfc2544", variables, **head, method=plan.method)

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
            or self.do_reset is None
            or frame.name != smallest
            or row.throughput_pps is None
        ):
            return
        with self._trial(load.plain, ignore_link_down=True) as trial:
            bench.found("reset", reset(bench, trial, sent, row, self.plan.reset_kind, self.do_reset))
