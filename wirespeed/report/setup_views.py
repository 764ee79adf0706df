"""How the results were made, by kind, since their settings are not the same."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.report.comparison import Comparison
from wirespeed.report.configuration import Configuration, configuration
from wirespeed.report.other_remarks import ending_text
from wirespeed.report.remarks import ending
from wirespeed.results.measurement import MeasurementResult


@dataclass(frozen=True)
class Ran:
    """A test as it was run; `differing` goes with `Configuration.apart`, `size` is how many samples or trials."""

    name: str
    differing: tuple[str, ...]
    size: int
    ending: str


@dataclass(frozen=True)
class KindOfTest:
    """The configuration of all results of one kind; `sized` is what their size is counted in."""

    heading: str
    sized: str
    found: Configuration
    tests: tuple[Ran, ...]


def kinds_of(comparison: Comparison) -> tuple[KindOfTest, ...]:
    """A heading says which kind where there are several."""
    tests = comparison.tests
    found: list[tuple[str, str, list[tuple[MeasurementResult, int, str]]]] = [
        ("load tests", "samples", [(test.result, len(test.result.samples), ending(test)) for test in tests]),
        ("searches", "trials", [(one, len(one.trials), ending_text(one.ending)) for one in comparison.searches]),
        ("RFC 2544", "trials", [(one, len(one.trials), ending_text(one.ending)) for one in comparison.suites]),
        ("soaks", "events", [(one, len(one.events), ending_text(one.ending)) for one in comparison.soaks]),
    ]
    kinds, several = [], sum(bool(results) for _, _, results in found) > 1
    for name, sized, results in found:
        if not results:
            continue
        settings = configuration([result for result, _, _ in results])
        rows = zip(results, settings.rows, strict=True)
        ran = tuple(Ran(result.name, differing, size, how) for (result, size, how), differing in rows)
        heading = f"Configuration: {name}" if several else "Configuration"
        kinds.append(KindOfTest(heading, sized, settings, ran))
    return tuple(kinds)
