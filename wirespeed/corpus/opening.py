"""A corpus opened with the verdicts that `explain` helps to make."""

from __future__ import annotations

from wirespeed.corpus.corpus import Corpus
from wirespeed.corpus.place import parse_place
from wirespeed.errors import FileFault
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Verdict


def open_corpus(where: str = "", *, make: bool = True) -> Corpus:
    """`where` is what the command line says, empty for the user's own. UsageError for what cannot be one; FileFault if
    the folder that was named does not exist, unless it is to be made."""
    place = parse_place(where)
    if where and not make and not place.is_postgresql and not place.folder.exists():
        raise FileFault(f"there is no archive {place.name}; `wirespeed results add` makes one")
    return Corpus(place, _judge)


def _judge(result: MeasurementResult) -> Verdict:
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415 - half of the start of `results list`

    return verdict_of(result)
