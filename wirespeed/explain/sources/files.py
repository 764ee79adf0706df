"""Cases from files of any kind that holds evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.explain.facts import Case
from wirespeed.explain.sources import result, search
from wirespeed.explain.sources.evidence_file import read_evidence
from wirespeed.results.file import AnyResult, read_file
from wirespeed.results.loadtest import Result
from wirespeed.results.search import SearchResult

YAML = (".yaml", ".yml")


def read_cases(paths: Sequence[Path], against: Sequence[Path] = ()) -> tuple[Case, ...]:
    """A case for each test of `paths`; all other tests of the same box, those of `against` too, stand beside it."""
    wanted = [case for path in paths for case in _cases(path)]
    return side_by_side(wanted, [case for path in against for case in _cases(path)])


def cases_of_results(results: Sequence[AnyResult]) -> tuple[Case, ...]:
    """The same of results as values, each under its name; kinds that cannot be explained are passed over."""
    return side_by_side([case for one in results for case in cases_of(one, one.name)])


def cases_of(found: AnyResult, source: str) -> tuple[Case, ...]:
    if isinstance(found, Result):
        return result.cases_of(found, source)
    if isinstance(found, SearchResult):
        return search.cases_of(found, source)
    return ()


def side_by_side(cases: Sequence[Case], beside: Sequence[Case] = ()) -> tuple[Case, ...]:
    """Each with the loads of the others that ran on the same box."""
    every = (*cases, *beside)
    return tuple(
        replace(
            case,
            others=(
                *case.others,
                *(
                    other.load
                    for other in every
                    if other is not case and other.box.name == case.box.name and other.load not in case.others
                ),
            ),
        )
        for case in cases
    )


def _cases(path: Path) -> tuple[Case, ...]:
    if path.suffix in YAML:
        return read_evidence(path)
    found = read_file(path)
    if isinstance(found, Result | SearchResult):
        return cases_of(found, path.name)
    raise UsageError(f"{path} is neither a load test, nor a search, nor evidence in YAML: explain cannot read it yet")
