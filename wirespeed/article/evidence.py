"""The chapters of evidence: hardware, method, what limits, texts, optics, caveats, commands. Pure."""

from __future__ import annotations

from wirespeed.article.material import Material
from wirespeed.article.words import block, chapter, gap, listed, said, table
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.files import cases_of_results
from wirespeed.explain.text import as_markdown
from wirespeed.report.configuration import SETTINGS, VERSIONS, configuration
from wirespeed.results.command import command_of
from wirespeed.results.figures import NOTHING
from wirespeed.results.inspection import Part
from wirespeed.site.box import described

_OPTICS = "Modules"
_INSPECT = "`wirespeed host show -o box.json` on the box and `wirespeed corpus add box.json` bring them."
_SHOWN = ("runtime", "run", "errors", "err", "hardware-interfaces", "hardware", "softnet", "ethtool", "netstat -i")
_MOST_LINES = 80
_PLACES = "topology places"
"""Which CPU sits where says little to a reader."""


def hardware(found: Material) -> str:
    told = [(name, value) for name, value in described(found.entries).items() if value]
    parts = [part for one in found.inspections for part in one.parts if part.title != _OPTICS]
    marks = [said(f"{mark.subject}: {mark.text}") for one in found.inspections for mark in one.marks]
    return chapter(
        "Hardware",
        table(("What", "Is"), told) if told else gap("what the box is.", "`description:` of the bench file says it."),
        *(_part(part) for part in parts),
        "What is off:\n\n" + listed(marks) if marks else "",
        "" if parts else gap("CPU, caches, memory, NICs and their PCIe links.", _INSPECT),
        gap("how it looks and feels, its ports, its case, its noise."),
    )


def _part(part: Part) -> str:
    return f"### {said(part.title)}\n\n{table(part.headings, part.rows)}"


def optics(found: Material) -> str:
    parts = [part for one in found.inspections for part in one.parts if part.title == _OPTICS and part.rows]
    if not parts:
        return chapter("Optics", gap("modules were not read.", _INSPECT))
    return chapter("Optics", *(_part(part) for part in parts))


def method(found: Material) -> str:
    """What all tests had alike, and in what they differed."""
    if not found.tests:
        return chapter("Method", gap("no test was run."))
    sides = configuration(found.tests)
    shared = [
        (name, key, value)
        for name, pairs in sides.shared
        for key, value in pairs
        if value != NOTHING and not key.startswith(_PLACES)
    ]
    differing = ", ".join(said(key.heading) for key in sides.apart if key.section in (SETTINGS, VERSIONS))
    return chapter(
        "Method",
        "What loss is and which figure says what is told in wirespeed's `docs/measurement.md`. All tests had:\n",
        table(("", "Setting", "Value"), shared),
        f"They differed in {differing}; the appendix has their commands.\n" if differing else "",
        gap("how the box was installed and cabled."),
    )


def limits(found: Material) -> str:
    explained = [explain(case) for case in cases_of_results(found.tests, found.inspections)]
    if not found.verdicts:
        return chapter("What limits it", gap("no test was run."))
    lines = [f"{said(one.name)}: {said(one.lines[1])}" for one in found.verdicts]
    hardest = next(iter(found.best.values()), None)
    name = None if hardest is None else found.results[hardest.entry.digest].name
    case = [one for one in explained if one.case.load.name.startswith(name or "\0")][:1]
    return chapter(
        "What limits it",
        listed(lines),
        "The evidence for the hardest test:\n" if case else "",
        *(_quoted(as_markdown([one])) for one in case),
    )


def _quoted(text: str) -> str:
    """What `explain` writes, a heading lower; its texts come from results, and act on nothing there either."""
    return "\n".join(line.replace("<", r"\<") for line in text.splitlines()) + "\n"


def texts(found: Material) -> str:
    """What the device printed at the hardest test: what an article argues with; the rest by its name."""
    for figure in found.best.values():
        carried = found.results[figure.entry.digest].dut.get("texts")
        if not isinstance(carried, dict) or not carried:
            continue
        parts = [
            f"`{said(str(name))}`:\n\n{_cut(str(text))}"
            for name, text in carried.items()
            if str(name).split("/")[-1].removeprefix("show ").removesuffix("_stat") in _SHOWN and str(text).strip()
        ]
        rest = ", ".join(f"`{said(str(name))}`" for name in carried)
        name = said(found.results[figure.entry.digest].name)
        return chapter("What the device says", f"At {name}:\n", *parts, f"Its result carries {rest}.\n")
    return chapter("What the device says", gap("no test kept what the device prints.", "`--dut SPEC` does."))


def _cut(text: str) -> str:
    lines = text.strip("\n").splitlines()
    more = [f"… {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
    return block([*lines[:_MOST_LINES], *more])


def caveats(found: Material) -> str:
    lines = []
    for remark in found.comparison.remarks:
        named = f" ({'; '.join(map(said, remark.tests[:6]))}{'; …' if len(remark.tests) > 6 else ''})"
        lines.append(f"{said(remark.sentence)}{named if remark.tests else ''}")
    lines += [said(f"{one.name}: {note}") for one in found.tests for note in one.ending.notes]
    lines += [said(line) for one in found.inspections for line in one.missing]
    if found.lost:
        lines.append(f"{found.lost} results of the box have no whole file in the corpus and are left out.")
    return chapter("Caveats", listed(lines) if lines else "The results carry none.\n")


def commands(found: Material) -> str:
    if not found.tests:
        return chapter("Appendix: commands", gap("no test was run."))
    listings = configuration(found.tests).listings
    given = [
        f"{said(one.key.heading)}, of {len(one.tests)} {'test' if len(one.tests) == 1 else 'tests'}:\n\n"
        f"{block(one.lines)}"
        for one in listings
    ]
    return chapter(
        "Appendix: commands",
        block([command_of(one) for one in found.tests], "sh"),
        *given,
        "" if given else gap("the commands that the device was given."),
    )
