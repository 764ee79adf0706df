"""Results side by side: names that tell them apart, loads, channels, verdicts, and what to beware of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirespeed.charts.colours import colours_by_name
from wirespeed.errors import UsageError
from wirespeed.explain.ranking import Explanation
from wirespeed.explain.verdicts import explained, verdicts_of
from wirespeed.measurement.file import read_file
from wirespeed.measurement.load import group_by_load
from wirespeed.measurement.registry import kinds, report_of
from wirespeed.measurement.reported import Remark, Shown
from wirespeed.pages.duts import dut_name
from wirespeed.report.remarks import remarks_on, remarks_on_devices
from wirespeed.results.channel import SUM
from wirespeed.results.dut_names import UNNAMED, DutNames
from wirespeed.results.figures import MEGA, Scaler
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Verdict


@dataclass(frozen=True)
class ReportedResults:
    """All that a report shows. `kinds` are the results in the order of kinds; `remarks` are warnings, one a cause;
    `explanations` say what limited each test, `verdicts` are by the names of results."""

    kinds: Mapping[str, tuple[MeasurementResult, ...]]
    remarks: tuple[Remark, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def results(self) -> tuple[MeasurementResult, ...]:
        """All results, in the order of kinds."""
        return tuple(one for some in self.kinds.values() for one in some)

    def shown(self, scaler: Scaler = MEGA, channels: frozenset[str] = frozenset()) -> Shown:
        """Settings of the report, for the results of each kind."""
        return Shown(
            verdicts=self.verdicts,
            scaler=scaler,
            bounds=tuple(one for kind, some in self.kinds.items() if report_of(kind).bounds_loads for one in some),
            colours=colours_by_name(dut_name(result) for result in self.results),
            channels=channels,
        )


def read_all(
    paths: Sequence[Path],
    threshold: float | None = None,
    *,
    line_bps: float | None = None,
    exclude_disturbed: bool | None = None,
    names: DutNames = UNNAMED,
) -> list[MeasurementResult]:
    """Read files of any kind, each under a name of its own, to be judged by the threshold of each unless another is
    given. `names` are for devices without one.

    FileFault where one cannot be read.
    """
    results = [names.named(read_file(path), path) for path in paths]
    named = [replace(result, name=name) for result, name in zip(results, distinct_names(paths), strict=True)]
    return [report_of(one.kind).judged_by(one, threshold, line_bps, exclude_disturbed) for one in named]


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


def compare(results: Sequence[MeasurementResult], inspections: Sequence[Inspection] = ()) -> ReportedResults:
    """Put results side by side by kind, make the verdict on each, and note what makes them hard to compare or to
    believe. `inspections` are of the machines that took part."""
    by_kind: dict[str, tuple[MeasurementResult, ...]] = {}
    for kind in kinds():
        if some := tuple(one for one in results if one.kind == kind):
            by_load = (one for group in group_by_load(some) for one in group.results)
            by_kind[kind] = tuple(by_load) if report_of(kind).leads else some
    every = [one for some in by_kind.values() for one in some]
    explanations = explained(every, inspections)
    return ReportedResults(
        by_kind,
        remarks=(*remarks_on(by_kind), *remarks_on_devices(every)),
        explanations=explanations,
        verdicts={one.name: one for one in verdicts_of(every, explanations)},
    )


def select_channels(results: Sequence[MeasurementResult], wanted: Sequence[str]) -> frozenset[str]:
    """Channel names from a user's words; UsageError for one that no test has.

    A word is a name such as `0-1`, `0→1` or `sum`, or a number as trex-loadtest-viz counts the channels of two ports:
    0 is 0→1, 1 is 1→0, 2 their sum. Nothing wanted selects every channel, the sums not among them: their load adds up
    to several lines. Other kinds of result than load tests have all their directions together.
    """
    present = dict.fromkeys(name for one in results for name in report_of(one.kind).channels(one))
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
