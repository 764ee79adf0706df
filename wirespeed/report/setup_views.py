"""Settings of the results, by kind."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.measurement.registry import report_of
from wirespeed.report.comparison import ReportedResults
from wirespeed.report.configuration import Configuration, configuration


@dataclass(frozen=True)
class RunSetup:
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
    tests: tuple[RunSetup, ...]


def kinds_of(comparison: ReportedResults) -> tuple[KindOfTest, ...]:
    """A heading says which kind where there are several."""
    kinds = []
    for kind, results in comparison.kinds.items():
        shown, settings = report_of(kind), configuration(results)
        ran = tuple(
            RunSetup(result.name, differing, shown.size(result), result.ending.text)
            for result, differing in zip(results, settings.rows, strict=True)
        )
        heading = f"Configuration: {shown.title}" if len(comparison.kinds) > 1 else "Configuration"
        kinds.append(KindOfTest(heading, shown.sized, settings, ran))
    return tuple(kinds)
