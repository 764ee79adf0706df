"""The files that results of all kinds are kept in, and their journals while they run (docs/result-format.md)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from wirespeed.errors import FileFault
from wirespeed.files import json_of, read_text_file, write_atomically
from wirespeed.measurement.registry import class_of, kinds
from wirespeed.results.journal import (
    MAX_RESULT_BYTES,
    SUFFIX,
    check_ended,
    entries_of,
    is_journal,
    journal_path,
    read_journal,
)
from wirespeed.results.measurement import MeasurementResult

AResult = TypeVar("AResult", bound=MeasurementResult)


def write_file(result: MeasurementResult, path: Path) -> None:
    """Write `path` atomically. FileFault when it cannot be written, ValueError when a value is not finite."""
    write_atomically(path, json.dumps(result.to_json(), allow_nan=False) + "\n", "result file")


def read_file(path: Path) -> MeasurementResult:
    """Read a result file of any kind, also of trex-loadtest. FileFault names its error.

    If only the journal of an unfinished test exists, it is read, and the result says so.
    """
    journal = journal_path(path)
    if journal.is_file() and not path.exists():
        return replace(of_journal(read_journal(journal), journal), name=path.stem)
    result = of_bytes(read_text_file(path, "result file", MAX_RESULT_BYTES), path)
    if journal.is_file():
        return result.noted(f"{journal.name} beside this file is of a later test that has not ended")
    return result


def read_as(kind: type[AResult], path: Path) -> AResult:
    """Read a result like read_file; FileFault also for a result of another kind."""
    result = read_file(path)
    if not isinstance(result, kind):
        raise FileFault(f"{path} is the result of another test, not a {kind.noun}; `wirespeed report` draws it")
    return result


def of_bytes(content: bytes, path: Path) -> MeasurementResult:
    """The result in the content of a result file or journal. FileFault names `path` and the problem."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise FileFault(f"{path} is not a load-test result: it is not text") from None
    if is_journal(text) or path.name.endswith(SUFFIX):
        return of_journal(text, path)
    document = json_of(text, path, "result file")
    kind = class_of(_kind_of(document))
    try:
        return kind.from_json(document, path.stem)
    except (KeyError, ValueError) as error:
        raise FileFault(f"{path} is not a {kind.noun}: {_why(error)}") from None


def of_journal(text: str, path: Path) -> MeasurementResult:
    """The result of a test that did not end, from its journal. FileFault names the problem."""
    kind, head, entries = entries_of(text, path)
    if kind not in kinds():
        raise FileFault(
            f"{path} is the journal of a {kind}, which this version does not know; use the wirespeed that wrote it"
        )
    try:
        return class_of(kind).of_journal(head, entries, path.stem)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileFault(f"{path} is not a journal of {class_of(kind).journal_noun}: {_why(error)}") from None


def recover(file: Path, target: str = "-") -> tuple[MeasurementResult, Path]:
    """Make the result file of a test that did not end, from its journal (`file`, or the one beside it), and remove the
    journal. Returns the result and its file: `target`, by default the output file of the test. FileFault when there is
    not a journal."""
    journal = file if file.name.endswith(SUFFIX) else journal_path(file)
    if not journal.is_file():
        raise FileFault(
            f"there is no journal {journal}: give the output file of the interrupted test, or its .part file"
        )
    check_ended(journal)
    result = of_journal(read_journal(journal), journal)
    path = journal.with_name(journal.name.removesuffix(SUFFIX)) if target == "-" else Path(target)
    result = replace(result, name=path.stem)
    write_file(result, path)
    journal.unlink()
    return result, path


def _kind_of(document: Any) -> str:
    """By its schema; what has none is taken for a file of trex-loadtest."""
    schema = document.get("schema") if isinstance(document, dict) else None
    words = str(schema).removeprefix("wirespeed-").partition("/")[0]
    return words if words in kinds() else "loadtest"


def _why(error: Exception) -> str:
    """The problem of a document, in words."""
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
