"""A result on the pages: its data from the index and from its file. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from wirespeed.charts.colours import colours_by_name
from wirespeed.explain.verdicts import limited_by
from wirespeed.results import verdict as results
from wirespeed.results.subjects import OF_FIGURE, UNNAMED, Subject, Value
from wirespeed.results.verdict import LIMIT_WORDS
from wirespeed.site.names import result_page

_SHARED = (
    *("digest", "kind", "title", "cpu", "load", "directions"),
    *("started", "status", "limited_by", "watts", "is_missing"),
)
"""Columns of the index that an entry has under the same names."""


@dataclass(frozen=True)
class ResultDetails:
    """Details of a result that its file has and the index does not. `sentences` are the verdict: what limited it, its
    figures, and what to do next; `device` are the commands that the DUT was given; `texts` are (what printed it, its
    file in the site); `description` is that of the DUT in the testbed file. `fault` says why there is no file."""

    command: str = ""
    device: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    description: Mapping[str, str] = field(default_factory=dict)
    power: str = ""
    texts: tuple[tuple[str, str], ...] = ()
    fault: str = ""
    shown: tuple[str, ...] = ()
    """The figure that stands for the result, as any list of results has it: in a column of Mpps, its rate and unit in
    large type, its name, and shape, word and reason of its mark; empty of an inspection."""


@dataclass(frozen=True)
class SiteFigure:
    """A rate that was found in `entry`, of all directions together."""

    entry: SiteEntry
    name: str
    value: Value
    per_watt: float | None

    @property
    def watts(self) -> float | None:
        """Power of the DUT at about that rate; None without a reading there."""
        return None if not self.per_watt else self.value.rate_pps / self.per_watt

    @property
    def told(self) -> results.Figure:
        """The figure as the verdict prints it."""
        lines = max(1, self.entry.directions.count("→"))
        common = {name: getattr(self.value, name) for name in OF_FIGURE}
        return results.Figure(self.name, lines=lines, why=self.value.irregular, **common)

    @property
    def subject(self) -> Subject:
        return Subject(self.entry.kind, self.entry.load, self.entry.directions, self.name)


@dataclass(frozen=True)
class SiteEntry:
    """`version` is the build where one was given, else what the DUT says of itself."""

    digest: str
    kind: str
    title: str
    dut: str
    version: str
    cpu: str
    load: str
    directions: str
    started: str
    status: str
    limited_by: str
    watts: float | None
    is_missing: bool
    told: ResultDetails = ResultDetails()

    @property
    def test(self) -> tuple[str, str]:
        """Load and directions, by any kind of measurement."""
        return self.load, self.directions

    @property
    def limit(self) -> str:
        """`line`, `DUT: worker`: what limited it, in the words of reports."""
        if self.limited_by in LIMIT_WORDS:
            return LIMIT_WORDS[self.limited_by]
        by = limited_by(self.limited_by)
        return self.limited_by and (f"DUT: {self.limited_by}" if by == "dut" else LIMIT_WORDS[by])

    @property
    def fault(self) -> str:
        """Why it has no page and no file; empty where it has."""
        return self.told.fault or ("its file is missing" if self.is_missing else "")

    @property
    def page(self) -> str:
        return "" if self.fault else result_page(self.digest)

    @property
    def is_test(self) -> bool:
        return self.kind != "inspect"


@dataclass(frozen=True)
class Catalogue:
    """All results, the newest first, and their figures by digest."""

    entries: tuple[SiteEntry, ...]
    figures: Mapping[str, tuple[SiteFigure, ...]]

    def of(self, entries: Iterable[SiteEntry]) -> list[SiteFigure]:
        return [figure for entry in entries for figure in self.figures.get(entry.digest, ())]

    @cached_property
    def duts(self) -> dict[str, tuple[SiteEntry, ...]]:
        """By name: the one measured last first, of one day by name, what has no name last. Inspections are no
        measurement."""
        by_dut: dict[str, list[SiteEntry]] = {}
        for entry in self.entries:
            by_dut.setdefault(entry.dut, []).append(entry)
        days = {dut: max((one.started[:10] for one in some if one.is_test), default="") for dut, some in by_dut.items()}
        newest_first = sorted(sorted(by_dut), key=days.__getitem__, reverse=True)
        return {dut: tuple(by_dut[dut]) for dut in sorted(newest_first, key=is_unnamed)}

    @cached_property
    def colours(self) -> dict[str, str]:
        """Colours of the DUTs, as in reports."""
        return colours_by_name(self.duts)

    @cached_property
    def tests(self) -> dict[tuple[str, str], tuple[SiteEntry, ...]]:
        by_test: dict[tuple[str, str], list[SiteEntry]] = {}
        for entry in self.entries:
            if entry.is_test:
                by_test.setdefault(entry.test, []).append(entry)
        return {test: tuple(entries) for test, entries in by_test.items()}


def is_unnamed(dut: str) -> bool:
    return dut == UNNAMED


def catalogue(
    rows: Sequence[Mapping[str, Any]], figures: Sequence[Mapping[str, Any]], details: Mapping[str, ResultDetails]
) -> Catalogue:
    """From rows of the index, in their order. Figures of results that are not among `rows` came while these were asked
    for, and wait for the next site."""
    entries = {row["digest"]: _entry(row, details.get(row["digest"], ResultDetails())) for row in rows}
    by_digest: dict[str, list[SiteFigure]] = {}
    for row in figures:
        if entry := entries.get(row["digest"]):
            value = Value(**{one.name: row[one.name] for one in fields(Value)})
            by_digest.setdefault(entry.digest, []).append(SiteFigure(entry, row["figure"], value, row["per_watt"]))
    return Catalogue(tuple(entries.values()), {digest: tuple(some) for digest, some in by_digest.items()})


def _entry(row: Mapping[str, Any], told: ResultDetails) -> SiteEntry:
    version = row["build"] or row["version"].removeprefix(f"{row['dut']} ").partition(" (")[0]
    entry = SiteEntry(**{name: row[name] for name in _SHARED}, dut=row["dut"], version=version, told=told)
    return replace(entry, title=entry.title or entry.digest[:12])
