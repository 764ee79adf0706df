"""The result of `wirespeed host show`: tables and marks for people, facts for programs, and the printed texts that they
were read from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed.errors import FileFault
from wirespeed.files import json_of, open_regular, read_text_file
from wirespeed.tables import Grid

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = "wirespeed-inspect/1"
_MOST_BYTES = 64 << 20
_HEAD_BYTES = 200


@dataclass(frozen=True)
class InspectionTable:
    """One table; the first cell of a row names its subject."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def grid(self) -> Grid:
        return Grid(self.title, self.headings, self.rows, texts=len(self.headings))


@dataclass(frozen=True)
class Remarked:
    """A problem of `subject`."""

    subject: str
    text: str


@dataclass(frozen=True)
class CommandOutput:
    """Output of a command, and its exit code."""

    text: str
    code: int = 0


@dataclass(frozen=True)
class Inspection:
    """`texts` are by command, `facts` as JSON has them."""

    machine: str
    taken: str
    parts: tuple[InspectionTable, ...]
    marks: tuple[Remarked, ...] = ()
    missing: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, CommandOutput] = field(default_factory=dict)


@cache
def _adapter() -> TypeAdapter[Inspection]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import, and few files are inspections

    return TypeAdapter(Inspection)


def inspection_to_json(found: Inspection) -> str:
    return json.dumps({"schema": SCHEMA, **asdict(found)}, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def is_inspection(path: Path) -> bool:
    """True if the head of the file names this format; False if the file cannot be read."""
    try:
        with open_regular(path) as file:
            return says_inspection(file.read(_HEAD_BYTES))
    except (OSError, FileFault):
        return False


def says_inspection(content: bytes) -> bool:
    """True if the content of a file begins with the name of this format."""
    return SCHEMA.encode() in content[:_HEAD_BYTES]


def read_inspection(path: Path) -> Inspection:
    """FileFault for an invalid file, with the reason."""
    return inspection_of_bytes(read_text_file(path, "inspection", _MOST_BYTES), path)


def inspection_of_bytes(content: bytes, path: Path) -> Inspection:
    """The inspection in the content of a file. FileFault names `path` and the problem."""
    from pydantic import ValidationError  # noqa: PLC0415 - as above

    document = json_of(content, path)
    if not isinstance(document, dict) or document.pop("schema", None) != SCHEMA:
        raise FileFault(f"{path} is not a file of `wirespeed host show -o`: its schema is not {SCHEMA}")
    try:
        return _adapter().validate_python(document)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise FileFault(f"{path} is not a file of `wirespeed host show -o`: {where}: {fault['msg'][:200]}") from None
