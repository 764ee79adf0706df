"""What limited each test, for the page: a sentence, and below it folded what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.explain.evidence import Evidence
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.files import cases_of_results
from wirespeed.explain.text import UNKNOWN, sure
from wirespeed.results.file import AnyResult


@dataclass(frozen=True)
class EvidenceLine:
    """`mark` says which way it speaks: for, against, also, perhaps, not."""

    mark: str
    text: str
    source: str


@dataclass(frozen=True)
class ExplanationView:
    test: str
    cause: str
    sure: str
    sentence: str
    lines: tuple[EvidenceLine, ...]
    next: str


def explanation_views(results: Sequence[AnyResult]) -> tuple[ExplanationView, ...]:
    """One for each test that has samples, in their order."""
    return tuple(_view(explain(case)) for case in cases_of_results(results))


def _view(one: Explanation) -> ExplanationView:
    verdict = one.verdict
    lines = [] if verdict is None else [_line("for", piece) for piece in verdict.speaks_for]
    lines += [] if verdict is None else [_line("against", piece) for piece in verdict.speaks_against]
    lines += [EvidenceLine("also", f"{found.sentence} ({sure(found)})", "") for found in one.named[1:]]
    lines += [EvidenceLine("perhaps", f"{found.sentence} ({sure(found)})", "") for found in one.likely]
    lines += [_line(f"not {found.cause}", found.heaviest_against) for found in one.ruled_out]
    lines += [EvidenceLine("missing", what, "") for what in one.missing]
    return ExplanationView(
        test=one.case.load.name,
        cause=one.cause,
        sure="" if verdict is None else sure(verdict),
        sentence=UNKNOWN if verdict is None else verdict.sentence,
        lines=tuple(replace(line, text=line.text.replace("`", "")) for line in lines),
        next=one.next.replace("`", ""),
    )


def _line(mark: str, piece: Evidence) -> EvidenceLine:
    return EvidenceLine(mark, piece.text, piece.source)
