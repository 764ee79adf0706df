"""Destinations of a result: its journal during the test, its file or standard output at the end."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.measurement.file import write_file
from wirespeed.results.journal import SUFFIX, Journal, journal_path
from wirespeed.results.measurement import MeasurementResult
from wirespeed.standard_output import give_output_up

STDOUT = "-"


class Output:
    """The output target: a file, or `-`. FileFault if it cannot be written, before the test and not after it."""

    def __init__(self, target: str) -> None:
        self.path = None if target == STDOUT else Path(target)
        if self.path is not None:
            check_writable(self.path)
        self._journal: Journal | None = None

    def journal(self, go_on: bool = False) -> Journal:
        """The journal of a test that begins, or continues with `go_on`. For standard output it is in the temporary
        directory."""
        if self.path is not None:
            path = journal_path(self.path)
        else:
            handle, name = tempfile.mkstemp(prefix="wirespeed-", suffix=f".json{SUFFIX}")
            os.close(handle)
            path = Path(name)
        self._journal = Journal(path, go_on)
        return self._journal

    def keep(self, result: MeasurementResult) -> str | None:
        """Write the result and remove the journal. Returns the file for the summary, if there is one.

        FileFault if it cannot be written; the message names the file that has the result instead.
        """
        if result.is_empty:
            self._done()
            return "no file: the test ended before anything was measured"
        if self.path is None:
            self._print(result)
            return None
        try:
            write_file(result, self.path)
        except FileFault as fault:
            raise FileFault(f"{fault}; the result is kept in {self._spare(result)}") from None
        self._done()
        return str(self.path)

    def abandon(self) -> str | None:
        """The test ended without a result. Returns a sentence that names the file with the measured data, if there is
        any."""
        journal = self._journal
        if journal is None:
            return None
        if not journal.entries or journal.fault:
            journal.remove()
            return None
        journal.close()
        return f"what was measured is kept in {journal.path}; --recover {journal.path} makes a result of it"

    def _print(self, result: MeasurementResult) -> None:
        try:
            json.dump(result.to_json(), sys.stdout, allow_nan=False)
            print(flush=True)
        except OSError as error:
            where, reason = self._spare(result), error.strerror or error
            give_output_up()
            raise FileFault(f"standard output cannot be written: {reason}; the result is kept in {where}") from None
        self._done()

    def _spare(self, result: MeasurementResult) -> Path:
        name = self.path.name if self.path is not None else "result.json"
        spare = Path(tempfile.mkdtemp(prefix="wirespeed-")) / name
        write_file(result, spare)
        self._done()
        return spare

    def _done(self) -> None:
        if self._journal is not None:
            self._journal.remove()
            self._journal = None


class Unprinted(Output):
    """The target of a program that has the result itself: a file, or nothing in place of standard output."""

    def _print(self, result: MeasurementResult) -> None:
        self._done()


def check_writable(path: Path, option: str = "-o") -> None:
    """FileFault if no file can be created in the folder of `path`, which `option` names."""
    if path.is_dir():
        raise FileFault(f"output {path} is a directory; give the name of a file in it")
    if path.exists() and not path.is_file():  # the result is renamed into place, which would do away with a device
        also = ", or - for standard output" if option == "-o" else ""
        raise FileFault(f"output {path} is not a regular file; give another {option}{also}")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileFault(f"output {path} cannot be written: {path.parent}: {reason}; give another {option}") from None
