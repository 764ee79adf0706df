"""Reading the statistics segment of a router, ours or VPP: readers cost its workers nothing, and ask nobody.

Reading is optimistic: while the directory changes the reader waits, and what it read while the epoch changed it reads
anew. docs/develop/statistics.md tells the names.
"""

from __future__ import annotations

import mmap
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import ConnectionFault, FileFault, UsageError
from wirespeed.statseg.layout import (
    VERSION,
    Damage,
    DirectoryEntry,
    SegmentHeader,
    StatsEntry,
    Type,
    read_directory,
    read_header,
    resolve,
)
from wirespeed.statseg.reading import StatsCapture, StatsReading, spans
from wirespeed.statseg.source import open_segment

_ATTEMPTS = 1000
_NAP_S = 0.001
_SILENCE_S = 5.0
_MOST_WORDS = 16 << 20
"""In one capture. Entries of a damaged segment may all lead to the same large vector."""


@dataclass(frozen=True)
class _Selection:
    """The entries that some patterns choose from one directory, and the pieces of memory that hold their words."""

    entries: tuple[StatsEntry, ...]
    spans: tuple[tuple[int, int], ...]


class StatsSegment:
    """The segment of the router that has the file or socket `path`, whichever that is at the moment: one that starts
    anew brings a new one, which the next call finds. ConnectionFault while there is none, FileFault when it is
    something else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._memory: mmap.mmap | None = None
        self._file = (0, 0)
        self._epoch = -1
        self._directory: tuple[DirectoryEntry, ...] = ()
        self._numbers: dict[str, int] = {}
        self._selections: dict[tuple[str, ...], _Selection] = {}

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def __enter__(self) -> StatsSegment:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def started_ns(self) -> int:
        """Start time since 1970 of the router that was read last; another value means that counters restarted at 0."""
        return self._value("/sys/started-ns") or self._value("/sys/boottime") * 10**9

    def names(self, patterns: Sequence[str] = ()) -> list[str]:
        """Names that match one of the regular expressions, or all names."""
        for _ in range(_ATTEMPTS):
            if self._follow():
                return [entry.name for entry in self._chosen(tuple(patterns))]
            time.sleep(_NAP_S)
        raise self._unfinished()

    def read(self, patterns: Sequence[str] = ()) -> dict[str, StatsReading]:
        """Present values of those names."""
        return self.capture(patterns).readings()

    def capture(self, patterns: Sequence[str] = ()) -> StatsCapture:
        """A copy of those values for later evaluation. Names are looked up once per directory, so the next capture with
        the same patterns only copies."""
        for _ in range(_ATTEMPTS):
            chosen = self._selection(tuple(patterns))
            if chosen is None:
                time.sleep(_NAP_S)
                continue
            memory = self._mapped()
            at_s = time.monotonic()
            copies = tuple((start, memory[start:end]) for start, end in chosen.spans)
            capture = StatsCapture(at_s, self.started_ns, self._value("/sys/tsc-hz"), chosen.entries, copies)
            if self._is_settled(read_header(memory)):
                return capture
        raise self._unfinished()

    def _unfinished(self) -> ConnectionFault:
        return ConnectionFault(
            f"the directory of {self._path} changes faster than it can be read; is its router stopped?"
        )

    def _selection(self, patterns: tuple[str, ...]) -> _Selection | None:
        """None while the directory changes."""
        if not self._follow():
            return None
        known = self._selections.get(patterns)
        if known is None:
            try:
                known = self._select(patterns)
            except Damage as damage:
                self._fail_unless_changed(damage)
                return None
            if not self._is_settled(read_header(self._mapped())):
                return None
            self._selections[patterns] = known
        return known

    def _select(self, patterns: tuple[str, ...]) -> _Selection:
        memory, words = self._mapped(), 0
        header = read_header(memory)
        entries = []
        for chosen in self._chosen(patterns):
            entries.append(resolve(memory, header, self._directory, chosen))
            words += sum(row.count for row in entries[-1].rows) * entries[-1].words + len(entries[-1].texts)
            if words > _MOST_WORDS:
                raise Damage(f"its entries lead to more than {_MOST_WORDS} words")
        return _Selection(tuple(entries), spans(entries))

    def _chosen(self, patterns: tuple[str, ...]) -> list[DirectoryEntry]:
        wanted = [_pattern(pattern) for pattern in patterns]
        return [
            entry
            for entry in self._directory
            if entry.type is not Type.EMPTY and (not wanted or any(p.search(entry.name) for p in wanted))
        ]

    def _follow(self) -> bool:
        """Be up to date with file and directory; False while the router is changing it."""
        self._open()
        memory = self._mapped()
        header = read_header(memory)
        if header.version != VERSION:
            if not header.version:
                raise FileFault(f"{self._path} is not a statistics segment")
            raise FileFault(f"{self._path} has layout {header.version}, and this program reads layout {VERSION}")
        if self._is_settled(header):
            self._check_alive()
            return True
        if header.in_progress:
            self._check_alive()
            return False
        try:
            directory = read_directory(memory, header)
        except Damage as damage:
            self._fail_unless_changed(damage, header)
            return False
        after = read_header(memory)
        if after.in_progress or after.epoch != header.epoch:
            return False
        self._epoch, self._directory, self._selections = header.epoch, directory, {}
        self._numbers = {
            entry.name: entry.at for entry in directory if entry.type in (Type.SCALAR, Type.GAUGE) and entry.name
        }
        self._check_alive()
        return True

    def _fail_unless_changed(self, damage: Damage, before: SegmentHeader | None = None) -> None:
        after, epoch = read_header(self._mapped()), self._epoch if before is None else before.epoch
        if not after.in_progress and after.epoch == epoch:
            raise FileFault(f"{self._path} is not a statistics segment, or a damaged one: {damage}")

    def _is_settled(self, header: SegmentHeader) -> bool:
        return not header.in_progress and header.epoch == self._epoch

    def _mapped(self) -> mmap.mmap:
        assert self._memory is not None
        return self._memory

    def _open(self) -> None:
        try:
            status = self._path.stat()
            if (status.st_dev, status.st_ino) == self._file and self._memory is not None:
                return
            self.close()
            self._memory = open_segment(self._path)
        except OSError as error:
            raise ConnectionFault(
                f"no router writes {self._path} ({error.strerror or error}): start one with wirespeed router, or give "
                "the path of its socket or statistics file"
            ) from None
        self._file = (status.st_dev, status.st_ino)
        self._epoch, self._numbers = -1, {}

    def _value(self, name: str) -> int:
        """The number of that name, 0 when there is none."""
        at = self._numbers.get(name)
        return 0 if at is None else int.from_bytes(self._mapped()[at : at + 8], "little")

    def _check_alive(self) -> None:
        """VPP does not say; ours does, once its directory is known."""
        pid, updated_ns = self._value("/sys/pid"), self._value("/sys/updated-ns")
        if not pid:
            return
        silent_s = time.time() - updated_ns / 1e9
        if updated_ns == 0 or (silent_s > _SILENCE_S and not Path(f"/proc/{pid}").exists()):
            self.close()
            raise ConnectionFault(
                f"the router that wrote {self._path} (process {pid}) has ended; start one, or give another path"
            )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"pattern {text!r} is not a regular expression: {error}") from None
