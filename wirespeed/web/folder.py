"""The tests that are shown: files named, and those of folders, each by an id that says nothing of where it lies."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from wirespeed.charts.sparkline import path_of
from wirespeed.errors import WirespeedError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file
from wirespeed.measurement.followed import DRAIN
from wirespeed.measurement.load import load_of
from wirespeed.measurement.registry import frames_of
from wirespeed.pages.loads import directions_title
from wirespeed.pages.trust import Trust, trust_of
from wirespeed.results.figures import MEGA
from wirespeed.results.journal import SUFFIX, is_being_written, journal_path
from wirespeed.results.subjects import UNNAMED, directions_of, dut_of
from wirespeed.results.verdict import LIMIT_WORDS

_FRESH_S = 1.0
_MOST_ROWS = 4096
_MOST_HEAD_BYTES = 4 << 20
_MOST = 50_000
"""Files of a folder; what lies beyond is not shown."""
_MOST_S = 1e9


@dataclass(frozen=True)
class ListedTest:
    """`file` is that of the result, there or not yet; `changed_s` when it or its journal last did."""

    id: str
    name: str
    file: Path
    changed_s: float
    running: bool

    @property
    def row(self) -> ListedResult:
        """The row of the test in the list."""
        if self.running:
            return _begun(journal_path(self.file))
        return _row(self.file, self.changed_s) if self.changed_s else ListedResult(progress="not begun")


@dataclass(frozen=True)
class ListedResult:
    """A result in a line: its load and directions, the figure of its verdict in Mpps with what it is of and its trust
    mark, all figures, what limited it, the DUT and its version, the start (UTC) and the received and the offered load
    over time as SVG paths. For a test without a result, only the DUT, the start and the `progress` are known. `fault`
    is the reason why a file cannot be read."""

    load: str = ""
    figure: str = ""
    of: str = ""
    trust: Trust | None = None
    figures: str = ""
    limit: str = ""
    dut: str = ""
    version: str = ""
    started: str = ""
    spark: str = ""
    offered: str = ""
    fault: str = ""
    progress: str = ""


@lru_cache(maxsize=_MOST_ROWS)
def _row(file: Path, changed_s: float) -> ListedResult:
    """`changed_s` is there to read a file again that has changed."""
    try:
        result = read_file(file)
        verdict = verdict_of(result)
    except WirespeedError as error:
        return ListedResult(fault=str(error).replace(str(file), file.name))
    shown = verdict.shown
    frames = [frame for frame in frames_of(result) if frame["what"] != DRAIN]
    offered, received = (
        [(frame["t"], sum(way[place] for way in frame["ways"].values())) for frame in frames] for place in (0, 1)
    )
    most = max((load for _, load in (*offered, *received)), default=0.0)
    return ListedResult(
        load=f"{load_of(result).title}, {directions_title(directions_of(result.channels))}",
        figure=shown.cell(MEGA),
        of="" if shown.said else shown.name,
        trust=trust_of(shown, verdict.disturbed, verdict.samples),
        figures=verdict.line,
        limit=LIMIT_WORDS[verdict.limited_by],
        dut=dut_of(result),
        version=result.dut.version,
        started=result.ending.started[:19].replace("T", " "),
        spark=path_of(received, most),
        offered=path_of(offered, most),
    )


def _begun(journal: Path) -> ListedResult:
    """The first line of the journal of a running test."""
    try:
        with journal.open("rb") as file:
            head = json.loads(file.readline(_MOST_HEAD_BYTES))
    except (OSError, ValueError, RecursionError):
        head = None
    if not isinstance(head, dict):
        return ListedResult(progress="just begun")
    dut = told if isinstance(told := head.get("dut"), dict) else {}
    started = str(head.get("started") or "")
    return ListedResult(
        dut=str(dut.get("name") or UNNAMED),
        version=str(dut.get("version") or ""),
        started=started[:19].replace("T", " "),
        progress=_progress(started, head.get("most_s")),
    )


def _progress(started: str, most_s: Any) -> str:
    """`for 0:24, at most 0:06 left`; of a test that takes longer, or whose duration is not known, the time since its
    start. Empty if that is not known."""
    try:
        passed_s = round((datetime.now(UTC) - datetime.fromisoformat(started)).total_seconds())
    except (ValueError, TypeError):
        return ""
    if not isinstance(most_s, int | float) or not 0 < most_s < _MOST_S:
        return f"for {_clock(passed_s)}, end not known"
    if passed_s > most_s:
        return f"for {_clock(passed_s)}, {_clock(passed_s - most_s)} longer than planned"
    return f"for {_clock(passed_s)}, at most {_clock(round(most_s) - passed_s)} left"


def _clock(seconds: float) -> str:
    """As the live page has it: `0:24`, `1:02:03`."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


class Folder:
    """The folder is read at most once per second, whatever the number of requests."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = tuple(places)
        self._tests: dict[str, ListedTest] = {}
        self._looked_s = -_FRESH_S

    @property
    def tests(self) -> list[ListedTest]:
        """Tests: running ones first, then the newest."""
        if time.monotonic() - self._looked_s >= _FRESH_S:
            found = [test for place in self._places for test in _tests(place)]
            found.sort(key=lambda test: (not test.running, -test.changed_s, test.name))
            self._tests = {test.id: test for test in found}
            self._looked_s = time.monotonic()
        return list(self._tests.values())

    def find(self, wanted: str) -> ListedTest | None:
        _ = self.tests
        return self._tests.get(wanted)

    def current(self) -> ListedTest | None:
        """The test that runs; else the newest."""
        return next(iter(self.tests), None)


def _tests(place: Path) -> list[ListedTest]:
    if not place.is_dir():
        found = _test(place, place.name)
        return (
            [found] if found is not None else [ListedTest(_id(place.absolute()), place.name, place, 0.0, running=False)]
        )
    results: dict[str, os.DirEntry[str]] = {}
    journals: set[str] = set()
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and len(results) < _MOST:
                    results[entry.name] = entry
                elif entry.name.endswith(f".json{SUFFIX}") and len(journals) < _MOST:
                    journals.add(entry.name.removesuffix(SUFFIX))
    except OSError:
        return []
    base = f"{place.absolute()}"
    ended = (_ended(base, entry) for name, entry in results.items() if name not in journals)
    begun = (_test(place / name, name) for name in journals)
    return [test for test in (*ended, *begun) if test is not None]


def _ended(base: str, entry: os.DirEntry[str]) -> ListedTest | None:
    """A file that has no journal, in the folder `base`: one question to the file system, since there are thousands."""
    try:
        if not entry.is_file():
            return None
        changed_s = entry.stat().st_mtime
    except OSError:
        return None
    path = os.path.join(base, entry.name)  # noqa: PTH118 - a Path for each costs more than all else
    return ListedTest(_id(path), entry.name.removesuffix(".json"), Path(path), changed_s, running=False)


def _test(file: Path, name: str) -> ListedTest | None:
    journal = journal_path(file)
    try:
        running = journal.is_file() and is_being_written(journal)
        found = (journal if running or not file.is_file() else file).stat()
    except OSError:
        return None
    return ListedTest(_id(file.absolute()), name.removesuffix(".json"), file, found.st_mtime, running)


def _id(path: Path | str) -> str:
    """Identifier of an absolute path."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
