"""A test followed by the file that it writes: its journal while it runs, the result once it is there."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirespeed.errors import WirespeedError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import of_journal, read_file
from wirespeed.measurement.followed import Frame
from wirespeed.measurement.loadtest.followed import sample_frame
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.registry import frames_of
from wirespeed.results.journal import entries_of, format_of, is_being_written, is_journal, journal_path, read_journal
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.sample import Sample
from wirespeed.results.sample_json import sample_from_json

_SHARE = 10.0
"""Reading a journal whole, where there is no other way, is given so small a share of the time."""


@dataclass
class Followed:
    """The test that writes `file`. After each `look`: what it is (`head`), its frames so far, how it stands. `epoch`
    grows when the frames are others than before, so that who has some of them begins again."""

    file: Path
    head: dict[str, Any] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    running: bool = False
    status: str = "waiting"
    verdicts: tuple[str, ...] = ()
    fault: str = ""
    epoch: int = 0
    _inode: int = 0
    _offset: int = 0
    _loadtest: Result | None = None
    _last: Sample | None = None
    _stamp: tuple[int, int, int] = (0, 0, 0)
    _not_before_s: float = 0.0

    def look(self) -> None:
        """See what is new. Never raises: `fault` says what is wrong with the file."""
        journal = journal_path(self.file)
        try:
            if journal.is_file() and (is_being_written(journal) or not self.file.exists()):
                self._grow(journal)
            elif self.file.is_file():
                self._finish()
            else:
                self.running = False
        except FileNotFoundError:
            return  # between the two: the next look has the result
        except (WirespeedError, OSError, ValueError, KeyError, RecursionError) as error:
            self.fault, self.running = str(error), False

    def _grow(self, journal: Path) -> None:
        found = journal.stat()
        if found.st_ino != self._inode or found.st_size < self._offset:
            self._begin(found.st_ino)
        self.running = is_being_written(journal)
        self.status = "running" if self.running else "ended without a result"
        if found.st_size == self._offset or time.monotonic() < self._not_before_s:
            return
        with journal.open("rb") as file:
            file.seek(self._offset)
            whole, _, _torn = file.read().rpartition(b"\n")
        if not whole:
            return
        lines = whole.decode(errors="replace").split("\n")
        first = not self._offset
        if first and not is_journal(lines[0]):
            raise ValueError(f"{journal} is not a journal of a test")
        if first and json.loads(lines[0]).get("journal") != format_of(Result.kind):
            self._read_whole(journal)
            return
        if first and len(lines) < 2:
            return  # there is no sample yet
        self._offset += len(whole) + 1
        self._add_samples(lines, first=first)

    def _begin(self, inode: int) -> None:
        self.frames, self.head, self.verdicts, self.fault = [], {}, (), ""
        self._inode, self._offset, self._loadtest, self._last = inode, 0, None, None
        self._not_before_s = 0.0
        self.epoch += 1

    def _add_samples(self, lines: list[str], *, first: bool) -> None:
        """Those of a load test, each read once."""
        if first:
            document = json.loads(lines[0])
            stats = {"0": json.loads(lines[1])}
            self._loadtest = Result.from_json({**document, "stats": stats, "outcome": {}}, self.file.stem)
            self.head = _head(self._loadtest, Result.kind, str(document.get("started", "")))
            lines = lines[1:]
        assert self._loadtest is not None
        for line in lines:
            sample = sample_from_json(len(self.frames), json.loads(line))
            self.frames.append(sample_frame(self._loadtest, self._last, sample))
            self._last = sample

    def _read_whole(self, journal: Path) -> None:
        began = time.monotonic()
        text = read_journal(journal)
        kind, head, entries = entries_of(text, journal)
        if entries:
            found = list(frames_of(of_journal(text, journal)))
            if found[: len(self.frames)] != self.frames:
                self.epoch += 1
            self.frames = found
        self.head = _head(None, kind, str(head.get("started", ""))) | {"name": self.file.stem}
        self._not_before_s = time.monotonic() + _SHARE * (time.monotonic() - began)

    def _finish(self) -> None:
        found = self.file.stat()
        stamp = (found.st_ino, found.st_size, found.st_mtime_ns)
        if stamp == self._stamp:
            return
        result = read_file(self.file)
        self._stamp, self.running, self.fault = stamp, False, ""
        frames = list(frames_of(result))
        if frames[: len(self.frames)] != self.frames:
            self.epoch += 1
        self.frames = frames
        self.head = _head(result, result.kind, result.ending.started)
        self.status = result.ending.status
        self.verdicts = verdict_of(result).lines


def _head(result: MeasurementResult | None, kind: str, started: str) -> dict[str, Any]:
    if result is None:
        return {"name": "", "kind": kind, "started": started, "load": "", "box": ""}
    settings = str(result.variables.get("tunables") or "")
    return {
        "name": result.name,
        "kind": kind,
        "started": started,
        "load": f"{result.variables.get('profile_file') or ''} {settings}".strip(),
        "box": str(result.dut.get("name") or ""),
    }
