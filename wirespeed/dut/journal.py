"""Journal of the changes on a device, with their reversal, on this machine's disk before each change is made.

JSON lines, each synced before the next command is sent: a head, then `begin` with a step, `done` and `undone` with its
number. `dut restore` reverses the steps that have begun and are not undone, however the preparation ended."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from wirespeed.dut.plan import Action, DutStep
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file, sync_directory

FORMAT = "wirespeed-dut-journal/1"
_MOST_BYTES = 256 << 20


@dataclass
class JournalEntry:
    """A step that was begun, and whether it came to its end."""

    number: int
    what: str
    undo: Action | None
    persists: bool
    must_undo: bool
    boot: str
    is_done: bool = False
    undone_if: str = ""


def journal_directory() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "wirespeed/dut"


def journal_path(device: str) -> Path:
    """Path of the journal of the device with that name, for this user."""
    return journal_directory() / f"{re.sub(r'[^A-Za-z0-9._@-]+', '-', device).strip('-')}.jsonl"


class DutJournal:
    """The journal at `path`, locked while it is open. FileFault when another program has it, or it is none."""

    def __init__(self, path: Path, device: str) -> None:
        self.path = path
        self.entries: dict[int, JournalEntry] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file: IO[str] = open(path, "a", encoding="utf-8", opener=_private)  # noqa: SIM115 - closed at the exit
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise FileFault(f"{device} is being prepared or restored by another program, which holds {path}") from None
        except OSError as error:
            raise FileFault(f"journal {path} cannot be written: {error.strerror}") from None
        try:
            self._load()
        except BaseException:
            self._file.close()
            raise
        if path.stat().st_size == 0:
            self._write({"format": FORMAT, "device": device})
            sync_directory(path.parent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close it; without anything to put back it goes."""
        if not self.entries:
            self.path.unlink(missing_ok=True)
        self._file.close()

    def begin(self, step: DutStep, boot: str) -> JournalEntry:
        """Keep how `step` is undone, before it is done."""
        entry = JournalEntry(
            max(self.entries, default=-1) + 1,
            step.what,
            step.undo,
            step.persists,
            step.must_undo,
            boot,
            undone_if=step.undone_if,
        )
        self.entries[entry.number] = entry
        undo = None if step.undo is None else step.undo.to_json()
        kept = {"what": step.what, "now": step.now, "undo": undo, "boot": boot}
        flags = {"persists": step.persists, "must_undo": step.must_undo, "undone_if": step.undone_if}
        self._write({"begin": entry.number, **kept, **flags})
        return entry

    def done(self, entry: JournalEntry) -> None:
        entry.is_done = True
        self._write({"done": entry.number})

    def undone(self, entry: JournalEntry) -> None:
        del self.entries[entry.number]
        self._write({"undone": entry.number})

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FileFault(f"journal {self.path} cannot be written: {error.strerror}") from None

    def _load(self) -> None:
        lines = read_text_file(self.path, "journal", _MOST_BYTES).decode(errors="replace").splitlines(keepends=True)
        if not lines:
            return
        whole = [line for line in lines if line.endswith("\n")]  # a last line cut short was never acted on
        try:
            head, *rest = (json.loads(line) for line in whole)
            if head.get("format") != FORMAT:
                raise ValueError("its first line has another format")
            for raw in rest:
                self._take(raw)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FileFault(f"{self.path} is not a journal of a DUT ({error}); move it away") from None
        if len(whole) < len(lines):
            self._file.truncate(sum(len(line.encode()) for line in whole))

    def _take(self, raw: Mapping[str, Any]) -> None:
        if "begin" in raw:
            undo = None if raw["undo"] is None else Action.from_json(raw["undo"])
            number = int(raw["begin"])
            flags = bool(raw["persists"]), bool(raw["must_undo"])
            undone_if = str(raw.get("undone_if", ""))  # journals of 0.1.0 before 2026-12 lack it
            self.entries[number] = JournalEntry(
                number, str(raw["what"]), undo, *flags, str(raw["boot"]), undone_if=undone_if
            )
        elif "done" in raw:
            self.entries[int(raw["done"])].is_done = True
        else:
            del self.entries[int(raw["undone"])]


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
