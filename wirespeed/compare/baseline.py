"""Results compared with a baseline, a folder of result files, for tests that are to fail when a router got slower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from wirespeed.compare.comparison import Comparison, compare
from wirespeed.compare.sides import facing, read_side, side_of
from wirespeed.compare.text import markdown, verdict
from wirespeed.errors import FileFault, UsageError
from wirespeed.measurement.file import write_file
from wirespeed.pages.words import count
from wirespeed.results.measurement import MeasurementResult

_LEAST = 2
"""Results with a figure on each side; fewer have no spread."""
_RENEW = "write it with --wirespeed-renew"


def faults(
    baseline: Path, results: Sequence[MeasurementResult], within: float, confidence: float, *, strict: bool = False
) -> str:
    """Why `results` do not pass for the `baseline`, with the table of the comparison; empty if they do. `within` and
    `confidence` are those of `compare`. FileFault for a missing baseline, or one that nothing can be compared with,
    UsageError for ratios beyond their limits."""
    for name, ratio, least, most in (("within", within, 0.0001, 0.5), ("confidence", confidence, 0.5, 0.9999)):
        if not isinstance(ratio, int | float) or not least <= ratio <= most:
            raise UsageError(f"{name}={ratio!r} of assert_not_slower: give a ratio from {least:g} to {most:g}")
    if not baseline.exists():
        raise FileFault(f"there is no baseline {baseline}; {_RENEW}")
    try:
        before = read_side(baseline)
    except UsageError as error:
        raise FileFault(f"baseline {error}; {_RENEW}") from None
    except FileFault as fault:
        raise FileFault(f"baseline {baseline} cannot be used: {fault}; {_RENEW}") from None
    compared = compare(*facing(before, side_of("the new side", results)), within, confidence)
    found = list(_faults(compared, strict))
    return "\n".join([*found, "", markdown(compared, within)]) if found else ""


def _faults(compared: Comparison, strict: bool) -> Iterator[str]:
    if all(row.a_pps is None or row.b_pps is None for row in compared.rows):
        yield "baseline and results have no figure in common"
    for row in compared.rows:
        judged = row.judgement
        if row.b_pps is None:
            yield f"{row.subject.title}: the results do not have it"
        elif row.a_pps is None:
            continue
        elif judged.word == "worse":
            yield f"{row.subject.title}: worse than the baseline"
        elif judged.a_count < _LEAST:
            yield f"{row.subject.title}: the baseline has it once only; {_RENEW}"
        elif judged.b_count < _LEAST:
            yield f"{row.subject.title}: give two results or more on each side"
        elif strict and judged.word == "cannot tell":
            yield f"{row.subject.title}: {verdict(row, within=0)}"


def renew(baseline: Path, results: Sequence[MeasurementResult]) -> None:
    """Make the folder `baseline` hold these results and no others. UsageError for results that later ones cannot be
    compared with, FileFault if the folder cannot be written."""
    _check(results)
    try:
        baseline.mkdir(parents=True, exist_ok=True)
        for number, result in enumerate(results):
            write_file(result, baseline / f"{number}.json")
        for file in set(baseline.glob("*.json")) - {baseline / f"{number}.json" for number in range(len(results))}:
            file.unlink()
    except OSError as error:
        raise FileFault(f"baseline {baseline} cannot be written: {error.strerror or error}") from None


def _check(results: Sequence[MeasurementResult]) -> None:
    """UsageError unless each figure of `results` was found at least twice."""
    try:
        side = side_of("the new baseline", results)
    except UsageError as error:
        raise UsageError(f"no baseline is written: {error}") from None
    for subject, values in side.values(by_name=len(side.by_dut) > 1).items():
        regular = sum(not value.irregular for value in values)
        if regular < _LEAST:
            raise UsageError(
                f"no baseline is written: {subject.title} was found in {regular} of {count(len(results), 'result')}; "
                "two or more are needed"
            )
