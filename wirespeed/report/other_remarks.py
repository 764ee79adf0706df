"""What to beware of in results that are not load tests: irregular figures, trials that do not count, early ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirespeed.measurement.rfc2544.result import APPLICABILITY, Rfc2544Result
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.pages.words import count, some
from wirespeed.report.remarks import Remark
from wirespeed.results.ending import COMPLETE, Ending
from wirespeed.results.measurement import MeasurementResult
from wirespeed.validation.proved import caution


def remarks_on_others(
    searches: Sequence[SearchResult], suites: Sequence[Rfc2544Result], soaks: Sequence[SoakResult]
) -> tuple[Remark, ...]:
    """All that qualifies their figures, what weighs most first."""
    results: list[SearchResult | Rfc2544Result | SoakResult] = [*searches, *suites, *soaks]
    endings = [(one.name, one.ending) for one in results]
    found = (
        _irregular_goals(searches),
        _irregular_rows(suites),
        _incomplete(endings),
        _gaps(soaks),
        _set_aside(searches),
        _notes(endings),
    )
    return tuple(remark for remark in found if remark)


def remarks_on_devices(results: Sequence[MeasurementResult]) -> Iterator[Remark]:
    """Devices of kinds that were tried on recorded texts only, one a kind."""
    for kind in dict.fromkeys(str(one.dut.get("kind") or "") for one in results):
        if said := caution(kind):
            names = tuple(one.name for one in results if one.dut.get("kind") == kind)
            yield Remark("recorded-only", f"{said}.", names)


def ending_text(ending: Ending) -> str:
    """`complete`, or `interrupted: Ctrl-C`."""
    return f"{ending.status}: {ending.reason.rstrip('.')}" if ending.reason else ending.status


def _irregular_goals(searches: Sequence[SearchResult]) -> Remark | None:
    goals = [(search, found) for search in searches for found in search.goals]
    irregular = [(f"{one.name} {found.goal.name.upper()}", found.irregular) for one, found in goals if found.irregular]
    if not irregular:
        return None
    return Remark(
        "irregular",
        f"{some([name for name, _ in irregular], len(goals), 'goal')} irregular: not what was asked for.",
        tuple(f"{name}: {why}" for name, why in irregular),
    )


def _irregular_rows(suites: Sequence[Rfc2544Result]) -> Remark | None:
    rows = [(suite, test, row) for suite in suites for test in suite.method.tests for row in suite.rows(test)]
    irregular = [
        (f"{suite.name} {test} {row.frame}", why)
        for suite, test, row in rows
        if (why := row.irregular or getattr(row, "skipped", ""))
    ]
    if not irregular:
        return None
    return Remark(
        "irregular-rows",
        f"{some([name for name, _ in irregular], len(rows), 'row')} of RFC 2544 irregular: not the router's alone.",
        tuple(f"{name}: {why}" for name, why in irregular),
    )


def _incomplete(endings: Sequence[tuple[str, Ending]]) -> Remark | None:
    broken = [(name, ending) for name, ending in endings if ending.status != COMPLETE]
    if not broken:
        return None
    return Remark(
        "not-ended",
        f"{some([name for name, _ in broken], len(endings), 'measurement')} not ended as planned: the figures are what "
        "was known until then.",
        tuple(f"{name}: {ending_text(ending)}" for name, ending in broken),
    )


def _gaps(soaks: Sequence[SoakResult]) -> Remark | None:
    blind = [soak for soak in soaks if soak.gaps]
    if not blind:
        return None
    return Remark(
        "gaps",
        f"{some([soak.name for soak in blind], len(soaks), 'soak')} with times that nobody watched.",
        tuple(
            f"{soak.name}: {count(len(soak.gaps), 'gap')}, {sum(gap.seconds for gap in soak.gaps):,.0f} s in all"
            for soak in blind
        ),
    )


def _set_aside(searches: Sequence[SearchResult]) -> Remark | None:
    found = [(one, sum(bool(trial.set_aside) for trial in one.trials)) for one in searches]
    named = [(one, aside) for one, aside in found if aside]
    if not named:
        return None
    return Remark(
        "set-aside",
        f"{some([one.name for one, _ in named], len(searches), 'search')} with trials that were repeated, as absences "
        "of workers explain what they lost; those do not count.",
        tuple(f"{one.name}: {aside} of {count(len(one.trials), 'trial')}" for one, aside in named),
    )


def _notes(endings: Sequence[tuple[str, Ending]]) -> Remark | None:
    noted = [(name, note) for name, ending in endings for note in ending.notes if note != APPLICABILITY]
    if not noted:
        return None
    return Remark(
        "notes",
        f"{some(dict.fromkeys(name for name, _ in noted), len(endings), 'measurement')} with notes.",
        tuple(f"{name}: {note}" for name, note in noted),
    )
