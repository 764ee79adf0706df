"""The archive: it adds results, finds them, verifies their files and removes them.

An added result is written in three steps: its file, a note in `spool/` with data that the file does not have (title,
build, tags), its row in the index. The note is deleted once the row exists. After a crash, or if the database is
unreachable, the note remains, and the next writer adds the row.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from wirespeed.corpus.index import Index, IndexRow
from wirespeed.corpus.keeping import KeptResult, StoredBefore, again, keep, keeper, read_result
from wirespeed.corpus.place import CorpusPlace
from wirespeed.corpus.store import Store
from wirespeed.corpus.words import Condition
from wirespeed.errors import ConnectionFault, FileFault, UsageError
from wirespeed.files import write_atomically
from wirespeed.results.dut_names import UNNAMED, DutNames
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.subjects import Judge

_BATCH = 200
"""Results of one transaction."""
_MOST_NAME = 200
_AWAY_S = 60.0


@dataclass(frozen=True)
class Note:
    """Information given when a result is added: `title` is its file's name without the suffix."""

    digest: str
    title: str
    build: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Added:
    """Result of adding files: `new` are those that the archive did not have. `refused` has the problem of each refused
    file; `waiting` is the number of files that wait in the spool for a database, and `why` the reason."""

    new: int = 0
    known: int = 0
    refused: tuple[str, ...] = ()
    waiting: int = 0
    why: str = ""


@dataclass(frozen=True)
class Verified:
    """`unindexed` files had no row and have one now; of `missing` rows the file is gone; `damaged` files were set
    aside; `returned` rows have their file again."""

    results: int
    unindexed: tuple[str, ...]
    missing: tuple[str, ...]
    damaged: tuple[str, ...]
    returned: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        return not (self.missing or self.damaged)


