"""Results compared with a baseline, a folder of result files, for tests that are to fail when a router got slower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from wirespeed.compare.comparison import Comparison, compare
from wirespeed.compare.sides import facing, read_side, side_of
from wirespeed.compare.text import markdown
from wirespeed.errors import FileFault
from wirespeed.measurement.file import write_file
from wirespeed.results.measurement import MeasurementResult


def faults(
    baseline: Path, results: Sequence[MeasurementResult], within: float, confidence: float, *, strict: bool = False
) -> str:
    """Why `results` do not pass for the `baseline`, with the table of the comparison; empty if they do. `within` and
    `confidence` are those of `compare`. FileFault for a baseline that cannot be read."""
    if not baseline.exists():
        raise FileFault(f"there is no baseline {baseline}; write it with --wirespeed-renew")
    compared = compare(*facing(read_side(baseline), side_of("the new side", results)), within, confidence)
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
        elif min(judged.a_count, judged.b_count) < 2:
            yield f"{row.subject.title}: give two results or more on each side"
        elif strict and judged.word == "cannot tell":
            yield f"{row.subject.title}: cannot tell"


def renew(baseline: Path, results: Sequence[MeasurementResult]) -> None:
    """Make the folder `baseline` hold these results and no others. FileFault if it cannot be written."""
    try:
        baseline.mkdir(parents=True, exist_ok=True)
        for number, result in enumerate(results):
            write_file(result, baseline / f"{number}.json")
        for file in set(baseline.glob("*.json")) - {baseline / f"{number}.json" for number in range(len(results))}:
            file.unlink()
    except OSError as error:
        raise FileFault(f"baseline {baseline} cannot be written: {error.strerror or error}") from None
