"""Results side by side: names that tell them apart, loads, channels, verdicts, and what to beware of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.explain.ranking import Explanation
from wirespeed.explain.verdicts import explained, verdicts_of
from wirespeed.measurement.file import read_file
from wirespeed.measurement.loadtest.analysis import SUM, Analysis, analyse
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.rfc2544.result import Rfc2544Result
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.report.loads import Group, group_by_load
from wirespeed.report.other_remarks import remarks_on_devices, remarks_on_others
from wirespeed.report.remarks import Remark, remarks_on
from wirespeed.results.box_names import UNNAMED, BoxNames
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Verdict

Reported = Analysis | MeasurementResult
"""What a report is made of: load tests with what they say, and results of the other kinds as they are."""


@dataclass(frozen=True)
class Comparison:
    """All that a report shows, by kind. `remarks` are warnings, one a cause; `explanations` say what limited each test,
    `verdicts` are by the names of results."""

    groups: tuple[Group, ...]
    remarks: tuple[Remark, ...]
    searches: tuple[SearchResult, ...] = ()
    suites: tuple[Rfc2544Result, ...] = ()
    soaks: tuple[SoakResult, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def others(self) -> bool:
        """Whether there are results of other kinds than load tests."""
        return bool(self.searches or self.suites or self.soaks)

    @property
    def tests(self) -> tuple[Analysis, ...]:
        return tuple(test for group in self.groups for test in group.tests)


def read_all(
    paths: Sequence[Path],
    threshold: float | None = None,
    *,
    line_bps: float | None = None,
    leave_out_spoilt: bool | None = None,
    names: BoxNames = UNNAMED,
) -> list[Reported]:
    """Read files of any kind, each under a name of its own, and analyse the load tests among them, by the threshold of
    each unless another is given. `names` are for devices without one.

    FileFault where one cannot be read.
    """
    results = [names.named(read_file(path), path) for path in paths]
    named = [replace(result, name=name) for result, name in zip(results, distinct_names(paths), strict=True)]
    return [reported(one, threshold, line_bps=line_bps, leave_out_spoilt=leave_out_spoilt) for one in named]


def reported(
    result: MeasurementResult,
    threshold: float | None = None,
    *,
    line_bps: float | None = None,
    leave_out_spoilt: bool | None = None,
) -> Reported:
    """What a report is made of for one result."""
    if isinstance(result, Result):
        return analyse(result, threshold, line_bps=line_bps, leave_out_spoilt=leave_out_spoilt)
    return result


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


def compare(results: Sequence[Reported], inspections: Sequence[Inspection] = ()) -> Comparison:
    """Group the load tests by what they sent, make the verdict on each result, and note what makes results hard to
    compare or to believe. `inspections` are of the machines that took part."""
    groups = group_by_load(load_tests(results))
    searches = tuple(result for result in results if isinstance(result, SearchResult))
    suites = tuple(result for result in results if isinstance(result, Rfc2544Result))
    soaks = tuple(result for result in results if isinstance(result, SoakResult))
    tests = [test for group in groups for test in group.tests]
    every: list[MeasurementResult] = [*(test.result for test in tests), *searches, *suites, *soaks]
    remarks = (*remarks_on(groups), *remarks_on_others(searches, suites, soaks), *remarks_on_devices(every))
    explanations = explained(every, inspections)
    verdicts = {one.name: one for one in verdicts_of(every, explanations, tests)}
    return Comparison(groups, remarks, searches, suites, soaks, explanations, verdicts)


def load_tests(results: Sequence[Reported]) -> list[Analysis]:
    return [result for result in results if isinstance(result, Analysis)]


def select_channels(results: Sequence[Reported], wanted: Sequence[str]) -> frozenset[str]:
    """Channel names from a user's words; UsageError for one that no test has.

    A word is a name such as `0-1`, `0→1` or `sum`, or a number as trex-loadtest-viz counts the channels of two ports:
    0 is 0→1, 1 is 1→0, 2 their sum. Nothing wanted selects every channel, the sums not among them: their load adds up
    to several lines. Other kinds of result than load tests have all their directions together.
    """
    present = dict.fromkeys(curve.channel for test in load_tests(results) for curve in test.curves)
    numbers = dict(zip("012", ("0→1", "1→0", SUM), strict=True))
    if not wanted:
        return frozenset(present) - {SUM}
    if not present:
        raise UsageError("none of the results is a load test, and only curves of those are chosen by channel")
    chosen = set()
    for word in (part.strip() for text in wanted for part in text.split(",")):
        channel = numbers.get(word, word.lower().replace("->", "→").replace("-", "→").replace(">", "→"))
        if channel not in present:
            known = ", ".join(name.replace("→", "-") for name in present)
            raise UsageError(f"channel {word!r} is in no result; choose from {known}")
        chosen.add(channel)
    return frozenset(chosen)
