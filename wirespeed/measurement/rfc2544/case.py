"""The cases of RFC 2544's tests: one a frame size, at the load above its throughput, or the highest that was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.cases.facts import Case
from wirespeed.cases.trials import TrialsOfLoad, case_of
from wirespeed.measurement.rfc2544.result import Rfc2544Result, SuiteTrial

_TESTS = ("throughput", "frame-loss")
"""Benchmarks whose trials hold a load for a while. The others burst, cut loads or reset the device."""


def cases_of(suite: Rfc2544Result, source: str) -> tuple[Case, ...]:
    """() of a suite whose tests held no load."""
    return tuple(_cases(suite, source))


def _cases(suite: Rfc2544Result, source: str) -> Iterator[Case]:
    held = [trial for trial in suite.trials if trial.test in _TESTS and not trial.excluded]
    for frame in dict.fromkeys(trial.frame for trial in held):
        trials = [trial for trial in held if trial.frame == frame]
        sizes = {row.frame: row.frame_bytes for row in suite.throughput}
        sizes |= {row.frame: row.frame_bytes for row in suite.frame_loss}
        frame_bytes = sizes.get(frame) or _bytes(frame)
        tried = replace(TrialsOfLoad.of(suite, source), name=f"{suite.name}, {frame}", frame_bytes=frame_bytes)
        row = next((row for row in suite.throughput if row.frame == frame), None)
        upper_pps = None if row is None else row.upper_pps
        chosen, what = _chosen(trials, upper_pps)
        is_bound = row is not None and any(one.load_pps == upper_pps for one in chosen)
        limit = row.limit if row is not None and is_bound else "none"
        judged = [one.judged for one in chosen]
        yield case_of(tried, judged, [one.judged for one in trials], f"of {frame}, {what}", limit)


def _chosen(trials: Sequence[SuiteTrial], upper_pps: float | None) -> tuple[list[SuiteTrial], str]:
    """The load that failed nearest above the throughput; without one the highest load that was tried."""
    failed = [trial for trial in trials if upper_pps is not None and trial.load_pps == upper_pps]
    if failed:
        return failed, "at the load above its throughput"
    most_pps = max(trial.load_pps for trial in trials)
    return [trial for trial in trials if trial.load_pps == most_pps], "at the highest load"


def _bytes(frame: str) -> float | None:
    return float(frame) if frame.isdigit() else None
