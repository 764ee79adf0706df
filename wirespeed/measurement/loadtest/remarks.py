"""Warnings on load tests: words that qualify a row, and warnings on all tests, one per cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.measurement.load import SAME_SIZE, LoadGroup, group_by_load
from wirespeed.measurement.loadtest.analysis import Analysis, MeasuredCurve
from wirespeed.measurement.loadtest.document import REQUIRED_VARS
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.reported import Remark, remark_on
from wirespeed.pages.words import count, spaced, words
from wirespeed.results.channel import SUM
from wirespeed.results.codec import to_json
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import exact_text, percent_text


@dataclass(frozen=True)
class Direction:
    """One channel of one test."""

    test: Analysis
    curve: MeasuredCurve

    @property
    def name(self) -> str:
        return f"{self.test.result.name} {self.curve.channel}"


def status(test: Analysis) -> str:
    return test.result.ending.status


def notes(test: Analysis, curve: MeasuredCurve) -> list[str]:
    """Words that qualify a row: how the test ended, whether the tester was the limit, which samples were disturbed."""
    said = [] if status(test) == COMPLETE else [status(test)]
    if curve.tester_limited:
        said.append("tester-limited")
    if curve.outcome.disturbed_samples:
        said.append(
            f"{curve.outcome.disturbed_samples} of {count(len(curve.measured), 'sample')} disturbed by the host"
        )
    if not test.result.native:
        said.append("smoothed rates")
    return said


def remarks_on(results: Sequence[Result]) -> Iterator[Remark]:
    """All that qualifies the figures of these tests, what weighs most first."""
    tests = [result.analysis for result in results]
    directions = [Direction(test, curve) for test in tests for curve in test.curves if curve.channel != SUM]
    yield from _tester_limited(directions)
    yield from _of_tests(
        "incomplete",
        [(test, test.result.ending.text) for test in tests if status(test) != COMPLETE],
        len(tests),
        " not complete: the figures cover only what ran.",
    )
    yield from _of_tests(
        "no-traffic",
        [(test, "") for test in tests if not any(curve.measured for curve in test.curves)],
        len(tests),
        " without traffic in ramp and hold: that says nothing about the DUT.",
    )
    yield from _losses(directions)
    yield from _of_tests(
        "hidden-loss",
        [(test, f"{test.counting.hidden:,} packets") for test in tests if test.counting.hidden],
        len(tests),
        ": the DUT dropped packets that are not missing, so duplicates hide a loss; --signature tells them.",
    )
    yield from _beside_loss(directions)
    yield from _line_speeds(group_by_load(results))
    yield from _settings(tests)
    yield from _lengths(tests)
    yield from _of_tests(
        "no-timestamps",
        [(test, "") for test in tests if not test.result.native],
        len(tests),
        " without timestamps, as trex-loadtest writes: one second a sample is assumed, and what the tester failed to "
        "send is unknown.",
    )


def _of_tests(cause: str, found: Sequence[tuple[Analysis, str]], total: int, sentence: str) -> Iterator[Remark]:
    return remark_on(cause, [(test.result.name, detail) for test, detail in found], total, "result", sentence)


def _of_directions(cause: str, found: Sequence[tuple[Direction, str]], total: int, sentence: str) -> Iterator[Remark]:
    return remark_on(cause, [(one.name, detail) for one, detail in found], total, "direction", sentence)


def _tester_limited(directions: Sequence[Direction]) -> Iterator[Remark]:
    limited = [one for one in directions if one.curve.tester_limited]
    percents = sorted({f"{one.curve.tester_ratio * 100:.0f}" for one in limited if one.curve.tester_ratio}, key=float)
    span = " to ".join(dict.fromkeys([percents[0], percents[-1]])) if percents else ""
    share = f", {span} % of the missing packets are its own" if span else ""
    return _of_directions(
        "tester-limited",
        [(one, _of_missing(one.curve.tester_ratio)) for one in limited],
        len(directions),
        f": the tester was the limit{share}; the DUT may do better than this.",
    )


def _of_missing(ratio: float) -> str:
    return f"{percent_text(ratio * 100)} % of the missing packets" if ratio else ""


def _losses(directions: Sequence[Direction]) -> Iterator[Remark]:
    """Directions that returned nothing, directions with sporadic loss, and disturbed directions."""
    yield from _of_directions(
        "nothing-back",
        [
            (one, "")
            for one in directions
            if one.curve.measured and not any(point.received_pps for point in one.curve.measured)
        ],
        len(directions),
        ": no packet came back.",
    )
    stray = [one for one in directions if one.curve.stray_failures]
    thresholds = thresholds_text([one.test.result for one in stray])
    yield from _of_directions(
        "stray-loss",
        [(one, f"{one.curve.stray_failures} of {len(one.curve.measured)} samples") for one in stray],
        len(directions),
        f": some samples lost more than {thresholds}, without the loss lasting.",
    )
    yield from _of_directions(
        "disturbed-samples",
        [
            (one, f"{disturbed} of {len(one.curve.measured)} samples")
            for one in directions
            if (disturbed := one.curve.outcome.disturbed_samples)
        ],
        len(directions),
        ": CPUs of tester or DUT were preempted in some samples, which are excluded from the limits.",
    )


def _beside_loss(directions: Sequence[Direction]) -> Iterator[Remark]:
    """Duplicates and foreign frames in such numbers that they could have hidden a loss, had they counted."""
    balances = [(one, one.curve.outcome.balance) for one in directions]
    again = [(one, 0 if told.order is None else told.order.duplicates, told) for one, told in balances]
    yield from _of_directions(
        "duplicates",
        [(one, f"{twice:,} duplicates") for one, twice, told in again if twice > one.test.threshold * told.offered > 0],
        len(directions),
        ": packets came back twice; they count once.",
    )
    yield from _of_directions(
        "extraneous",
        [
            (one, f"{told.extraneous - twice:,.0f} frames")
            for one, twice, told in again
            if told.extraneous - twice > one.test.threshold * told.offered > 0
        ],
        len(directions),
        ": more frames came back than were sent, or frames of others; they are not counted as received.",
    )


def thresholds_text(results: Sequence[Result]) -> str:
    """The loss that is allowed: `0.1 %`, or `0.1 % or 1 %` where tests were held to different ones."""
    return " or ".join(f"{ratio * 100:g} %" for ratio in sorted({result.analysis.threshold for result in results}))


def _line_speeds(groups: Sequence[LoadGroup[Result]]) -> Iterator[Remark]:
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
            apart.append((group.load.title, f"line rates from {span}"))
    return remark_on("line-speeds", apart, len(groups), "load", " on lines of different speed.")


def _settings(tests: Sequence[Analysis]) -> Iterator[Remark]:
    details, settings = [], [to_json(test.result.variables) for test in tests]
    for key in REQUIRED_VARS:
        values = Counter(words(one.get(key)) for one in settings)
        if len(values) > 1:
            each = ", ".join(f"{value} in {count(number, 'result')}" for value, number in values.items())
            details.append((spaced(key), each))
    if details:
        names = ", ".join(name for name, _ in details)
        sentence = f"{count(len(tests), 'result')} with different settings: {names}."
        yield Remark("settings", sentence, tuple(f"{name}: {each}" for name, each in details))


def _lengths(tests: Sequence[Analysis]) -> Iterator[Remark]:
    counts = {len(test.result.samples) for test in tests}
    if len(counts) > 1:
        yield Remark(
            "lengths",
            f"{count(len(tests), 'result')} of different length: from {min(counts)} to {max(counts)} samples.",
            tuple(f"{test.result.name}: {count(len(test.result.samples), 'sample')}" for test in tests),
        )
