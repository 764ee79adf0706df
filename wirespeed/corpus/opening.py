"""A corpus opened with `explain` as its judge of what limited a test."""

from __future__ import annotations

from wirespeed.corpus.corpus import Corpus
from wirespeed.corpus.place import parse_place
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.files import cases_of
from wirespeed.explain.sources.result import cases_of as of_loadtest
from wirespeed.results.analysis import Analysis
from wirespeed.results.file import AnyResult
from wirespeed.results.loadtest import Result


def open_corpus(where: str = "") -> Corpus:
    """`where` is what the command line says, empty for the user's own. UsageError for what cannot be one."""
    return Corpus(parse_place(where), limited_by)


def limited_by(result: AnyResult, analysis: Analysis | None = None) -> str:
    """The cause that limited the test's surest case, `unknown` where there is none, empty of a test without any."""
    if isinstance(result, Result):
        cases = of_loadtest(result, result.name, analysis, with_directions=False)
    else:
        cases = cases_of(result, result.name)
    found = [explain(case) for case in cases]
    named = [one for one in found if one.verdict is not None]
    if not named:
        return "unknown" if found else ""
    return max(named, key=lambda one: one.named[0].confidence).cause
