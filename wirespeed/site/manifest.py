"""The sources of each file of a site, so that the next build makes only what changed.

The program is a source too: another version, or another state of its code, makes all files again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from wirespeed import __version__
from wirespeed.site.entries import ResultDetails

NAME = ".wirespeed-site.json"
_FORMAT = 1
_PACKAGES = ("site", "report", "measurement", "charts", "pages", "explain", "compare", "results")
"""The packages whose code decides the content of a page."""


@dataclass(frozen=True)
class Made:
    """A result in the site: its inputs, its files, and the data from its result file."""

    source: str
    files: tuple[str, ...]
    told: ResultDetails


@dataclass(frozen=True)
class Manifest:
    """`pages` are those of several results: what each was made from. `archives` are by file the results in it."""

    program: str = ""
    results: Mapping[str, Made] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    archives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def source_of(*parts: Any) -> str:
    """One word for what something is made from; values, whose `repr` says all of them."""
    return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()[:24]


@cache
def program() -> str:
    """The version and the state of the sources that pages are made by."""
    digest = hashlib.sha256(f"{_FORMAT} {__version__}".encode())
    for package in _PACKAGES:
        for name, content in _files(resources.files("wirespeed").joinpath(package)):
            digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:24]


def _files(folder: Traversable) -> Iterable[tuple[str, bytes]]:
    for path in sorted(folder.iterdir(), key=lambda one: one.name):
        if path.is_dir() and path.name != "__pycache__":
            yield from _files(path)
        elif path.is_file():
            yield path.name, path.read_bytes()


def is_site(folder: Path) -> bool:
    return (folder / NAME).is_file()


def read(folder: Path) -> Manifest:
    """Manifest of the site in `folder`. It is empty, so that all is made again, if there is none, if another program
    made it, or if it cannot be read."""
    try:
        document = json.loads((folder / NAME).read_bytes())
        if document["program"] != program():
            return Manifest()
        return Manifest(
            document["program"],
            {digest: _made(**made) for digest, made in document["results"].items()},
            document["pages"],
            {file: tuple(digests) for file, digests in document["archives"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Manifest()


def write(folder: Path, manifest: Manifest) -> None:
    text = json.dumps(asdict(manifest), ensure_ascii=True, separators=(",", ":"))
    (folder / NAME).write_text(text, encoding="ascii")


def _made(source: str, files: list[str], told: dict[str, Any]) -> Made:
    lists = {name: tuple(told[name]) for name in ("device", "sentences", "shown")}
    texts = tuple((name, file) for name, file in told["texts"])
    return Made(source, tuple(files), ResultDetails(**{**told, **lists, "texts": texts}))
