"""The journal of a soak: a line a second, and now and then all that is kept in their place, so that it stays small.

{"second": …, "latest": …, "events": […]}    a span, the counters at its end, the events that it changed
{"gap": …}                                    a time in which nobody watched
{"mark": …}                                   the beginning of traffic that is counted from there
{"unplaced": 3, "offered": 40}                losses at an unknown time, and packets offered after the last reading
{"state": …}                                  a whole result: what came before
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirespeed.measurement.soak.chronicle import Chronicle
from wirespeed.measurement.soak.result import Gap, LossEvent, ResumeMark, SoakResult, Span
from wirespeed.results.codec import from_json, to_json
from wirespeed.results.journal import Journal

_CHANGING = ("latest", "placed", "under_way")
"""Fields of a mark that change every second."""

COMPACT_AFTER = 3600
"""Number of entries after which the journal is rewritten as one entry."""


@dataclass
class SoakJournal:
    """Writes a soak into a journal. One that goes on with a journal that is there begins nothing."""

    journal: Journal
    _written: int = 0

    def begin(self, head: SoakResult) -> None:
        if not self.journal.entries:
            self.journal.begin(head.kind, _head(head))

    def add_mark(self, mark: ResumeMark) -> None:
        self._add({"mark": to_json(mark)})

    def add_second(self, span: Span, mark: ResumeMark, events: Iterable[LossEvent]) -> None:
        """`mark` as it is at the end of the span."""
        changing = {key: value for key, value in to_json(mark).items() if key in _CHANGING}
        self._add({"second": to_json(span), **changing, "events": to_json(list(events))})

    def add_gap(self, gap: Gap) -> None:
        self._add({"gap": to_json(gap)})

    def add_unplaced(self, count: int, offered: int) -> None:
        self._add({"unplaced": count, "offered": offered})

    @property
    def is_long(self) -> bool:
        return self._written >= COMPACT_AFTER

    def compact(self, result: SoakResult) -> None:
        """Keep `result` in place of all that led to it."""
        self._written = 0
        self.journal.begin_anew(result.kind, _head(result), {"state": result.to_json()})

    def _add(self, entry: Mapping[str, Any]) -> None:
        self._written += 1
        self.journal.add(entry)


def _head(result: SoakResult) -> dict[str, Any]:
    empty = replace(result, seconds=(), minutes=(), hours=(), total=None, events=(), gaps=(), mark=None)
    return {"name": result.name, "state": empty.to_json()}


def replayed(head: SoakResult, entries: Sequence[Mapping[str, Any]]) -> SoakResult:
    """The soak that began with `head`, as far as its journal goes, with the verdict on the observed time."""
    chronicle, mark = Chronicle(head), head.mark
    changed: dict[str, Any] = {}
    for number, entry in enumerate(entries, start=1):
        where = f"entry {number}"
        if "state" in entry:
            head = SoakResult.from_json(entry["state"], head.name)
            chronicle, mark, changed = Chronicle(head), head.mark, {}
        elif "mark" in entry:
            mark, changed = from_json(ResumeMark, entry["mark"], where), {}
        elif "gap" in entry:
            chronicle.add_gap(from_json(Gap, entry["gap"], where))
        elif "unplaced" in entry:
            chronicle.add_unplaced(int(entry["unplaced"]), int(entry.get("offered", 0)))
            mark = None
        else:
            for event in entry.get("events", ()):
                chronicle.put(from_json(LossEvent, event, where))
            chronicle.add(from_json(Span, entry["second"], where))
            changed = {key: entry[key] for key in _CHANGING if key in entry}
    if mark is not None:
        mark = from_json(ResumeMark, {**to_json(mark), **changed}, "the last second")
    return replace(chronicle.told(head), mark=mark)
