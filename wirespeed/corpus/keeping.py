"""Result files read, judged and put into the store: most of the work of adding, on all CPUs where there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wirespeed.all_cpus import on_all_cpus
from wirespeed.corpus.entry import IndexEntry, entry_of
from wirespeed.corpus.store import Store, digest_of
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file
from wirespeed.measurement.file import of_bytes
from wirespeed.results.dut_names import DutNames
from wirespeed.results.inspection import Inspection, inspection_of_bytes, says_inspection
from wirespeed.results.journal import MAX_RESULT_BYTES, SUFFIX, recovery
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.subjects import Judge

_MANY = 400
"""Fewer are kept before other processes would have begun."""
_CHUNK = 10


@dataclass(frozen=True)
class KeptResult:
    """A result whose file is in the store."""

    digest: str
    title: str
    entry: IndexEntry
    size: int


@dataclass(frozen=True)
class StoredBefore:
    """A result whose file the store had. The index has it too, unless it was lost or is behind."""

    digest: str
    title: str


Keep = Callable[[Iterable[Path]], Iterator[KeptResult | StoredBefore | str]]
"""For each file, its entry or its fault. FileFault when the store takes no more."""


def keeper(store: Store, judge: Judge, names: DutNames, count: int) -> AbstractContextManager[Keep]:
    """A function that stores `count` files. Enter it before there is a connection to the index."""
    return on_all_cpus(partial(keep, store, judge, names, False), are_many=count >= _MANY, chunk=_CHUNK)


def keep(store: Store, judge: Judge, names: DutNames, stored_too: bool, file: Path) -> KeptResult | StoredBefore | str:
    """With a name for its device, where it has none and one is given: that goes into the file that is kept. One that
    the store has is judged only with `stored_too`."""
    try:
        content = names.in_file(_content(file), file)
        digest = digest_of(content)
        if not stored_too and store.path(digest).exists():
            return StoredBefore(digest, file.stem)
        result = read_result(content, file)
    except FileFault as fault:
        return str(fault)
    store.put(content, file.stem)
    return KeptResult(digest, file.stem, entry_of(result, file.stem, judge), len(content))


def again(store: Store, judge: Judge, digest: str, title: str = "") -> KeptResult:
    """A result that the archive has, read again; its title is that of its file unless given. Damaged, or FileFault."""
    content, name = store.get(digest)
    title = title or name or digest[:12]
    return KeptResult(digest, title, entry_of(read_result(content, Path(f"{title}.json")), title, judge), len(content))


def read_result(content: bytes, path: Path) -> MeasurementResult | Inspection:
    return inspection_of_bytes(content, path) if says_inspection(content) else of_bytes(content, path)


def _content(file: Path) -> bytes:
    if file.name.endswith(SUFFIX):
        command = recovery(file)
        advice = "it holds no measurement" if command is None else f"make a result of it with `{command}`"
        raise FileFault(f"{file} is the journal of a test that did not end: {advice}")
    return read_text_file(file, "result file", MAX_RESULT_BYTES)
