"""Readings of a statistics segment: values, and copies of memory for later evaluation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import TypeAlias

from wirespeed.statseg.layout import StatsEntry, Type, VectorRow

Value: TypeAlias = tuple[int, ...]
"""(packets, bytes), or (n,)."""

_GAP = 4096
_LARGEST = ("/sys/longest-preemption-clocks", "/sys/longest-absence-clocks")
"""Counters of which the largest value of all threads counts; the layout cannot express that."""


@dataclass(frozen=True)
class StatsReading:
    """Value of a name: numbers by thread and index, the main thread first. A single number, or the element of a link,
    is the only value of its row. `texts` are those of a vector of names, with empty ones for gaps."""

    name: str
    type: Type
    rows: tuple[tuple[Value, ...], ...]
    texts: tuple[str, ...] = ()

    @property
    def is_gauge(self) -> bool:
        return self.type is Type.GAUGE

    @property
    def is_histogram(self) -> bool:
        """Its rows begin with the exponent of the smallest bin; each bin counts values up to its power of two."""
        return self.type is Type.HISTOGRAM

    @property
    def values(self) -> tuple[Value, ...]:
        """The first value of each thread: all there are of a number or a link."""
        return tuple(row[0] for row in self.rows if row)

    @property
    def columns(self) -> tuple[Value, ...]:
        """By index, over the threads: sums, mostly."""
        over = max if self.name in _LARGEST else sum
        longest = max((len(row) for row in self.rows), default=0)
        return tuple(
            tuple(over(words) for words in zip(*(row[index] for row in self.rows if index < len(row)), strict=True))
            for index in range(longest)
        )

    @property
    def total(self) -> Value:
        """The value of a number or a link, over the threads."""
        return self.columns[0]


@dataclass(frozen=True)
class StatsCapture:
    """The words of some names as they stood at one instant (`at_s` of the monotonic clock), copied and not yet looked
    at: taking it is quick. `spans` are the pieces of the segment that hold them, by where they begin. The router
    started at `started_ns` since 1970; its clocks tick `tsc_hz` times per second, 0 where it does not tell."""

    at_s: float
    started_ns: int
    tsc_hz: int
    entries: tuple[StatsEntry, ...]
    spans: tuple[tuple[int, bytes], ...]

    def readings(self) -> dict[str, StatsReading]:
        """The values, by name."""
        starts = [start for start, _ in self.spans]
        return {
            entry.name: StatsReading(
                entry.name, entry.type, tuple(self._row(starts, row, entry.words) for row in entry.rows), entry.texts
            )
            for entry in self.entries
        }

    def _row(self, starts: list[int], row: VectorRow, words: int) -> tuple[Value, ...]:
        if not row.count:
            return ()
        start, content = self.spans[bisect_right(starts, row.offset) - 1]
        flat = _words(row.count * words).unpack_from(content, row.offset - start)
        return tuple(zip(*[iter(flat)] * words, strict=True))


@cache
def _words(count: int) -> Struct:
    return Struct(f"<{count}Q")


def spans(entries: Iterable[StatsEntry]) -> tuple[tuple[int, int], ...]:
    """The fewest pieces, from and to, that hold all words of `entries`, where small gaps are copied along."""
    pieces: list[tuple[int, int]] = []
    rows = {(row.offset, row.offset + row.count * entry.words * 8) for entry in entries for row in entry.rows}
    for start, end in sorted(rows):
        if start == end:
            continue
        if pieces and start - pieces[-1][1] <= _GAP:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    return tuple(pieces)
