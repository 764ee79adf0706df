"""Journal of a running measurement: JSON lines next to the result file, so that a crash loses nothing.

The first line is the head: the part of the result file that is known when the test begins. Each further line is a
sample or a trial. At the end of a complete test the result file is made of them and the journal removed. After a kill
or a power loss the journal is read like a result; an incomplete last line is ignored."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from wirespeed.errors import FileFault
from wirespeed.files import json_of, open_regular, read_text_file, sync_directory

SUFFIX = ".part"

_FORMAT = re.compile(r"wirespeed-(?P<kind>[a-z0-9]+)-journal/1")

MAX_RESULT_BYTES = 512 << 20
"""Size limit of a result file or journal: a day of samples, four per second."""

_SYNC_S = 5.0
"""Interval of writing to disk, against a power failure. Lines are handed to the kernel at once, so a kill loses
none."""


def journal_path(result: Path) -> Path:
    return result.parent / (result.name + SUFFIX)


def unfinished(results: Iterable[Path]) -> list[Path]:
    """Missing files of `results` that have a journal in their place."""
    return [path for path in results if not path.exists() and journal_path(path).is_file()]


def kind_of(head: Mapping[str, Any]) -> str:
    """The kind of measurement whose journal begins with `head`; empty where this program does not read it."""
    known = _FORMAT.fullmatch(str(head.get("journal")))
    return known["kind"] if known is not None else ""


def format_of(kind: str) -> str:
    """Name of the journal's format, in its first line, for a kind of measurement such as loadtest."""
    return f"wirespeed-{kind}-journal/1"


class Journal:
    """The journal of a running test, at `path`. FileFault if it cannot be created, or if `path` contains measurements
    without a result, unless the test is to `go_on` with them. If the disk fills up later, the test continues, and
    `fault` has the reason. `most_s` is the maximum duration of the test in seconds, 0 if unknown; it is in the head for
    followers of the test."""

    def __init__(self, path: Path, go_on: bool = False) -> None:
        self.path = path
        self.most_s = 0.0
        self.fault = ""
        self.entries = 0
        self._synced_s = time.monotonic()
        try:
            self._file: IO[str] = path.open("a", encoding="utf-8")
        except OSError as error:
            raise FileFault(f"journal {path} cannot be written: {error.strerror or error}; give another -o") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise FileFault(f"{path} is being written by another test; give another -o") from None
        if go_on:
            self._go_on()
            return
        if (command := recovery(path)) is not None:
            self._file.close()
            raise FileFault(
                f"{path} holds the measurements of a test that did not end: make a result of them with `{command}`, "
                "or remove it"
            )
        self._file.truncate(0)
        sync_directory(path.parent)

    def _go_on(self) -> None:
        """A last line that was not written to its end is gone."""
        with self.path.open("rb") as file:
            ends = [0]
            for line in file:
                if line.endswith(b"\n"):
                    ends.append(ends[-1] + len(line))
        self._file.truncate(ends[-1])
        self.entries = max(0, len(ends) - 2)

    def begin_anew(self, kind: str, head: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
        """Put `head` and `entry` in place of all that was written; whatever happens, one or the other is there."""
        if self.fault:
            return
        spare = self.path.with_name(self.path.name + ".new")
        try:
            file = spare.open("w", encoding="utf-8")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for document in (self._first_line(kind, head), entry):
                file.write(json.dumps(document, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
            spare.replace(self.path)
        except OSError as error:
            self.fault = f"journal {self.path} could not be written: {error.strerror or error}"
            return
        sync_directory(self.path.parent)
        self._file.close()
        self._file, self.entries = file, 1

    def begin(self, kind: str, head: Mapping[str, Any]) -> None:
        self._write(self._first_line(kind, head))

    def _first_line(self, kind: str, head: Mapping[str, Any]) -> dict[str, Any]:
        return {"journal": format_of(kind), **({"most_s": self.most_s} if self.most_s else {}), **head}

    def add(self, entry: Mapping[str, Any]) -> None:
        self._write(dict(entry))
        self.entries += 1

    def _write(self, document: dict[str, Any]) -> None:
        if self.fault:
            return
        try:
            self._file.write(json.dumps(document, allow_nan=False) + "\n")
            self._file.flush()
            if time.monotonic() - self._synced_s >= _SYNC_S:
                os.fsync(self._file.fileno())
                self._synced_s = time.monotonic()
        except OSError as error:
            self.fault = f"journal {self.path} could not be written: {error.strerror or error}"

    def close(self) -> None:
        """Close the journal and keep its file."""
        with suppress(OSError):
            self._file.close()

    def remove(self) -> None:
        """Delete the file: its content is stored elsewhere, or it has none."""
        self.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def is_journal(text: str) -> bool:
    return text.startswith('{"journal"')


def read_journal(path: Path) -> str:
    """The text of a journal. FileFault when it cannot be read."""
    return read_text_file(path, "journal", MAX_RESULT_BYTES).decode(errors="replace")


def entries_of(text: str, path: Path) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    """The kind of measurement, the head and all complete entries. FileFault for an invalid file, with the reason."""
    *lines, _torn = text.split("\n")
    if not lines or not is_journal(lines[0]):
        raise FileFault(f"{path} is not the journal of a test (unknown first line); give a .part file")
    head = _document(lines[0], path, 1)
    kind = kind_of(head)
    if not kind:
        raise FileFault(
            f"{path} is a journal of format {head.get('journal')!r}, which this version does not read; "
            "use the wirespeed that wrote it"
        )
    entries = [_document(line, path, number) for number, line in enumerate(lines[1:], start=2)]
    if not entries:
        raise FileFault(f"{path} holds no samples: the test ended before its first one")
    return kind, head, entries


def _document(line: str, path: Path, number: int) -> dict[str, Any]:
    document = json_of(line, path, f"line {number} of journal")
    if not isinstance(document, dict):
        raise FileFault(f"line {number} of journal {path} is damaged: not a JSON object")
    return document


def recovery(path: Path) -> str | None:
    """The command that makes a result of the journal at `path`; None when the journal holds no measurement."""
    with TextIOWrapper(open_regular(path, "journal"), encoding="utf-8", errors="replace") as file:
        lines = [line for line, _ in zip(file, range(2), strict=False) if line.endswith("\n")]
    if len(lines) < 2:
        return None
    known = _FORMAT.search(lines[0])
    return f"wirespeed {known['kind'] if known is not None else 'loadtest'} --recover {path.with_suffix('')}"


def check_ended(path: Path) -> None:
    """FileFault if a running test writes this journal."""
    if is_being_written(path):
        raise FileFault(f"a running test writes {path}; wait for its end, or interrupt it with Ctrl-C")


def is_being_written(path: Path) -> bool:
    """True if a running test writes this journal."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        return False
