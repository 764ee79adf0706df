"""The chapters of figures: summary, results, the other box, power, pictures. Pure."""

from __future__ import annotations

from wirespeed.article.material import Material
from wirespeed.article.words import chapter, gap, listed, said, table
from wirespeed.compare.comparison import compare
from wirespeed.compare.sides import facing, side_of
from wirespeed.compare.text import markdown
from wirespeed.report.matrix import matrix
from wirespeed.report.matrix_text import matrix_to_markdown
from wirespeed.report.power import power_to_markdown
from wirespeed.results.figures import MEGA
from wirespeed.results.power import power_line
from wirespeed.site.entries import Figure
from wirespeed.site.figures import mega, per_watt, rate_of, trust
from wirespeed.site.home import price_of
from wirespeed.site.parts import test_name
from wirespeed.site.worth import parse_price, per_price_text

WITHIN, CONFIDENCE = 0.01, 0.95
_BENCH = "`description:` of the bench file says it."


def summary(found: Material) -> str:
    """What holds, in one sentence and one table; and what of it does not."""
    holding = [one for one in found.best.values() if not one.value.irregular]
    if not holding:
        return chapter("Summary", gap("no test found a rate that holds."))
    first = holding[0]
    mark = trust(first)
    opening = (
        f"{said(found.box)} forwards **{said(rate_of(first))}** of {said(test_name(*first.entry.test))}: {first.name}, "
        f"{mark.word}. {_limited(first)}\n"
    )
    rows = [_row(one) for one in found.best.values()]
    legend = dict.fromkeys((trust(one).shape, trust(one).word) for one in found.best.values())
    return chapter(
        "Summary",
        opening,
        table(("Test", "Figure", "Mpps", "", "Mpps/W", "Limited by", "Version"), rows, (2, 4)),
        ", ".join(f"{shape} {word}" for shape, word in legend) + "; rates are of all directions together.\n",
        _worth(found, first),
        gap("what it was like to work with the box, and whether you would buy it again."),
    )


def _limited(figure: Figure) -> str:
    sentences = figure.entry.told.sentences
    if not sentences:
        return ""
    text = said(sentences[0]).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _row(figure: Figure) -> tuple[str, ...]:
    entry = figure.entry
    watt = per_watt(figure) or "–"
    shape = trust(figure).shape
    name = test_name(*entry.test)
    return name, figure.name, mega(figure), shape, watt, entry.limited_by or "–", entry.version or "–"


def _worth(found: Material, first: Figure) -> str:
    price, date = price_of(found.entries)
    known = parse_price(price)
    if known is None:
        told = f" ({said(price)} has no number and unit)" if price else ""
        return gap(f"the price of the box and its date{told}.", _BENCH)
    day = f" ({said(date)})" if date else ""
    line = f"At {said(price)}{day} that is {per_price_text(first.value.rate_pps, known)}.\n"
    return line if date else line + "\n" + gap("the date of that price.", _BENCH)


def results(found: Material) -> str:
    """The matrix of loads, boxes and directions, and which of the usual tests are not in it."""
    missing = [
        f"{one.label}, {'both directions' if one.directions > 1 else 'one direction'} "
        f"(`-p {one.profile} -t {','.join(f'{name}={value}' for name, value in one.settings.items())}`)"
        for one in found.unmeasured
    ]
    told = f"{found.left_out} older results of the same tests are in the corpus.\n" if found.left_out else ""
    shown = matrix_to_markdown(matrix(found.comparison), MEGA) if found.tests else gap("no test was run.")
    return chapter(
        "Results",
        "In each cell the highest load forwarded with no more loss than the threshold, or what a search found.\n",
        shown,
        told,
        gap("tests that reviews have and this one has not:") + "\n" + listed(missing) if missing else "",
    )


def other_box(found: Material) -> str:
    """Verdicts, not two numbers side by side."""
    if found.against is None:
        return ""
    other = found.against
    a, b = facing(side_of(other.box, other.tests), side_of(found.box, found.tests))
    alone = len(a.keys() ^ b.keys())
    both = compare({one: a[one] for one in a if one in b}, {one: b[one] for one in b if one in a}, WITHIN, CONFIDENCE)
    return chapter(
        f"Against {said(other.box)}",
        f"A is {said(other.box)}, B is {said(found.box)}; the newest result of each test alone, so most verdicts need "
        "repeats.\n",
        markdown(both, WITHIN) if both.rows else "",
        gap(f"{alone} figures that only one of the two has.") if alone else "",
    )


def power(found: Material) -> str:
    lines = [said(f"{one.name}: {line}") for one in found.tests if (line := power_line(one))]
    if not lines:
        return chapter("Power", gap("power was not measured.", "`--power METER` does, or `power:` of the bench file."))
    return chapter("Power", power_to_markdown(found.comparison, MEGA), listed(lines))


def pictures(found: Material) -> str:
    photos = gap("photos of the box.")
    if found.pictures:
        shown = [f"![{said(one.sentence)}](<{one.link}>)\n" for one in found.pictures]
        return chapter("Pictures", *shown, photos)
    return chapter(
        "Pictures", gap("charts of load and loss.", "`wirespeed corpus article --images DIR` draws them."), photos
    )
