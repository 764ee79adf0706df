"""Content of the article's template: figures, tables and texts, each in the form of its chapter. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from wirespeed.article.material import Material
from wirespeed.article.words import block, gap, marked, said, table
from wirespeed.compare.comparison import compare
from wirespeed.compare.sides import facing, side_of
from wirespeed.compare.text import markdown
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.files import cases_of_results
from wirespeed.explain.text import as_markdown
from wirespeed.measurement.rerun import command_of
from wirespeed.pages.templates import text_of
from wirespeed.report.configuration import SETTINGS, VERSIONS, Listing, configuration
from wirespeed.report.matrix import matrix
from wirespeed.report.matrix_text import matrix_to_markdown
from wirespeed.report.power import power_grid
from wirespeed.results.figures import MEGA, NOTHING
from wirespeed.results.inspection import InspectionTable, Remarked
from wirespeed.results.power import power_line
from wirespeed.site.dut import described
from wirespeed.site.entries import SiteFigure
from wirespeed.site.figures import mega, per_watt, rate_of, trust
from wirespeed.site.home import price_of
from wirespeed.site.parts import test_name
from wirespeed.site.worth import parse_price, per_price_text

WITHIN, CONFIDENCE = 0.01, 0.95
_SHOWN = ("runtime", "run", "errors", "err", "hardware-interfaces", "hardware", "softnet", "ethtool", "netstat -i")
_MOST_LINES = 80
_PLACES = "topology places"
"""The place of each CPU, which tells a reader little."""


def written(material: Material, title: str) -> str:
    """The article: every value is one line of prose in which nothing acts, unless it is markdown already (Markup)."""
    return (
        _environment()
        .from_string(text_of("wirespeed.article", "templates/article.md"))
        .render(found=material, title=title)
    )


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=False,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else said(str(value)) if value is not None else "",
        trim_blocks=True,
        lstrip_blocks=True,
    )
    functions = (
        *(
            against_other,
            block,
            caveats,
            described,
            device_texts,
            explained_hardest,
            gap,
            legend,
            limited,
            listings,
            marks_of,
        ),
        *(parse_price, parts_of, per_price_text, power_lines, power_table, price_of, rate_of, results_matrix, said),
        *(settings_apart, shared_settings, table, test_name, trust),
    )
    made.globals |= {one.__name__: one for one in functions}
    made.globals |= {
        "OPTICS": "Modules",
        "BENCH": "`description:` of the testbed file has it.",
        "INSPECT": "`wirespeed host show -o dut.json` on the DUT and `wirespeed results add dut.json` bring them.",
    }
    made.filters |= {"command_of": command_of, "figure_row": figure_row}
    return made


def limited(figure: SiteFigure) -> str:
    """The limit of the test, in one sentence; empty if it is not known."""
    sentences = figure.entry.told.sentences
    text = sentences[0].rstrip(".") if sentences else ""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def figure_row(figure: SiteFigure) -> tuple[str, ...]:
    entry = figure.entry
    rate = figure.name, mega(figure), trust(figure).shape, per_watt(figure) or NOTHING
    return test_name(*entry.test), *rate, entry.limited_by or NOTHING, entry.version or NOTHING


def legend(figures: Iterable[SiteFigure]) -> str:
    """The shapes that mark figures, and what each means."""
    return ", ".join(dict.fromkeys(f"{trust(one).shape} {trust(one).word}" for one in figures))


def results_matrix(found: Material) -> Markup:
    """The matrix of loads, DUTs and directions."""
    return marked(matrix_to_markdown(matrix(found.comparison), MEGA))


def against_other(material: Material) -> tuple[Markup, int]:
    """Verdicts on the figures that both DUTs have, and how many only one has."""
    assert material.against is not None
    other = material.against
    a, b = facing(side_of(other.dut, other.tests), side_of(material.dut, material.tests))
    both = compare({one: a[one] for one in a if one in b}, {one: b[one] for one in b if one in a}, WITHIN, CONFIDENCE)
    return marked(markdown(both, WITHIN) if both.rows else ""), len(a.keys() ^ b.keys())


def power_lines(found: Material) -> list[str]:
    return [f"{one.name}: {line}" for one in found.tests if (line := power_line(one))]


def power_table(found: Material) -> Markup:
    return marked(power_grid(found.comparison, MEGA).markdown)


def parts_of(found: Material) -> list[InspectionTable]:
    return [part for one in found.inspections for part in one.parts]


def marks_of(found: Material) -> list[Remarked]:
    return [mark for one in found.inspections for mark in one.marks]


def shared_settings(material: Material) -> list[tuple[str, str, str]]:
    """Settings that all tests have in common."""
    return [
        (name, key, value)
        for name, pairs in configuration(material.tests).shared
        for key, value in pairs
        if value != NOTHING and not key.startswith(_PLACES)
    ]


def settings_apart(found: Material) -> str:
    apart = configuration(found.tests).apart
    return ", ".join(key.heading for key in apart if key.section in (SETTINGS, VERSIONS))


def listings(found: Material) -> tuple[Listing, ...]:
    return tuple(configuration(found.tests).listings)


def explained_hardest(material: Material) -> Markup:
    """Text of `explain` about the hardest test, with headings one level lower. Its texts come from results, and have no
    effect."""
    hardest = next(iter(material.best.values()), None)
    if hardest is None:
        return Markup()
    name = material.results[hardest.entry.digest].name
    explained = map(explain, cases_of_results(material.tests, material.inspections))
    case = [one for one in explained if one.case.load.name.startswith(name)][:1]
    return marked(as_markdown(case).replace("<", r"\<") if case else "")


def device_texts(material: Material) -> tuple[str, list[tuple[str, list[str]]], list[str]]:
    """The test, the texts that an article argues with, and the names of all that the device printed at the hardest
    test that kept any."""
    for figure in material.best.values():
        result = material.results[figure.entry.digest]
        if texts := result.dut.texts:
            shown = [
                (name, list(_cut(text)))
                for name, text in texts.items()
                if name.split("/")[-1].removeprefix("show ").removesuffix("_stat") in _SHOWN and text.strip()
            ]
            return result.name, shown, list(texts)
    return "", [], []


def _cut(text: str) -> Iterator[str]:
    lines = text.strip("\n").splitlines()
    more = [f"… {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return chain(lines[:_MOST_LINES], more)


def caveats(material: Material) -> Iterator[Any]:
    for remark in material.comparison.remarks:
        named = "; ".join(remark.tests[:6]) + ("; …" if len(remark.tests) > 6 else "")
        yield f"{remark.sentence} ({named})" if remark.tests else remark.sentence
    yield from (f"{one.name}: {note}" for one in material.tests for note in one.ending.notes)
    yield from (line for one in material.inspections for line in one.missing)
    if material.lost:
        yield f"{material.lost} results of the DUT have no whole file in the archive and are left out."
