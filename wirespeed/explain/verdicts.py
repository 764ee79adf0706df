"""The verdict on a result, with what `explain` says of its limit: the one place where every surface has it from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from wirespeed.explain.causes import causes
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.files import cases_of, cases_of_results, is_result
from wirespeed.measurement import registry
from wirespeed.measurement.file import read_file
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Limit, LimitedBy, Named, Verdict

_BY: dict[str, LimitedBy] = {
    "line-rate": "line",
    "tester": "tester",
    "preemption": "host",
    "steal": "host",
    "bad-wire": "unknown",
    "not-arrived": "unknown",
    "link-down": "unknown",
    "unknown": "unknown",
}
"""Causes that are not the device's. Archives of earlier versions have `steal` for `preemption`."""


def limited_by(cause: str) -> LimitedBy:
    return _BY.get(cause, "dut")


def causes_of(limit: str) -> tuple[str, ...]:
    """The causes with a limit, by their former names too."""
    return tuple(name for name in dict.fromkeys((*causes(), *_BY)) if limited_by(name) == limit)


def limit_of(explanation: Explanation) -> Limit:
    """The limit of a verdict, from an explanation."""
    verdict = explanation.verdict
    if verdict is None:
        return Limit(next_step=explanation.next)
    by, cause = limited_by(verdict.cause), verdict.cause
    if by == "tester" and not explanation.case.load.is_short_of_tester:
        by, cause = "nothing", ""  # all that was offered came back, and the tester could have offered more
    return Limit(by, verdict.sentence, explanation.next, verdict.confidence, cause=cause)


def verdict_of(result: MeasurementResult) -> Verdict:
    """The verdict on one result by itself."""
    return registry.verdict_of(result, _named(result, map(explain, cases_of(result, result.name))))


def verdicts_of_files(files: Sequence[Path], explanations: Sequence[Explanation]) -> dict[str, Verdict]:
    """The verdicts on the results among files that were explained, by the name of the first case of each; other
    evidence has no figures."""
    results = [read_file(path) for path in files if is_result(path)]
    cases = [one.case.load.name for one in explanations]
    verdicts = verdicts_of(results, explanations)
    return {next((case for case in cases if _subject(case, one.name) is not None), one.name): one for one in verdicts}


def explained(results: Sequence[MeasurementResult], inspections: Sequence[Inspection] = ()) -> tuple[Explanation, ...]:
    """The explanation of each of several results; each uses the results of the same DUT as evidence."""
    return tuple(explain(case) for case in cases_of_results(results, inspections))


def verdicts_of(results: Sequence[MeasurementResult], explanations: Sequence[Explanation]) -> tuple[Verdict, ...]:
    """The verdicts on results that stand side by side, whose `explanations` are those of `explained`."""
    return tuple(registry.verdict_of(one, _named(one, explanations)) for one in results)


def limits_of_cases(verdicts: Iterable[Verdict]) -> dict[str, Limit]:
    """The limits of verdicts by the names of their cases."""
    return {
        f"{one.name}, {subject}" if subject else one.name: limit
        for one in verdicts
        for subject, limit in (one.limits or {"": one.limit}).items()
    }


def _named(result: MeasurementResult, explanations: Iterable[Explanation]) -> Named:
    """The limits of a result's cases."""
    subjects = ((_subject(one.case.load.name, result.name), one) for one in explanations)
    return {subject: limit_of(one) for subject, one in subjects if subject is not None}


def _subject(case: str, result: str) -> str | None:
    """The subject of a case: its name without that of the result. None if the case belongs to another result."""
    return "" if case == result else case.removeprefix(f"{result}, ") if case.startswith(f"{result}, ") else None
