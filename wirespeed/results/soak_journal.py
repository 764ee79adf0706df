"""The journal of a soak: a line a second, and now and then all that is kept in their place, so that it stays small.

{"second": …, "latest": …, "events": […]}    a span, the counters at its end, the events that it changed
{"gap": …}                                    a time in which nobody watched
{"mark": …}                                   the beginning of traffic that is counted from there
{"unplaced": 3}                               losses that nobody knows the time of
{"state": …}                                  a whole result: what came before
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from wirespeed.errors import FileFault
from wirespeed.results.ending import INTERRUPTED, Ending
from wirespeed.results.journal import Journal
from wirespeed.results.loadtest_json import why
from wirespeed.results.sample_json import valid
from wirespeed.results.soak import Gap, LossEvent, Mark, SoakResult, Span
from wirespeed.results.soak_chronicle import Chronicle
from wirespeed.results.soak_json import (
    KIND,
    event_from_json,
    event_to_json,
    from_json,
    mark_from_json,
    mark_to_json,
    span_from_json,
    span_to_json,
    to_json,
)

_GAP = TypeAdapter(Gap)
_CHANGING = ("latest", "placed", "under_way")
"""What of a mark changes every second."""

COMPACT_AFTER = 3600
"""Entries, after which a journal is written anew as one."""


@dataclass
class SoakJournal:
    """Writes a soak into a journal. One that goes on with a journal that is there begins nothing."""

    journal: Journal
    _written: int = 0

    def begin(self, head: SoakResult) -> None:
        if not self.journal.entries:
            self.journal.begin(KIND, _head(head))

    def add_mark(self, mark: Mark) -> None:
        self._add({"mark": mark_to_json(mark)})

    def add_second(self, span: Span, mark: Mark, events: Iterable[LossEvent]) -> None:
        """`mark` as it is at the end of the span."""
        changing = {key: value for key, value in mark_to_json(mark).items() if key in _CHANGING}
        self._add({"second": span_to_json(span), **changing, "events": [event_to_json(event) for event in events]})

    def add_gap(self, gap: Gap) -> None:
        self._add({"gap": asdict(gap)})

    def add_unplaced(self, count: int) -> None:
        self._add({"unplaced": count})

    @property
    def is_long(self) -> bool:
        return self._written >= COMPACT_AFTER

    def compact(self, result: SoakResult) -> None:
        """Keep `result` in place of all that led to it."""
        self._written = 0
        self.journal.begin_anew(KIND, _head(result), {"state": to_json(result)})

    def _add(self, entry: Mapping[str, Any]) -> None:
        self._written += 1
        self.journal.add(entry)


def _head(result: SoakResult) -> dict[str, Any]:
    empty = replace(result, seconds=(), minutes=(), hours=(), total=None, events=(), gaps=(), mark=None)
    return {"name": result.name, "state": to_json(empty)}


def from_journal(head: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], path: Path) -> SoakResult:
    """The result that a journal makes: interrupted, with the verdict of what was seen. FileFault names what is
    wrong."""
    try:
        result = _replayed(from_json(head["state"], name=str(head.get("name") or path.stem)), entries)
    except (KeyError, TypeError, ValueError) as error:
        raise FileFault(f"{path} is no journal of a soak: {why(error)}") from None
    reason = f"the soak did not end by itself; its {result.verdict.watched_s:.0f} s are from its journal"
    return replace(result, ending=Ending(INTERRUPTED, reason, 0, result.ending.started, result.ending.notes))


def _replayed(head: SoakResult, entries: Sequence[Mapping[str, Any]]) -> SoakResult:
    chronicle, mark = Chronicle(head), head.mark
    changed: dict[str, Any] = {}
    for number, entry in enumerate(entries, start=1):
        where = f"entry {number}"
        if "state" in entry:
            head = from_json(entry["state"], head.name)
            chronicle, mark, changed = Chronicle(head), head.mark, {}
        elif "mark" in entry:
            mark, changed = mark_from_json(entry["mark"], where), {}
        elif "gap" in entry:
            chronicle.add_gap(valid(_GAP, entry["gap"], where))
        elif "unplaced" in entry:
            chronicle.add_unplaced(int(entry["unplaced"]))
            mark = None
        else:
            for event in entry.get("events", ()):
                chronicle.put(event_from_json(event, where))
            chronicle.add(span_from_json(entry["second"], where))
            changed = {key: entry[key] for key in _CHANGING if key in entry}
    if mark is not None:
        mark = mark_from_json({**mark_to_json(mark), **changed}, "the last second")
    return replace(chronicle.told(head), mark=mark)
