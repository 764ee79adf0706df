"""A corpus opened with the verdicts that `explain` helps to make."""

from __future__ import annotations

from wirespeed.corpus.corpus import Corpus
from wirespeed.corpus.place import parse_place
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Verdict


def open_corpus(where: str = "") -> Corpus:
    """`where` is what the command line says, empty for the user's own. UsageError for what cannot be one."""
    return Corpus(parse_place(where), _judge)


def _judge(result: MeasurementResult) -> Verdict:
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415 - half of the start of `results list`

    return verdict_of(result)
