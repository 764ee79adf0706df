"""A DUT: its rate at each test and the changes, its power and price, and all its results. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.charts.chart import Chart
from wirespeed.results.subjects import Subject
from wirespeed.site.builds import changed
from wirespeed.site.drawing import spark, trend_chart
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure
from wirespeed.site.figures import answer, chosen, rank, telling, test_order
from wirespeed.site.home import price_of
from wirespeed.site.names import archive, hardware_page, raw_file
from wirespeed.site.parts import (
    DutHeadline,
    SiteCell,
    SiteTable,
    answer_of,
    counted,
    edition,
    newest_day,
    number,
    per_price_cell,
    per_watt_cell,
    rate_cell,
    share_cell,
    site_table,
    spark_cell,
    test_cell,
    test_name,
    text,
)
from wirespeed.site.review import Review, review
from wirespeed.site.trends import FEWEST, Trend, change, trends


@dataclass(frozen=True)
class LimitOfTest:
    """A test and what `explain` says limited it, with the result that it says it of."""

    test: str
    sentences: tuple[str, ...]
    page: str
    edition: str


@dataclass(frozen=True)
class LimitOfSeveral:
    """A sentence of `explain` that holds for several tests."""

    sentence: str
    tests: tuple[LimitOfTest, ...]


@dataclass(frozen=True)
class PowerOfTest:
    test: str
    line: str
    page: str
    edition: str


@dataclass(frozen=True)
class TrendOfTest:
    """`said` are the steps in words, `is_down` is true if the last one is judged to be worse."""

    chart: Chart
    test: str
    said: str
    is_down: bool


@dataclass(frozen=True)
class DutPage:
    name: str
    meta: tuple[str, ...]
    described: tuple[tuple[str, str], ...]
    answer: DutHeadline | None
    answer_title: str
    review: Review | None
    tests: SiteTable
    trends: tuple[TrendOfTest, ...]
    told: tuple[LimitOfTest, ...]
    told_of_several: tuple[LimitOfSeveral, ...]
    power: tuple[PowerOfTest, ...]
    results: SiteTable
    hardware: str
    texts: int
    archive: str


def dut_page(dut: str, entries: Sequence[SiteEntry], site: Catalogue) -> DutPage:
    """`entries` are those of the DUT, the newest first."""
    figures = telling(site.of(entries))
    over_time = trends(figures)
    price = price_of(entries)
    best, newest = answer(figures), _newest(figures)
    marked = [trend for trend in over_time.values() if len(trend.figures) >= FEWEST]
    has_files = [entry for entry in entries if not entry.fault]
    texts = sum(len(entry.told.texts) for entry in entries)
    limits, several = once(_told(entries))
    return DutPage(
        name=dut,
        meta=tuple(_meta(entries)),
        described=tuple((name, value) for name, value in described(entries).items() if value),
        answer=answer_of(best, entries, site),
        answer_title=_answer_title({figure.entry.test for figure in figures}),
        review=review(figures),
        tests=site_table(
            "By test", (_test_row(subject, newest[subject], figures, over_time, price) for subject in _ordered(newest))
        ),
        trends=tuple(_trends(marked, site.colours[dut])),
        told=limits,
        told_of_several=several,
        power=tuple(_power(entries)),
        results=_results(entries, site),
        hardware=hardware_page(dut) if texts or any(not entry.is_test for entry in entries) else "",
        texts=texts,
        archive=archive(dut) if has_files else "",
    )


def _answer_title(tests: Collection[object]) -> str:
    return f"The hardest of its {len(tests)} tests" if len(tests) > 1 else "Its only test"


def described(entries: Sequence[SiteEntry]) -> Mapping[str, str]:
    """The DUT's description in the testbed file of the newest result that has one."""
    return next((entry.told.description for entry in entries if entry.told.description), {})


def _meta(entries: Sequence[SiteEntry]) -> list[str]:
    versions = dict.fromkeys(entry.version for entry in entries if entry.version)
    cpus = dict.fromkeys(entry.cpu for entry in entries if entry.cpu)
    said = [counted(entries), newest_day(entries)]
    last = next(iter(versions), "")
    said += [f"{len(versions)} versions, last {last}" if len(versions) > 1 else f"version {last}"] if last else []
    return [*filter(None, said), *list(cpus)[:1]]


def _newest(figures: Sequence[SiteFigure]) -> dict[Subject, SiteFigure]:
    by_subject: dict[Subject, list[SiteFigure]] = {}
    for figure in figures:
        by_subject.setdefault(figure.subject, []).append(figure)
    return {subject: one for subject, some in by_subject.items() if (one := chosen(some)) is not None}


