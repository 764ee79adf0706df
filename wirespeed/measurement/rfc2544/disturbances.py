"""System recovery (section 26.5) and reset (RFC 6201): the load, or the device, changes while frames flow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from wirespeed.errors import WirespeedError
from wirespeed.measurement.rfc.bench import remarks, said
from wirespeed.measurement.rfc2544.bench import Rfc2544Bench
from wirespeed.measurement.rfc2544.benchmarks import FramesSent, not_the_duts
from wirespeed.measurement.rfc2544.result import RecoveryRow, ResetRow, SuiteTrial, ThroughputRow
from wirespeed.measurement.rfc2544.schedules import MissingFrames, outage_s, recovery_s
from wirespeed.results.channel import Channel
from wirespeed.trial.reading import TrialReading
from wirespeed.trial.trial import HEARTBEAT_S, Trial
from wirespeed.units import Rate

OVERLOAD = 1.1
REDUCED = 0.5

_POLL_S = 0.01
_CACHED_S = 0.5
"""Possible age, in seconds, of the counters of servers that do not read them on request."""
_TAIL_LEAST_S, _TAIL_MOST_S = 0.5, 30.0

BACK_SHARE = 0.95
"""Share of the rate received before the reset from which on the device counts as forwarding again."""
_RESET_MOST_S = 300.0
_STEADY_MOST_S = 10.0
_WINDOW_S = 0.2


def recovery(bench: Rfc2544Bench, trial: Trial, sent: FramesSent, measured: ThroughputRow) -> RecoveryRow:
    """The load is held above the throughput, then reduced to half. An overload without loss has no recovery time."""
    method, throughput_pps = bench.method, measured.throughput_pps or 0.0
    overload_pps = min(OVERLOAD * throughput_pps, sent.line_pps)
    times, trials, lost, resolution_s = [], [], [], 0.0
    for number in range(1, method.recovery_repeats + 1):
        bench.learn(trial)
        bench.tell("recovery", sent.name, f"{overload_pps:,.0f} fps for {method.trial_s:g} s, then half of it")
        time_s, step_s, before_cut, kept = _cut(bench, trial, sent, overload_pps, f"repeat {number}")
        if kept.trial.balance.lost:
            times.append(time_s)
        lost.append(before_cut)
        trials.append(kept)
        resolution_s = max(resolution_s, step_s)
        bench.rest()
    whole = len(trials) - len(times)
    nothing = f"{whole} of {len(trials)} overloads lost nothing to recover from" if whole else ""
    return RecoveryRow(
        frame=sent.name,
        frame_bytes=sent.mean_bytes,
        throughput_pps=throughput_pps,
        overload_pps=overload_pps,
        reduced_pps=REDUCED * overload_pps,
        overload_s=method.trial_s,
        times_s=tuple(times),
        resolution_s=resolution_s,
        overload_lost=sum(lost) / len(lost),
        irregular=said(not_the_duts(measured), nothing, remarks(trials)),
    )


def _cut(
    bench: Rfc2544Bench, trial: Trial, sent: FramesSent, overload_pps: float, label: str
) -> tuple[float, float, float, SuiteTrial]:
    """The time to the last loss, its precision, the frames missing at the reduction, and the trial."""
    seconds, wires = bench.method.trial_s, trial.tester.wires
    before = trial.snapshot()
    with _traffic(trial):
        trial.set_rate(Rate(overload_pps, "pps"))
        if trial.wait(seconds):
            raise KeyboardInterrupt
        cut = _read(trial)
        trial.set_rate(Rate(REDUCED * overload_pps, "pps"))
        readings = [_read(trial)]
        end_s = time.monotonic() + min(max(seconds / 2, _TAIL_LEAST_S), _TAIL_MOST_S)
        while time.monotonic() < end_s:
            bench.execution.wait(_POLL_S)
            readings.append(_read(trial))
        loaded = trial.snapshot()
    found = trial.result(Rate(overload_pps, "pps"), before, loaded, 0.0)
    kept = bench.kept("recovery", sent.name, overload_pps, seconds, found, label)
    times = [
        recovery_s(
            [MissingFrames(reading.port_at_s(wire.rx), _missing(trial, before, reading, wire)) for reading in readings],
            cut.port_at_s(wire.rx),
        )
        for wire in wires
    ]
    stamps = [cut.at_s, *(reading.at_s for reading in readings)]
    steps = [later - earlier for earlier, later in zip(stamps, stamps[1:], strict=False)]
    step_s = max(*steps, 0.0 if cut.instant else _CACHED_S)
    return max(times), step_s, sum(_missing(trial, before, cut, wire) for wire in wires), kept


def _missing(trial: Trial, before: TrialReading, now: TrialReading, wire: Channel) -> float:
    balance = trial.balance(before, now, wire)
    return balance.offered - balance.test_frames


def reset(
    bench: Rfc2544Bench,
    trial: Trial,
    sent: FramesSent,
    measured: ThroughputRow,
    kind: str,
    do_reset: Callable[[], None],
) -> ResetRow:
    """The device is reset while its throughput is on. `trial` has to ride out links that go down."""
    times, lost, trials = [], [], []
    load_pps, why = measured.throughput_pps or 0.0, ""
    for number in range(1, bench.method.reset_repeats + 1):
        bench.learn(trial)
        bench.tell("reset", sent.name, f"{load_pps:,.0f} fps while the DUT is reset")
        outage = _outage(bench, trial, sent, load_pps, do_reset, f"repeat {number}")
        if outage is None:
            why = f"the DUT did not forward again within {_RESET_MOST_S:g} s of repeat {number}"
            break
        seconds, frames, one = outage
        times.append(seconds)
        lost.append(frames)
        trials.append(one)
        bench.rest()
    told = said(not_the_duts(measured), why or remarks(trials))
    return ResetRow(sent.name, sent.mean_bytes, kind, load_pps, tuple(times), tuple(lost), irregular=told)


def _outage(
    bench: Rfc2544Bench, trial: Trial, sent: FramesSent, load_pps: float, do_reset: Callable[[], None], label: str
) -> tuple[float, float, SuiteTrial] | None:
    """Seconds that the load was not forwarded, in the direction that it was longest, and the frames of all directions
    that this is."""
    steady_s = min(max(bench.method.trial_s, 2 * _WINDOW_S), _STEADY_MOST_S)
    wires, before = trial.tester.wires, trial.snapshot()
    with _traffic(trial):
        trial.set_rate(Rate(load_pps, "pps"))
        bench.execution.wait(steady_s / 2)
        first = _read(trial)
        bench.execution.wait(steady_s / 2)
        second = _read(trial)
        steady = {wire: _received_pps(trial, first, second, wire) for wire in wires}
        with _heard(trial):
            do_reset()
        end_s = time.monotonic() + _RESET_MOST_S
        earlier, back = _read(trial), False
        while not back and time.monotonic() < end_s:
            bench.execution.wait(_WINDOW_S if second.instant else 2 * _CACHED_S)
            now = _read(trial)
            back = all(_received_pps(trial, earlier, now, wire) >= BACK_SHARE * steady[wire] for wire in wires)
            earlier = now
        loaded = trial.snapshot()
    found = trial.result(Rate(load_pps, "pps"), before, loaded, 0.0)
    kept = bench.kept("reset", sent.name, load_pps, found.duration_s, found, label)
    if not back:
        return None
    outages = [
        outage_s(
            steady[wire],
            trial.balance(second, earlier, wire).test_frames,
            earlier.port_at_s(wire.rx) - second.port_at_s(wire.rx),
        )
        for wire in wires
    ]
    return max(outages), sum(seconds * steady[wire] for seconds, wire in zip(outages, wires, strict=True)), kept


def _received_pps(trial: Trial, earlier: TrialReading, later: TrialReading, wire: Channel) -> float:
    seconds = later.port_at_s(wire.rx) - earlier.port_at_s(wire.rx)
    return trial.balance(earlier, later, wire).test_frames / seconds if seconds > 0 else 0.0


def _read(trial: Trial) -> TrialReading:
    trial.heartbeat()
    assert trial.latest is not None
    return trial.latest


@contextmanager
def _heard(trial: Trial) -> Iterator[None]:
    """Generators end the traffic of owners that are silent, and a reset may take minutes. What resets stays in its own
    thread: a child ends with the thread that started it."""
    over, faults = threading.Event(), []

    def beat() -> None:
        while not over.wait(HEARTBEAT_S):
            try:
                trial.heartbeat()
            except WirespeedError as error:
                faults.append(error)
                return

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if faults:
        raise faults[0]


@contextmanager
def _traffic(trial: Trial) -> Iterator[None]:
    """If an error ends the block, the traffic that it started is stopped."""
    try:
        yield
    except BaseException:
        with suppress(WirespeedError):
            trial.stop_sending()
        raise
