"""Results side by side: names that tell them apart, groups that carried the same load, and what to beware of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.loadtest.result import REQUIRED_VARS, read_result
from wirespeed.report.analysis import SUM, Analysis, Curve, analyse

SAME_SIZE = 0.05  # mean frame sizes of an imix differ by less from run to run, the sizes people choose by more


@dataclass(frozen=True)
class Load:
    """What was sent, whoever forwarded it: profile, tunables and the mean frame on the wire."""

    profile: str
    tunables: str
    frame_bytes: float | None

    @property
    def name(self) -> str:
        words = [self.profile, self.tunables]
        if self.frame_bytes is not None and "size=" not in self.tunables:
            words.append(f"{self.frame_bytes:.0f}-byte frames")
        return " ".join(word for word in words if word)

    def like(self, other: Load) -> bool:
        """Whether both put the same work to a router, as far as the files say."""
        if self.profile != other.profile or sorted(self.tunables.split(",")) != sorted(other.tunables.split(",")):
            return False
        if self.frame_bytes is None or other.frame_bytes is None:
            return self.frame_bytes is other.frame_bytes
        return abs(self.frame_bytes - other.frame_bytes) <= SAME_SIZE * other.frame_bytes


@dataclass(frozen=True)
class Group:
    """The tests that carried the same load, in the order given."""

    load: Load
    tests: tuple[Analysis, ...]


@dataclass(frozen=True)
class Comparison:
    """All that a report shows. `remarks` are warnings, a sentence each."""

    threshold: float
    groups: tuple[Group, ...]
    remarks: tuple[str, ...]

    @property
    def tests(self) -> tuple[Analysis, ...]:
        return tuple(test for group in self.groups for test in group.tests)


def read_all(paths: Sequence[Path], threshold: float) -> list[Analysis]:
    """Read and analyse the files, each under a name of its own. FileFault where one cannot be read."""
    results = [read_result(path) for path in paths]
    names = distinct_names(paths)
    return [analyse(replace(result, name=name), threshold) for result, name in zip(results, names, strict=True)]


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """File names without suffix; with as many parent folders as tell equal ones apart, repeated ones numbered."""
    parts = [path.absolute().with_suffix("").parts for path in paths]
    depths = dict.fromkeys(parts, 1)
    while True:
        names = {part: "/".join(part[-depth:]) for part, depth in depths.items()}
        count = Counter(names.values())
        ambiguous = [part for part in depths if count[names[part]] > 1]
        if not ambiguous:
            break
        for part in ambiguous:
            depths[part] += 1
    seen: Counter[tuple[str, ...]] = Counter()
    numbered = []
    for part in parts:
        seen[part] += 1
        numbered.append(names[part] if seen[part] == 1 else f"{names[part]} ({seen[part]})")
    return numbered


def compare(tests: Sequence[Analysis], threshold: float) -> Comparison:
    """Group the tests by what they sent and note what makes them hard to compare or to believe."""
    groups: list[Group] = []
    for test in tests:
        load = _load(test)
        for index, group in enumerate(groups):
            if load.like(group.load):
                groups[index] = Group(group.load, (*group.tests, test))
                break
        else:
            groups.append(Group(load, (test,)))
    doubts = (remark for test in tests for remark in _doubts(test, threshold))
    remarks = [*_differences(tests, groups), *_tester_limits(tests), *doubts]
    return Comparison(threshold, tuple(groups), tuple(remarks))


def select_channels(tests: Sequence[Analysis], wanted: Sequence[str]) -> frozenset[str]:
    """Channel names from a user's words such as `0-1`, `0→1`, `sum`; UsageError for one that no test has.

    Nothing wanted selects every channel, the sums not among them: their load adds up to several lines.
    """
    present = dict.fromkeys(curve.channel for test in tests for curve in test.curves)
    if not wanted:
        return frozenset(present) - {SUM}
    chosen = set()
    for word in (part.strip() for text in wanted for part in text.split(",")):
        channel = word.lower().replace("->", "→").replace("-", "→").replace(">", "→")
        if channel not in present:
            known = ", ".join(name.replace("→", "-") for name in present)
            raise UsageError(f"channel {word!r} is in no result; choose from {known}")
        chosen.add(channel)
    return frozenset(chosen)


def settings(test: Analysis) -> dict[str, str]:
    """What the test says of its configuration, lab, router and programs, flat and as text."""
    result = test.result
    flat = {key: _text(value) for key, value in result.variables.items()}
    for head, values in (("lab", result.lab), ("dut", result.dut), ("version", result.versions)):
        flat |= {f"{head} {key}": _text(value) for key, value in values.items()}
    if "started" in result.outcome:
        flat["started"] = _text(result.outcome["started"])
    return flat


def status(test: Analysis) -> str:
    return str(test.result.outcome.get("status", "complete"))


def notes(test: Analysis, curve: Curve) -> list[str]:
    """Words that qualify a row: how the test ended, and whether the tester was the limit."""
    words = [] if status(test) == "complete" else [status(test)]
    if curve.tester_limited:
        words.append("tester-limited")
    return words


def _load(test: Analysis) -> Load:
    result = test.result
    return Load(Path(result.profile).stem, _tunables(result.variables.get("tunables")), test.frame_bytes)


def _tunables(value: Any) -> str:
    match value:
        case None:
            return ""
        case dict():
            return ",".join(f"{key}={_text(item)}" for key, item in value.items())
        case list():
            return " ".join(map(_text, value))
        case _:
            return _text(value)


def _text(value: Any) -> str:
    """Numbers without a needless `.0`, so that 100 and 100.0 are the same setting."""
    match value:
        case str():
            return value
        case float():
            return f"{value:.12g}"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _differences(tests: Sequence[Analysis], groups: Sequence[Group]) -> list[str]:
    remarks = []
    for key in REQUIRED_VARS:
        values = dict.fromkeys(_text(test.result.variables[key]) for test in tests)
        if len(values) > 1:
            remarks.append(f"Tests differ in {key}: {', '.join(values)}.")
    counts = {len(test.result.samples) for test in tests}
    if len(counts) > 1:
        remarks.append(f"Tests differ in length: from {min(counts)} to {max(counts)} samples.")
    old = [test.result.name for test in tests if not test.result.native]
    if old:
        remarks.append(
            f"Without timestamps, as trex-loadtest writes: {', '.join(old)}. One second a sample is assumed; what the "
            "tester failed to send is unknown."
        )
    for group in groups:
        lines = [curve.line_pps for test in group.tests for curve in test.curves if curve.lines == 1 and curve.line_pps]
        if lines and max(lines) > (1 + SAME_SIZE) * min(lines):
            remarks.append(f"{group.load.name}: tests ran on lines of different speed.")
    return remarks


def _doubts(test: Analysis, threshold: float) -> list[str]:
    name, result = test.result.name, test.result
    remarks = []
    if status(test) != "complete":
        reason = str(result.outcome.get("reason") or "no reason given").rstrip(".")
        remarks.append(f"{name} is {status(test)} ({reason}): its figures cover only what ran.")
    if not any(curve.measured for curve in test.curves):
        return [*remarks, f"{name} holds no ramp or hold samples with traffic: it says nothing about the router."]
    for curve in test.curves:
        if curve.channel == SUM:
            continue
        if curve.max_pps == 0:
            remarks.append(f"{name} {curve.channel}: no packet came back.")
        if curve.stray_failures:
            remarks.append(
                f"{name} {curve.channel}: {curve.stray_failures} of {len(curve.measured)} samples lost more than "
                f"{threshold * 100:g} % without the loss lasting."
            )
    return remarks


def _tester_limits(tests: Sequence[Analysis]) -> list[str]:
    """One warning for all: a tester that is too slow mostly is in every test."""
    limited = [
        (test, curve) for test in tests for curve in test.curves if curve.channel != SUM and curve.tester_limited
    ]
    if not limited:
        return []
    percents = sorted({f"{curve.tester_ratio * 100:.0f}" for _, curve in limited if curve.tester_ratio}, key=float)
    span = percents[0] if len(percents) == 1 else f"{percents[0]} to {percents[-1]}" if percents else ""
    share = f" ({span} % of the missing packets)" if span else ""
    channels = sum(curve.channel != SUM for test in tests for curve in test.curves)
    names = ", ".join(f"{test.result.name} {curve.channel}" for test, curve in limited)
    if len(limited) == channels and len(tests) > 1:
        names = f"All {len(tests)} tests"
    return [
        f"{names}: the tester was too slow to send or receive what was asked for{share}; "
        "the router may do better than this."
    ]
