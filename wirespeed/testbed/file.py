"""A testbed file, read: errors name the path in the document and the line in the file."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from wirespeed.files import read_text_file
from wirespeed.testbed.model import Bench, TestbedMisfit

_MOST_BYTES = 1 << 20


def read_bench(path: Path) -> Bench:
    """The testbed that the file at `path` describes; FileFault names the first error and its line."""
    return parse_bench(read_text_file(path, "testbed file", _MOST_BYTES).decode(errors="replace"), str(path))


def parse_bench(text: str, name: str = "testbed.yaml") -> Bench:
    """Read a testbed like `read_bench`, from a text; errors call it `name`."""
    from wirespeed.documents import mapping_of, validated  # noqa: PLC0415 - YAML is slow to import

    document, keys = mapping_of(text, name, "has no testbed in it; `wirespeed testbed example` prints one")
    links = "wires" if "wires" in keys and "links" not in keys else "links"
    return validated(Bench, document, name, "testbed", _words, partial(_place, links))


def schema_text() -> str:
    """The JSON schema of a testbed file."""
    return json.dumps(Bench.model_json_schema(), indent=2)


def example_text() -> str:
    """A complete testbed file with comments."""
    return (Path(__file__).parent / "example.yaml").read_text(encoding="utf-8")


def _place(links: str, error: Any) -> tuple[str | int, ...]:
    """The path of an error in a file that has its links under the key `links`."""
    cause = (error.get("ctx") or {}).get("error")
    path = (*error["loc"], *(cause.at if isinstance(cause, TestbedMisfit) else ()))
    return (links, *path[1:]) if path[:1] == ("links",) else path


def _words(error: Any) -> str:
    return "a testbed has at least two links" if error["type"] == "too_short" else ""
