"""Reading a router's statistics block: shared memory that its workers count in, so that readers cost them nothing.

The layout is told in docs/statistics.md. Nothing here talks to the router.
"""

from __future__ import annotations

import mmap
import os
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Literal

from wirespeed.errors import ConnectionFault, FileFault, UsageError

VERSION = 1
_HEADER = Struct("<8sIIIIQQQQQQQQQII")
_ENTRY = Struct("<144sHHIQ")
_MAGIC = b"WSSTATS\0"
_OF_MAIN = 1
_ATTEMPTS = 1000
_NAP_S = 0.001
_SILENCE_S = 5.0


@dataclass(frozen=True)
class Entry:
    """One name of the directory. `offsets` are where its words begin, one for each worker that counts it."""

    name: str
    kind: Literal["counter", "gauge"]
    words: int
    is_of_workers: bool
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """What stood under a name: a value for each worker, or one for the router. A value is (packets, bytes) or (n,)."""

    name: str
    kind: Literal["counter", "gauge"]
    is_of_workers: bool
    values: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> tuple[int, ...]:
        return tuple(sum(column) for column in zip(*self.values, strict=True))


@dataclass(frozen=True)
class _Header:
    generation: int
    entry_count: int
    entry_size: int
    pid: int
    started_ns: int
    updated_ns: int
    entries_offset: int
    main_offset: int
    workers_offset: int
    worker_size: int
    worker_count: int


class StatsBlock:
    """The block of the router that writes `path`, whichever that is at the moment: one that starts anew brings a new
    file, which the next call finds. ConnectionFault while there is none, FileFault when the file is something else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._memory: mmap.mmap | None = None
        self._file = (0, 0)
        self._generation = -1
        self._directory: tuple[Entry, ...] = ()
        self.started_ns = 0
        """When the router at hand started, since 1970: another one means that the counters began anew."""

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def __enter__(self) -> StatsBlock:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def entries(self, patterns: Sequence[str] = ()) -> list[Entry]:
        """The names in which one of the regular expressions is found, or all."""
        wanted = [_pattern(pattern) for pattern in patterns]
        for _ in range(_ATTEMPTS):
            if self._follow():
                return [e for e in self._directory if not wanted or any(p.search(e.name) for p in wanted)]
            time.sleep(_NAP_S)
        raise ConnectionFault(f"the router of {self._path} does not finish its directory; is it stopped?")

    def read(self, patterns: Sequence[str] = ()) -> dict[str, Reading]:
        """What stands under those names now."""
        for _ in range(_ATTEMPTS):
            entries = self.entries(patterns)
            readings = {entry.name: self._read(entry) for entry in entries}
            if self._header().generation == self._generation:
                return readings
        raise ConnectionFault(f"the directory of {self._path} changes faster than it can be read")

    def _read(self, entry: Entry) -> Reading:
        assert self._memory is not None
        words = Struct(f"<{entry.words}Q")
        values = tuple(words.unpack_from(self._memory, offset) for offset in entry.offsets)
        return Reading(entry.name, entry.kind, entry.is_of_workers, values)

    def _follow(self) -> bool:
        """Be up to date with file and directory; False while the router is changing it."""
        self._open()
        header = self._header()
        if header.generation == self._generation:
            self._check_alive(header)
            return True
        if header.generation % 2:
            self._check_alive(header)
            return False
        directory = tuple(self._entries(header))
        if self._header().generation != header.generation:
            return False
        self._generation, self._directory, self.started_ns = header.generation, directory, header.started_ns
        return True

    def _open(self) -> None:
        try:
            found = self._path.stat()
            if (found.st_dev, found.st_ino) == self._file and self._memory is not None:
                return
            self.close()
            with self._path.open("rb") as file:
                opened = os.fstat(file.fileno())
                if opened.st_size < _HEADER.size:
                    raise FileFault(f"{self._path} is no statistics block: it has {opened.st_size} bytes")
                self._memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        except OSError as error:
            raise ConnectionFault(
                f"no router writes {self._path} ({error.strerror}): start one with wirespeed router, or name its "
                "file with --file"
            ) from None
        self._file = (opened.st_dev, opened.st_ino)
        self._generation = -1

    def _header(self) -> _Header:
        assert self._memory is not None
        magic, version, _, entry_size, entry_count, generation, pid, started, updated, _, *rest = _HEADER.unpack_from(
            self._memory
        )
        if magic != _MAGIC:
            raise FileFault(f"{self._path} is no statistics block")
        if version != VERSION:
            raise FileFault(f"{self._path} has layout {version}, and this program reads layout {VERSION}")
        entries, main, workers, worker_size, worker_count, _ = rest
        known = (generation, entry_count, entry_size, pid, started, updated)
        return _Header(*known, entries, main, workers, worker_size, worker_count)

    def _check_alive(self, header: _Header) -> None:
        silent_s = time.time() - header.updated_ns / 1e9
        if header.updated_ns == 0 or (silent_s > _SILENCE_S and not Path(f"/proc/{header.pid}").exists()):
            self.close()
            raise ConnectionFault(f"the router that wrote {self._path} (process {header.pid}) has ended")

    def _entries(self, header: _Header) -> Iterable[Entry]:
        assert self._memory is not None
        bases = [header.workers_offset + w * header.worker_size for w in range(header.worker_count)]
        for index in range(header.entry_count):
            at = header.entries_offset + index * header.entry_size
            name, kind, scope, words, offset = _ENTRY.unpack_from(self._memory, at)
            of_main = scope == _OF_MAIN
            yield Entry(
                name.partition(b"\0")[0].decode(errors="replace"),
                "gauge" if kind else "counter",
                words,
                not of_main,
                tuple(base + offset for base in ([header.main_offset] if of_main else bases)),
            )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"pattern {text!r} is no regular expression: {error}") from None