def _ordered(subjects: Mapping[Subject, SiteFigure]) -> list[Subject]:
    return sorted(subjects, key=lambda one: (test_order((one.load, one.directions)), one.kind, rank(one.figure)))


def _test_row(
    subject: Subject,
    newest: SiteFigure,
    figures: Sequence[SiteFigure],
    over_time: Mapping[Subject, Trend],
    price: tuple[str, str],
) -> dict[str, SiteCell]:
    mine = [one for one in figures if one.subject == subject]
    believed = [one for one in mine if not one.value.irregular] or mine
    highest = max(believed, key=lambda one: one.value.rate_pps)
    trend = over_time.get(subject)
    version_of_highest = highest.entry.version if highest.entry.version != newest.entry.version else ""
    return {
        "test": test_cell(newest.entry),
        "figure": text(newest.name),
        "Mpps, newest": rate_cell(newest),
        "of line rate": share_cell(newest),
        "limited by": text(newest.entry.limit),
        "version": text(newest.entry.version),
        "over time": spark_cell(None if trend is None else spark(trend)),
        "change": text(changed(mine)),
        "highest": rate_cell(highest, note=version_of_highest),
        "values": number(len(mine), str(len(mine))),
        "Mpps/W": per_watt_cell(newest),
        "for its price": per_price_cell(newest, *price),
    }


def _trends(found: Sequence[Trend], colour: str) -> Iterator[TrendOfTest]:
    """Trends with steps first: readers look for them."""
    for place, series in enumerate(sorted(found, key=lambda one: (-len(one.steps), one.subject))):
        figure, subject = series.figures[0], series.subject
        test = f"{figure.name} of {test_name(subject.load, subject.directions)}"
        chart = trend_chart(f"trend-{place}", f"{figure.entry.dut}: {test}", series, colour, "../")
        last, is_down = change(series.figures)
        yield TrendOfTest(chart, test, "; ".join(step.text for step in series.steps) or last, is_down)


def _told(entries: Sequence[SiteEntry]) -> list[LimitOfTest]:
    """The newest result of each test that has a figure."""
    limits: dict[tuple[str, str], LimitOfTest] = {}
    for entry in entries:
        if entry.is_test and entry.told.sentences and entry.test not in limits:
            said = tuple(dict.fromkeys(entry.told.sentences))
            limits[entry.test] = LimitOfTest(test_name(*entry.test), said, entry.page, edition(entry))
    return [limits[test] for test in sorted(limits, key=test_order)]


def once(limits: Sequence[LimitOfTest]) -> tuple[tuple[LimitOfTest, ...], tuple[LimitOfSeveral, ...]]:
    """Remarks on one test with its name, and remarks on several tests with these."""
    by_sentence: dict[str, list[LimitOfTest]] = {}
    for one in limits:
        for sentence in one.sentences:
            by_sentence.setdefault(sentence, []).append(one)
    apart = (
        replace(one, sentences=tuple(said for said in one.sentences if len(by_sentence[said]) == 1)) for one in limits
    )
    several = tuple(LimitOfSeveral(said, tuple(some)) for said, some in by_sentence.items() if len(some) > 1)
    return tuple(one for one in apart if one.sentences), several


def _power(entries: Sequence[SiteEntry]) -> list[PowerOfTest]:
    powers: dict[tuple[str, str], PowerOfTest] = {}
    for entry in entries:
        if entry.told.power and entry.test not in powers:
            powers[entry.test] = PowerOfTest(test_name(*entry.test), entry.told.power, entry.page, edition(entry))
    return [powers[test] for test in sorted(powers, key=test_order)]


def _results(entries: Sequence[SiteEntry], found: Catalogue) -> SiteTable:
    rows = (_result_row(entry, chosen(found.figures.get(entry.digest, ()))) for entry in entries)
    return site_table("Results", rows)


def _result_row(entry: SiteEntry, figure: SiteFigure | None) -> dict[str, SiteCell]:
    file = text("missing", why=entry.fault) if entry.fault else text("JSON", raw_file(entry.digest, entry.title))
    return {
        "result": text(entry.title, entry.page),
        "kind": text(entry.kind if entry.status in ("", "complete") else f"{entry.kind}, {entry.status}"),
        "test": test_cell(entry) if entry.is_test else text(""),
        "version": text(entry.version),
        "Mpps": rate_cell(figure, entry=entry),
        "limited by": text(entry.limit),
        "started": text(entry.started[:16].replace("T", " ")),
        "file": file,
    }
