"""Material of an article: the newest result of each test of a DUT, and the files that belong to them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.article.pictures import Picture
from wirespeed.report.comparison import ReportedResults, compare
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Verdict
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure
from wirespeed.site.figures import chosen, hardness


@dataclass(frozen=True)
class Expected:
    """A test that reviews have: the row of their table. `settings` are those of the profile."""

    label: str
    profile: str
    settings: Mapping[str, str]
    directions: int

    @property
    def settings_text(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.settings.items())

    def is_in(self, entry: SiteEntry) -> bool:
        profile, _, settings = entry.load.partition(" ")
        told = {name: value for name, _, value in (one.partition("=") for one in settings.split(",") if one)}
        return (profile, told, entry.directions.count("→")) == (self.profile, dict(self.settings), self.directions)


@dataclass(frozen=True)
class Material:
    """`results` are by digest; `left_out` is how many older results of the same tests there are, `against` the same of
    another DUT."""

    dut: str
    entries: tuple[SiteEntry, ...]
    results: Mapping[str, MeasurementResult]
    inspections: tuple[Inspection, ...]
    figures: tuple[SiteFigure, ...]
    left_out: int
    lost: int
    expected: tuple[Expected, ...] = ()
    against: Material | None = None
    pictures: tuple[Picture, ...] = ()

    @property
    def tests(self) -> tuple[MeasurementResult, ...]:
        return tuple(self.results.values())

    @property
    def comparison(self) -> ReportedResults:
        """The comparison of both DUTs, if there are two."""
        return compare([*self.tests, *(self.against.tests if self.against else ())])

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on the results of the DUT itself, in their order."""
        found = self.comparison.verdicts
        return tuple(found[one.name] for one in self.tests)

    @property
    def best(self) -> dict[tuple[str, str], SiteFigure]:
        """The figure that says most of each test, the hardest test first."""
        by_test: dict[tuple[str, str], list[SiteFigure]] = {}
        for figure in self.figures:
            by_test.setdefault(figure.entry.test, []).append(figure)
        found = {test: one for test, some in by_test.items() if (one := chosen(some)) is not None}
        return dict(sorted(found.items(), key=lambda row: hardness(row[1]), reverse=True))

    @property
    def unmeasured(self) -> tuple[Expected, ...]:
        return tuple(one for one in self.expected if not any(one.is_in(entry) for entry in self.entries))


def newest(entries: Sequence[SiteEntry]) -> tuple[SiteEntry, ...]:
    """The newest completed entry of each test and kind, otherwise the newest; in the order of the tests."""
    by_test: dict[tuple[str, str, str], SiteEntry] = {}
    for entry in sorted(entries, key=lambda one: (one.status == "complete", one.started)):
        if entry.is_test:
            by_test[(entry.load, entry.directions, entry.kind)] = entry
    return tuple(by_test[key] for key in sorted(by_test))


def figures_of(found: Catalogue, entries: Sequence[SiteEntry]) -> tuple[SiteFigure, ...]:
    return tuple(found.of(entries))