class Corpus:
    """A context manager. The index is opened when it is needed: adding works without."""

    def __init__(self, place: CorpusPlace, judge: Judge) -> None:
        self.place = place
        self.store = Store(place.folder)
        self._judge = judge
        self._spool = place.folder / "spool"
        self._index: Index | None = None
        self._away, self._away_until_s = "", 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._index is not None:
            self._index.close()

    @property
    def index(self) -> Index:
        """With all notes of the spool landed. ConnectionFault when the database is away."""
        if self._index is None:
            self._index = Index(self.place)
            self._land_spool()
        return self._index

    def add(
        self,
        files: Iterable[Path],
        build: str = "",
        tags: tuple[str, ...] = (),
        names: DutNames = UNNAMED,
        on_batch: Callable[[int], None] = lambda _: None,
    ) -> Added:
        """Store result files of all kinds and inspections. Other files are reported and skipped. FileFault if the
        archive cannot be written. `names` are for devices without a name; `on_batch` gets the number of files
        processed.
        """
        paths = list(files)
        new = known = waiting = behind = 0
        refused = list[str]()
        with keeper(self.store, self._judge, names, len(paths)) as keep_all:
            why = self._why_away()
            stream = zip(paths, keep_all(paths), strict=True)
            while batch := list(islice(stream, _BATCH)):
                self.store.settle()
                refused += [fault for _, fault in batch if isinstance(fault, str)]
                kept = [(path, result) for path, result in batch if not isinstance(result, str)]
                spooled = self._write_spool([Note(result.digest, result.title, build, tags) for _, result in kept])
                try:
                    added = 0 if why else self._index_kept(kept, names, build, tags)
                except ConnectionFault as fault:
                    why = self._gone(fault)
                if why:
                    waiting += len(kept)
                else:
                    spooled.unlink(missing_ok=True)
                    new, known = new + added, known + len(kept) - added
                behind += len(batch)
                on_batch(behind)
        return Added(new, known, tuple(refused), waiting, why)

    def _index_kept(
        self, kept: Sequence[tuple[Path, KeptResult | StoredBefore]], names: DutNames, build: str, tags: tuple[str, ...]
    ) -> int:
        """Index a batch; how many are new. Results that only the store had are judged now."""
        known = self.index.indexed([result.digest for _, result in kept if isinstance(result, StoredBefore)])
        judged = [
            keep(self.store, self._judge, names, True, path) if isinstance(result, StoredBefore) else result
            for path, result in kept
            if result.digest not in known
        ]
        added = self.index.add([_row(result, build, tags) for result in judged if isinstance(result, KeptResult)])
        if known:
            self.index.complete(sorted(known), build, tags)
        return added

    def _why_away(self) -> str:
        """Open the index; why that is not possible now, but will be. A database that was away is not asked again at
        once: who adds a result now and then would wait for it each time."""
        if time.monotonic() < self._away_until_s:
            return self._away
        try:
            _ = self.index
        except ConnectionFault as fault:
            return self._gone(fault)
        return ""

    def _gone(self, fault: ConnectionFault) -> str:
        self._away, self._away_until_s = str(fault), time.monotonic() + _AWAY_S
        return self._away

    def read(self, digest: str) -> MeasurementResult | Inspection:
        """A result that is kept. Damaged, or FileFault, when it cannot be."""
        content, name = self.store.get(digest)
        return read_result(content, Path(f"{name}.json"))

    def results(self, digests: Iterable[str]) -> Iterator[MeasurementResult]:
        """Results among several files; inspections are omitted."""
        for digest in digests:
            found = self.read(digest)
            if not isinstance(found, Inspection):
                yield found

    def the_only(self, name: str) -> str:
        """The digest of the one result that `name` names: a beginning of its digest, or its title. UsageError for none
        and for several."""
        digests = self.index.named(name)
        if not digests:
            raise UsageError(f"archive {self.place.name} has no result {name!r}; wirespeed results list shows them")
        if len(digests) > 1:
            raise UsageError(f"{name!r} names {len(digests)} results of archive {self.place.name}; give the id of one")
        return digests[0]

    def export(self, digests: Sequence[str], directory: Path) -> int:
        """Write results as they were into a folder, each under its own name; how many. Of one name the second has a
        part of its digest too."""
        taken: set[str] = set()
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFault(f"folder {directory} cannot be made: {error.strerror}") from None
        for digest in digests:
            content, name = self.store.get(digest)
            stem = _file_name(name) or digest[:12]
            stem = f"{stem}-{digest[:12]}" if stem in taken else stem
            taken.add(stem)
            write_atomically(directory / f"{stem}.json", content.decode(), "result file")
        return len(taken)

    def verify(self) -> Verified:
        """Read every file and repair the index: files without a row get one, damaged files are set aside, missing files
        are marked."""
        indexed, missing_before = self.index.digests(), self.index.digests(missing=True)
        whole: set[str] = set()
        damaged, unindexed = list[str](), list[str]()
        for digest in self.store.digests():
            try:
                if digest not in indexed or digest in missing_before:
                    kept = again(self.store, self._judge, digest)
                    self.index.add([_row(kept)])
                    if digest not in indexed:
                        unindexed.append(kept.title)
                else:
                    self.store.get(digest)
                whole.add(digest)
            except FileFault as fault:
                damaged.append(f"{fault}; it is at {self.store.set_aside(digest)} now")
        missing = sorted(indexed - whole)
        self.index.mark_missing(missing)
        returned = sorted(missing_before & whole)
        return Verified(len(whole), tuple(unindexed), tuple(missing), tuple(damaged), tuple(returned))

    def collect_garbage(self, unwanted: str) -> tuple[int, int]:
        """Remove the results that are tagged `unwanted`, and what killed writers have left; how many of each."""
        digests = [row["digest"] for row in self.index.results((Condition("tag", "=", unwanted),)).rows]
        self.index.remove(digests)  # first: a row without its file would be a loss, a file without its row is none
        for digest in digests:
            self.store.remove(digest)
        return len(digests), self.store.sweep()

    def _write_spool(self, notes: Sequence[Note]) -> Path:
        path = self._spool / f"{os.getpid()}-{time.monotonic_ns()}.jsonl"
        try:
            self._spool.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFault(f"archive {self.place.folder} cannot be written: {error.strerror}") from None
        write_atomically(path, "".join(json.dumps(asdict(note)) + "\n" for note in notes), "note of the archive")
        return path

    def _land_spool(self) -> None:
        """Index what others, or we before, could not. Twice does no harm, so two may do it at once."""
        assert self._index is not None
        for path in sorted(self._spool.glob("*.jsonl")):
            rows = []
            for note in _notes(path):
                with suppress(FileFault):  # verify tells of it
                    rows.append(_row(again(self.store, self._judge, note.digest, note.title), note.build, note.tags))
            self._index.add(rows)
            path.unlink(missing_ok=True)


def _file_name(name: str) -> str:
    """A name that a file of any folder can have."""
    return re.sub(r"[/\0]", "-", name).lstrip(".")[:_MOST_NAME]


def _row(kept: KeptResult, build: str = "", tags: tuple[str, ...] = ()) -> IndexRow:
    return IndexRow(kept.digest, kept.entry, build, kept.size, tags)


def _notes(path: Path) -> Iterator[Note]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return  # another process has landed it
    for line in lines:
        document = json.loads(line)
        yield Note(**{**document, "tags": tuple(document["tags"])})
