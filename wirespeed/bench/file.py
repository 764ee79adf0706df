"""`bench.yaml` read: errors name the path in the document and the line in the file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wirespeed.bench.model import Bench, Misfit
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file

_MOST_BYTES = 1 << 20


def read_bench(path: Path) -> Bench:
    """The bench that the file at `path` says; FileFault names the first thing that is wrong, and its line."""
    return parse_bench(read_text_file(path, "bench file", _MOST_BYTES).decode(errors="replace"), str(path))


def parse_bench(text: str, name: str = "bench.yaml") -> Bench:
    """As `read_bench`, of a text; `name` is the file's in errors."""
    import yaml  # noqa: PLC0415 - slow, and seldom needed

    try:
        tree = yaml.compose(text, yaml.SafeLoader)
        raw = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        why = getattr(error, "problem", None) or "it is too deep"
        raise FileFault(f"{name}{where}: this is no YAML: {why}") from None
    if not isinstance(raw, dict):
        raise FileFault(f"{name} has no bench in it; `wirespeed bench example` prints one")
    try:
        return Bench.model_validate(raw)
    except ValidationError as error:
        raise FileFault(_first(error, tree, name)) from None


def schema_text() -> str:
    """The JSON schema of a bench file."""
    return json.dumps(Bench.model_json_schema(), indent=2)


def example_text() -> str:
    """A whole bench file with comments."""
    return (Path(__file__).parent / "example.yaml").read_text(encoding="utf-8")


def _first(error: ValidationError, tree: Any, name: str) -> str:
    """One line for the error that stands first in the file; the others are counted."""
    places = [(_place(one), one) for one in error.errors()]
    # A list whose member is wrong is called too short as well.
    told = [(at, one) for at, one in places if not any(at == other[: len(at)] != other for other, _ in places)]
    found = sorted(((_line(tree, at), at, one) for at, one in told), key=lambda row: row[0])
    line, at, first = found[0]
    rest = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{name}:{line}: {'.'.join(map(str, at)) or 'bench'}: {_words(first)}{rest}"


def _place(error: Any) -> tuple[str | int, ...]:
    cause = (error.get("ctx") or {}).get("error")
    return (*error["loc"], *(cause.at if isinstance(cause, Misfit) else ()))


def _words(error: Any) -> str:
    match error["type"]:
        case "extra_forbidden":
            return "there is no such key; `wirespeed bench schema` has those there are"
        case "missing":
            return "it is needed and not there"
        case "too_short":
            return "a bench has two wires at least"
    message = str(error["msg"]).removeprefix("Value error, ")
    given = error["input"]
    shown = f", not {given!r}" if isinstance(given, str | int | float | bool) and repr(given) not in message else ""
    return f"{message}{shown}" if error["type"] != "value_error" else message


def _line(tree: Any, where: Sequence[str | int]) -> int:
    """The line of the node at `where`, or of the nearest one above it that there is; from 1."""
    import yaml  # noqa: PLC0415

    node, line = tree, int(tree.start_mark.line) + 1
    for part in where:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if pair is None:
                continue
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
