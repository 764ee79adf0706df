"""What to beware of in load tests: words that qualify a row, and remarks on all tests, one a cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.measurement.load import SAME_SIZE, Group, group_by_load
from wirespeed.measurement.loadtest.analysis import Analysis, Curve
from wirespeed.measurement.loadtest.document import REQUIRED_VARS
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.reported import Remark
from wirespeed.pages.words import count, some, spaced, words
from wirespeed.results.channel import SUM
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import exact_text, percent_text


@dataclass(frozen=True)
class Direction:
    """One channel of one test."""

    test: Analysis
    curve: Curve

    @property
    def name(self) -> str:
        return f"{self.test.result.name} {self.curve.channel}"


def status(test: Analysis) -> str:
    return test.result.ending.status


def notes(test: Analysis, curve: Curve) -> list[str]:
    """Words that qualify a row: how the test ended, whether the tester was the limit, what the machine spoilt."""
    said = [] if status(test) == COMPLETE else [status(test)]
    if curve.tester_limited:
        said.append("tester-limited")
    if curve.outcome.spoilt_samples:
        said.append(
            f"{curve.outcome.spoilt_samples} of {count(len(curve.measured), 'sample')} disturbed by the machine"
        )
    if not test.result.native:
        said.append("smoothed rates")
    return said


def remarks_on(results: Sequence[Result]) -> Iterator[Remark]:
    """All that qualifies the figures of these tests, what weighs most first."""
    tests = [result.analysis for result in results]
    directions = [Direction(test, curve) for test in tests for curve in test.curves if curve.channel != SUM]
    found = (
        _tester_limited(directions),
        _incomplete(tests),
        _without_traffic(tests),
        _nothing_back(directions),
        _stray_losses(directions),
        _spoilt(directions),
        _hidden(tests),
        _duplicates(directions),
        _surplus(directions),
        _line_speeds(group_by_load(results)),
        _settings(tests),
        _lengths(tests),
        _without_timestamps(tests),
    )
    return (remark for remark in found if remark)


def _tester_limited(directions: Sequence[Direction]) -> Remark | None:
    limited = [one for one in directions if one.curve.tester_limited]
    if not limited:
        return None
    percents = sorted({f"{one.curve.tester_ratio * 100:.0f}" for one in limited if one.curve.tester_ratio}, key=float)
    span = " to ".join(dict.fromkeys([percents[0], percents[-1]])) if percents else ""
    share = f", {span} % of the missing packets are its own" if span else ""
    return Remark(
        "tester-limited",
        f"{some([one.name for one in limited], len(directions), 'direction')}: the tester was the limit{share}; "
        "the router may do better than this.",
        tuple(f"{one.name}{_of_missing(one.curve.tester_ratio)}" for one in limited),
    )


def _of_missing(ratio: float) -> str:
    return f": {percent_text(ratio * 100)} % of the missing packets" if ratio else ""


def _incomplete(tests: Sequence[Analysis]) -> Remark | None:
    broken = [test for test in tests if status(test) != COMPLETE]
    if not broken:
        return None
    who = some([test.result.name for test in broken], len(tests), "test")
    return Remark(
        "incomplete",
        f"{who} not complete: the figures cover only what ran.",
        tuple(f"{test.result.name}: {test.result.ending.text}" for test in broken),
    )


def _without_traffic(tests: Sequence[Analysis]) -> Remark | None:
    names = [test.result.name for test in tests if not any(curve.measured for curve in test.curves)]
    if not names:
        return None
    return Remark(
        "no-traffic",
        f"{some(names, len(tests), 'test')} without traffic in ramp and hold: that says nothing about the router.",
        tuple(names),
    )


def _nothing_back(directions: Sequence[Direction]) -> Remark | None:
    names = [
        one.name
        for one in directions
        if one.curve.measured and not any(point.received_pps for point in one.curve.measured)
    ]
    if not names:
        return None
    return Remark("nothing-back", f"{some(names, len(directions), 'direction')}: no packet came back.", tuple(names))


def _stray_losses(directions: Sequence[Direction]) -> Remark | None:
    stray = [one for one in directions if one.curve.stray_failures]
    if not stray:
        return None
    return Remark(
        "stray-loss",
        f"{some([one.name for one in stray], len(directions), 'direction')}: some samples lost more than "
        f"{thresholds_text([one.test.result for one in stray])}, without the loss lasting.",
        tuple(f"{one.name}: {one.curve.stray_failures} of {len(one.curve.measured)} samples" for one in stray),
    )


def _spoilt(directions: Sequence[Direction]) -> Remark | None:
    spoilt = [one for one in directions if one.curve.outcome.spoilt_samples]
    if not spoilt:
        return None
    return Remark(
        "spoilt-samples",
        f"{some([one.name for one in spoilt], len(directions), 'direction')}: the machine took the CPUs of tester or "
        "DUT away and disturbed some samples; they count for no limit.",
        tuple(f"{one.name}: {one.curve.outcome.spoilt_samples} of {len(one.curve.measured)} samples" for one in spoilt),
    )


def _hidden(tests: Sequence[Analysis]) -> Remark | None:
    found = [(test, test.counting) for test in tests]
    found = [(test, counting) for test, counting in found if counting.hidden]
    if not found:
        return None
    return Remark(
        "hidden-loss",
        f"{some([test.result.name for test, _ in found], len(tests), 'test')}: the DUT dropped packets that are not "
        "missing, so duplicates hide a loss; --signature tells them.",
        tuple(f"{test.result.name}: {counting.hidden:,} packets" for test, counting in found),
    )


def _duplicates(directions: Sequence[Direction]) -> Remark | None:
    found = [one for one in directions if _again(one) > one.test.threshold * one.curve.outcome.balance.offered > 0]
    if not found:
        return None
    return Remark(
        "duplicates",
        f"{some([one.name for one in found], len(directions), 'direction')}: packets came back twice; they count once.",
        tuple(f"{one.name}: {_again(one):,} duplicates" for one in found),
    )


def _again(one: Direction) -> int:
    order = one.curve.outcome.balance.order
    return 0 if order is None else order.duplicates


def _surplus(directions: Sequence[Direction]) -> Remark | None:
    """Frames of others in such numbers that they could have hidden a loss, had they been taken for ours."""
    found = [
        one
        for one in directions
        if one.curve.outcome.balance.surplus - _again(one) > one.test.threshold * one.curve.outcome.balance.offered > 0
    ]
    if not found:
        return None
    return Remark(
        "surplus",
        f"{some([one.name for one in found], len(directions), 'direction')}: more frames came back than were sent, or "
        "frames of others; they are not counted as received.",
        tuple(f"{one.name}: {one.curve.outcome.balance.surplus - _again(one):,.0f} frames" for one in found),
    )


def thresholds_text(results: Sequence[Result]) -> str:
    """The loss that is allowed: `0.1 %`, or `0.1 % or 1 %` where tests were held to different ones."""
    return " or ".join(f"{ratio * 100:g} %" for ratio in sorted({result.analysis.threshold for result in results}))


def _line_speeds(groups: Sequence[Group[Result]]) -> Remark | None:
    apart = []
    for group in groups:
        lines = [
            curve.line_pps
            for result in group.results
            for curve in result.analysis.curves
            if curve.lines == 1 and curve.line_pps
        ]
        if lines and max(lines) > (1 + SAME_SIZE) * min(lines):
            span = f"{exact_text(min(lines))} to {exact_text(max(lines))}"
            apart.append((group.load.name, f"{group.load.name}: line rates from {span}"))
    if not apart:
        return None
    return Remark(
        "line-speeds",
        f"{some([name for name, _ in apart], len(groups), 'load')} on lines of different speed.",
        tuple(detail for _, detail in apart),
    )


def _settings(tests: Sequence[Analysis]) -> Remark | None:
    details = []
    for key in REQUIRED_VARS:
        values = Counter(words(test.result.variables[key]) for test in tests)
        if len(values) > 1:
            each = ", ".join(f"{value} in {count(number, 'test')}" for value, number in values.items())
            details.append((spaced(key), each))
    if not details:
        return None
    names = ", ".join(name for name, _ in details)
    return Remark(
        "settings",
        f"{count(len(tests), 'test')} with different settings: {names}.",
        tuple(f"{name}: {each}" for name, each in details),
    )


def _lengths(tests: Sequence[Analysis]) -> Remark | None:
    counts = {len(test.result.samples) for test in tests}
    if len(counts) < 2:
        return None
    return Remark(
        "lengths",
        f"{count(len(tests), 'test')} of different length: from {min(counts)} to {max(counts)} samples.",
        tuple(f"{test.result.name}: {count(len(test.result.samples), 'sample')}" for test in tests),
    )


def _without_timestamps(tests: Sequence[Analysis]) -> Remark | None:
    names = [test.result.name for test in tests if not test.result.native]
    if not names:
        return None
    return Remark(
        "no-timestamps",
        f"{some(names, len(tests), 'test')} without timestamps, as trex-loadtest writes: one second a sample is "
        "assumed, and what the tester failed to send is unknown.",
        tuple(names),
    )
