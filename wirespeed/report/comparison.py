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
from wirespeed.measurement.loadtest.analysis import SUM, Analysis, analyses
from wirespeed.measurement.registry import kinds, report_of
from wirespeed.measurement.reported import Remark
from wirespeed.report.loads import Group, group_by_load
from wirespeed.report.remarks import remarks_on, remarks_on_devices, remarks_on_others
from wirespeed.results.box_names import UNNAMED, BoxNames
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Verdict


@dataclass(frozen=True)
class Comparison:
    """All that a report shows. `others` are the results of other kinds than load tests, in the order of kinds;
    `remarks` are warnings, one a cause; `explanations` say what limited each test, `verdicts` are by the names of
    results."""

    groups: tuple[Group, ...]
    remarks: tuple[Remark, ...]
    others: Mapping[str, tuple[MeasurementResult, ...]] = field(default_factory=dict)
    explanations: tuple[Explanation, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def tests(self) -> tuple[Analysis, ...]:
        return tuple(test for group in self.groups for test in group.tests)

    @property
    def results(self) -> tuple[MeasurementResult, ...]:
        """All results, load tests first."""
        return (*(test.result for test in self.tests), *(one for some in self.others.values() for one in some))

    @property
    def bounds(self) -> tuple[MeasurementResult, ...]:
        """Results whose figures are loads, which stand beside load tests."""
        return tuple(one for kind, some in self.others.items() if report_of(kind).bounds_loads for one in some)


def read_all(
    paths: Sequence[Path],
    threshold: float | None = None,
    *,
    line_bps: float | None = None,
    leave_out_spoilt: bool | None = None,
    names: BoxNames = UNNAMED,
) -> list[MeasurementResult]:
    """Read files of any kind, each under a name of its own, to be judged by the threshold of each unless another is
    given. `names` are for devices without one.

    FileFault where one cannot be read.
    """
    results = [names.named(read_file(path), path) for path in paths]
    named = [replace(result, name=name) for result, name in zip(results, distinct_names(paths), strict=True)]
    return [report_of(one.kind).judged_by(one, threshold, line_bps, leave_out_spoilt) for one in named]


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


def compare(results: Sequence[MeasurementResult], inspections: Sequence[Inspection] = ()) -> Comparison:
    """Group the load tests by what they sent, make the verdict on each result, and note what makes results hard to
    compare or to believe. `inspections` are of the machines that took part."""
    groups = group_by_load(analyses(results))
    others: dict[str, tuple[MeasurementResult, ...]] = {}
    for kind in kinds():
        if some := tuple(one for one in results if one.kind == kind and not report_of(kind).leads):
            others[kind] = some
    found = Comparison(groups, remarks_on(groups), others)
    every = found.results
    explanations = explained(every, inspections)
    return replace(
        found,
        remarks=(*found.remarks, *remarks_on_others(others), *remarks_on_devices(every)),
        explanations=explanations,
        verdicts={one.name: one for one in verdicts_of(every, explanations)},
    )


def select_channels(results: Sequence[MeasurementResult], wanted: Sequence[str]) -> frozenset[str]:
    """Channel names from a user's words; UsageError for one that no test has.

    A word is a name such as `0-1`, `0→1` or `sum`, or a number as trex-loadtest-viz counts the channels of two ports:
    0 is 0→1, 1 is 1→0, 2 their sum. Nothing wanted selects every channel, the sums not among them: their load adds up
    to several lines. Other kinds of result than load tests have all their directions together.
    """
    present = dict.fromkeys(curve.channel for test in analyses(results) for curve in test.curves)
    numbers = dict(zip("012", ("0→1", "1→0", SUM), strict=True))
    if not wanted:
        return frozenset(present) - {SUM}
    if not present:
        raise UsageError("channels select curves of load tests, and none of the results is a load test")
    chosen = set()
    for word in (part.strip() for text in wanted for part in text.split(",")):
        channel = numbers.get(word, word.lower().replace("->", "→").replace("-", "→").replace(">", "→"))
        if channel not in present:
            known = ", ".join(name.replace("→", "-") for name in present)
            raise UsageError(f"channel {word!r} is in no result; choose from {known}")
        chosen.add(channel)
    return frozenset(chosen)
