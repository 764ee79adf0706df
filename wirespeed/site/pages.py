"""The pages about several results, each with its inputs, so that only changed pages are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wirespeed.charts.page_json import to_page
from wirespeed.results.inspection import Inspection
from wirespeed.site import names
from wirespeed.site.across import matrix, test_page
from wirespeed.site.dut import dut_page
from wirespeed.site.entries import Catalogue, SiteEntry
from wirespeed.site.figures import of_mega
from wirespeed.site.hardware import hardware
from wirespeed.site.home import FIRST_ROWS, ROW_FIELDS, duts_page, home, price_of, rows
from wirespeed.site.manifest import source_of
from wirespeed.site.templates import page

_COLUMNS = (
    ("result", "title", False),
    ("Mpps", "rate", True),
    ("limited by", "limit", False),
    ("DUT", "dut", False),
    ("test", "test", False),
    ("version", "version", False),
    ("figure", "figure", False),
    ("Mpps/W", "per_watt", True),
    ("started", "date", False),
)
"""Columns of the table of all results: heading, field, whether it has figures."""

Inspections = Callable[[Sequence[SiteEntry]], Mapping[str, Inspection]]
"""Reads those among the entries."""


@dataclass(frozen=True)
class SitePage:
    """`source` says what `render` makes it from."""

    path: str
    source: str
    render: Callable[[], str]


def pages(site: Catalogue, title: str, inspections: Inspections) -> Iterator[SitePage]:
    duts = site.duts
    of_all = source_of(title, site.entries, _figures(site, site.entries))
    yield SitePage("index.html", of_all, partial(_home, site, title))
    yield SitePage("results.js", of_all, partial(_script, site))
    yield SitePage(names.DUTS_PAGE, of_all, partial(_duts, site, title))
    yield SitePage("comparison.html", of_all, partial(_matrix, site, title))
    for dut, entries in duts.items():
        source = source_of(entries, _figures(site, entries), site.colours[dut])
        yield SitePage(names.dut_page(dut), source, partial(_dut, dut, entries, site))
        if any(entry.told.texts or not entry.is_test for entry in entries):
            yield SitePage(names.hardware_page(dut), source, partial(_hardware, dut, entries, inspections))
    for test, entries in site.tests.items():
        beside = [(price_of(duts[dut]), site.colours[dut]) for dut in dict.fromkeys(entry.dut for entry in entries)]
        source = source_of(entries, _figures(site, entries), beside)
        yield SitePage(names.test_page(*test), source, partial(_test, test, entries, site))


def _figures(found: Catalogue, entries: Sequence[SiteEntry]) -> list[object]:
    return [(figure.name, figure.value, figure.per_watt) for figure in found.of(entries)]


def _home(found: Catalogue, title: str) -> str:
    view = home(found, title)
    first = [_plain(row) for row in view.rows[:FIRST_ROWS]]
    columns = [column for column in _COLUMNS if column[1] == "title" or view.values(column[1])]
    return page("home.html", "", view=view, columns=columns, first=first)


def _plain(row: Sequence[str]) -> dict[str, str]:
    """A row as the script shows it: rates in Mpps, with their marks."""
    fields = dict(zip(ROW_FIELDS, row, strict=True))
    before, after = fields["at_least"], fields["mark"]
    rates = {name: fields[name] and f"{before}{of_mega(float(fields[name]))} {after}" for name in ("rate", "per_watt")}
    if not fields["rate"] and after:
        rates["rate"] = f"{before} {after}"
    return fields | rates


def _script(found: Catalogue) -> str:
    """A script and no JSON: of a file a page may run the one, and not read the other."""
    fields = json.dumps(ROW_FIELDS)
    listed = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows(found))
    return f"window.wirespeedFields = {fields};\nwindow.wirespeedResults = [\n{listed}\n];\n"


def _duts(found: Catalogue, title: str) -> str:
    return page("duts.html", "", view=duts_page(found, f"DUTs of {title}"))


def _matrix(found: Catalogue, title: str) -> str:
    return page("matrix.html", "", view=matrix(found, f"DUTs by tests, {title}"))


def _dut(dut: str, entries: Sequence[SiteEntry], found: Catalogue) -> str:
    view = dut_page(dut, entries, found)
    return page("dut.html", "../", view=view, figures={one.chart.identity: to_page(one.chart) for one in view.trends})


def _hardware(dut: str, entries: Sequence[SiteEntry], inspections: Inspections) -> str:
    trail = [(dut, names.dut_page(dut))]
    return page("hardware.html", "../", view=hardware(dut, entries, inspections(entries)), trail=trail)


def _test(test: tuple[str, str], entries: Sequence[SiteEntry], found: Catalogue) -> str:
    return page("across.html", "../", view=test_page(test, entries, found))
