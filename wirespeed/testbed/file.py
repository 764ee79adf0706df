"""`bench.yaml` read: errors name the path in the document and the line in the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wirespeed.files import read_text_file
from wirespeed.testbed.model import Bench, TestbedMisfit

_MOST_BYTES = 1 << 20


def read_bench(path: Path) -> Bench:
    """The bench that the file at `path` says; FileFault names the first thing that is wrong, and its line."""
    return parse_bench(read_text_file(path, "bench file", _MOST_BYTES).decode(errors="replace"), str(path))


def parse_bench(text: str, name: str = "bench.yaml") -> Bench:
    """Read a testbed like `read_bench`, from a text; errors call it `name`."""
    from wirespeed.documents import mapping_of, validated  # noqa: PLC0415 - YAML is slow to import

    document, _ = mapping_of(text, name, "has no bench in it; `wirespeed testbed example` prints one")
    return validated(Bench, document, name, "bench", _words, _place)


def schema_text() -> str:
    """The JSON schema of a bench file."""
    return json.dumps(Bench.model_json_schema(), indent=2)


def example_text() -> str:
    """A whole bench file with comments."""
    return (Path(__file__).parent / "example.yaml").read_text(encoding="utf-8")


def _place(error: Any) -> tuple[str | int, ...]:
    cause = (error.get("ctx") or {}).get("error")
    return (*error["loc"], *(cause.at if isinstance(cause, TestbedMisfit) else ()))


def _words(error: Any) -> str:
    match error["type"]:
        case "extra_forbidden":
            return "there is no such key; `wirespeed testbed schema` has those there are"
        case "too_short":
            return "a bench has two wires at least"
    return ""
