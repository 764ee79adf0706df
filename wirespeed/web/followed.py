"""A test followed by the file that it writes: its journal while it runs, the result once it is there."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirespeed.charts.colours import colours_by_name
from wirespeed.errors import WirespeedError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import of_journal, read_file
from wirespeed.measurement.followed import Frame, Growing
from wirespeed.measurement.load import load_of
from wirespeed.measurement.registry import frames_of, growing_of, kinds
from wirespeed.pages.duts import dut_name
from wirespeed.pages.trust import trust_of
from wirespeed.results.figures import Scaler, fitting
from wirespeed.results.journal import entries_of, is_being_written, is_journal, journal_path, kind_of, read_journal
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Figure, Verdict

_SHARE = 10.0
"""Maximum share of time for reading a whole journal, if it cannot be read incrementally."""
_JUDGED_EACH_S = 5.0
"""Minimum interval between interim verdicts on a growing journal."""
_JUDGED_FROM = 4
"""Samples; fewer tell nothing of a limit. Who opens the page later has the verdict at once."""


@dataclass
class Followed:
    """The test that writes `file`. After each `look`: its `head`, its frames so far, its state. `figures` and
    `verdicts` are those of the interim verdict. `epoch` grows if earlier frames changed, so that clients begin
    again."""

    file: Path
    head: dict[str, Any] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    running: bool = False
    status: str = "waiting"
    verdicts: tuple[str, ...] = ()
    figures: tuple[dict[str, str], ...] = ()
    fault: str = ""
    epoch: int = 0
    _inode: int = 0
    _offset: int = 0
    _growing: Growing | None = None
    _stamp: tuple[int, int, int] = (0, 0, 0)
    _not_before_s: float = 0.0
    _judged_after_s: float = 0.0

    def look(self) -> None:
        """Read what is new. Never raises: `fault` is the reason if the file cannot be read."""
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
        status = journal.stat()
        if status.st_ino != self._inode or status.st_size < self._offset:
            self._begin(status.st_ino)
        self.running = is_being_written(journal)
        self.status = "running" if self.running else "ended without a result"
        if status.st_size == self._offset or time.monotonic() < self._not_before_s:
            return
        with journal.open("rb") as file:
            file.seek(self._offset)
            whole, _, _torn = file.read().rpartition(b"\n")
        if not whole:
            return
        lines = whole.decode(errors="replace").split("\n")
        if not self._offset:
            if not is_journal(lines[0]):
                raise ValueError(f"{journal} is not a journal of a test")
            head = json.loads(lines[0])
            kind = kind_of(head)
            growing = growing_of(kind) if kind in kinds() else None
            if growing is None:
                self._read_whole(journal)
                return
            if len(lines) < 2:
                return  # there is no entry yet
            self._growing = growing(head, json.loads(lines[1]), self.file.stem)
            self.head = _head(self._growing.head, kind, head)
            lines = lines[1:]
        assert self._growing is not None
        self._offset += len(whole) + 1
        for line in lines:
            self.frames.append(self._growing.frame(json.loads(line)))
        began = time.monotonic()
        if began >= self._judged_after_s and len(self.frames) >= _JUDGED_FROM:
            self._judge(of_journal(read_journal(journal), journal))
            took_s = time.monotonic() - began
            self._judged_after_s = began + took_s + max(_JUDGED_EACH_S, _SHARE * took_s)

    def _begin(self, inode: int) -> None:
        self.frames, self.head, self.fault = [], {}, ""
        self.verdicts, self.figures, self._judged_after_s = (), (), 0.0
        self._inode, self._offset, self._growing = inode, 0, None
        self._not_before_s = 0.0
        self.epoch += 1

    def _read_whole(self, journal: Path) -> None:
        began = time.monotonic()
        text = read_journal(journal)
        kind, head, entries = entries_of(text, journal)
        result = of_journal(text, journal) if entries else None
        if result is not None:
            self._judge(result)
            found = list(frames_of(result))
            if found[: len(self.frames)] != self.frames:
                self.epoch += 1
            self.frames = found
        self.head = _head(result, kind, head) | {"name": self.file.stem}
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
        self.head = _head(result, result.kind, {"started": result.ending.started})
        self.status = result.ending.status
        self._judge(result)

    def _judge(self, result: MeasurementResult) -> None:
        verdict = verdict_of(result)
        self.verdicts = verdict.lines
        scaler = fitting(figure.rate_pps for figure in verdict.figures)
        self.figures = tuple(_figure(verdict, figure, scaler) for figure in verdict.figures)


def _head(result: MeasurementResult | None, kind: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Description of a test, from its result and the first line of its journal. `most_s` is its longest possible
    duration."""
    head: dict[str, Any] = {
        "name": "",
        "kind": kind,
        "started": str(document.get("started", "")),
        "load": "",
        "dut": "",
        "version": "",
    }
    head["most_s"] = document.get("most_s")
    if result is not None:
        head["name"] = result.name
        head["load"] = load_of(result).title
        head["dut"], head["version"] = result.dut.name, result.dut.version
        head["colour"] = colours_by_name([dut_name(result)])[dut_name(result)]
    return head


def _figure(verdict: Verdict, figure: Figure, scaler: Scaler) -> dict[str, str]:
    """A figure of the verdict as a card shows it."""
    rate, unit = figure.parts(scaler)
    trust = trust_of(figure, verdict.disturbed, verdict.samples, scaler)
    measured = figure.is_measured and figure.rate_pps is not None
    share = figure.share_text if measured and figure.line_percent is not None else ""
    return {
        "name": verdict.heading(figure),
        "rate": rate,
        "unit": unit,
        "share": ", ".join(filter(None, (figure.each_text(scaler), share))),
        "loss": f"loss {figure.loss_text}" if measured and figure.loss_ratio is not None else "",
        "trust": f"{trust.shape} {trust.word}" + (f": {trust.detail}" if trust.detail else ""),
    }
