"""Reading a router's statistics block: shared memory that its workers count in, so that readers cost them nothing.

The layout is told in docs/statistics.md. Nothing here talks to the router.
"""

from __future__ import annotations

import mmap
import os
import re
import stat
import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
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
_GAP = 4096


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
        """Over the workers: the sum of a counter's values, the largest of a gauge's."""
        over = sum if self.kind == "counter" else max
        return tuple(over(column) for column in zip(*self.values, strict=True))


@dataclass(frozen=True)
class Capture:
    """The words of some names as they stood at one instant (`at_s` of the monotonic clock), copied and not yet looked
    at: taking it is quick. `spans` are the pieces of the file that hold them, by where they begin."""

    at_s: float
    started_ns: int
    tsc_hz: int
    entries: tuple[Entry, ...]
    spans: tuple[tuple[int, bytes], ...]

    def readings(self) -> dict[str, Reading]:
        """The values, by name."""
        starts = [start for start, _ in self.spans]
        return {
            entry.name: Reading(
                entry.name,
                entry.kind,
                entry.is_of_workers,
                tuple(self._value(entry, starts, at) for at in entry.offsets),
            )
            for entry in self.entries
        }

    def _value(self, entry: Entry, starts: list[int], offset: int) -> tuple[int, ...]:
        start, content = self.spans[bisect_right(starts, offset) - 1]
        return _words(entry.words).unpack_from(content, offset - start)


@dataclass(frozen=True)
class _Selection:
    """The entries that some patterns choose from one directory, and the pieces of the file that hold their words."""

    entries: tuple[Entry, ...]
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Header:
    generation: int
    entry_count: int
    entry_size: int
    pid: int
    started_ns: int
    updated_ns: int
    tsc_hz: int
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
        self._selections: dict[tuple[str, ...], _Selection] = {}
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
        return list(self._selection(patterns).entries)

    def read(self, patterns: Sequence[str] = ()) -> dict[str, Reading]:
        """What stands under those names now."""
        return self.capture(patterns).readings()

    def capture(self, patterns: Sequence[str] = ()) -> Capture:
        """The same, to be looked at later. Names are searched once for a directory, so that the next capture by the
        same patterns only copies."""
        for _ in range(_ATTEMPTS):
            chosen = self._selection(patterns)
            assert self._memory is not None
            at_s = time.monotonic()
            spans = tuple((start, self._memory[start:end]) for start, end in chosen.spans)
            header = self._header()
            if header.generation == self._generation:
                return Capture(at_s, header.started_ns, header.tsc_hz, chosen.entries, spans)
        raise ConnectionFault(f"the directory of {self._path} changes faster than it can be read")

    def _selection(self, patterns: Sequence[str]) -> _Selection:
        for _ in range(_ATTEMPTS):
            if self._follow():
                return self._selected(tuple(patterns))
            time.sleep(_NAP_S)
        raise ConnectionFault(f"the router of {self._path} does not finish its directory; is it stopped?")

    def _selected(self, patterns: tuple[str, ...]) -> _Selection:
        known = self._selections.get(patterns)
        if known is None:
            wanted = [_pattern(pattern) for pattern in patterns]
            entries = tuple(e for e in self._directory if not wanted or any(p.search(e.name) for p in wanted))
            known = self._selections[patterns] = _Selection(entries, _spans(entries))
        return known

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
        self._selections = {}
        return True

    def _open(self) -> None:
        try:
            found = self._path.stat()
            if (found.st_dev, found.st_ino) == self._file and self._memory is not None:
                return
            self.close()
            if not stat.S_ISREG(found.st_mode):
                raise FileFault(f"{self._path} is no statistics block: it is no regular file")
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
        magic, version, _, entry_size, entry_count, generation, *words = _HEADER.unpack_from(self._memory)
        if magic != _MAGIC:
            raise FileFault(f"{self._path} is no statistics block")
        if version != VERSION:
            raise FileFault(f"{self._path} has layout {version}, and this program reads layout {VERSION}")
        pid, started_ns, updated_ns, tsc_hz, entries, main, workers, worker_size, worker_count, _ = words
        times = (started_ns, updated_ns, tsc_hz)
        return _Header(
            generation, entry_count, entry_size, pid, *times, entries, main, workers, worker_size, worker_count
        )

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


@cache
def _words(count: int) -> Struct:
    return Struct(f"<{count}Q")


def _spans(entries: Iterable[Entry]) -> tuple[tuple[int, int], ...]:
    """The fewest pieces that hold all words of `entries`, where gaps up to _GAP are copied along."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted((at, at + _words(entry.words).size) for entry in entries for at in entry.offsets):
        if spans and start - spans[-1][1] <= _GAP:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans)


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"pattern {text!r} is no regular expression: {error}") from None
