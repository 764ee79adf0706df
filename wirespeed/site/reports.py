"""A result's report as a page of the site: what all such pages have alike stands in files beside them.

The one place that calls the report.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wirespeed.report.render import render

_LARGE = 4096
_SUFFIX = {"script": ".js", "style": ".css"}
_SOURCES = re.compile(r"(script-src|style-src) ")
_OWN = r"\1 'self' file: "
"""Policy of a page in a folder: browsers differ in whether files of that folder (`file:`) are the page's own."""


@dataclass(frozen=True)
class ReportPage:
    """`assets` by their names, which contain a digest of the contents."""

    text: str
    assets: dict[str, str]


def report_page(file: Path, title: str, date: str, navigation: str, assets: str) -> ReportPage:
    """Report page of one result or inspection; `navigation` is HTML for its top, `assets` the path from the page to
    the assets. FileFault if the file cannot be read."""
    text = render([file], title=title, date=date).text
    moved: dict[str, str] = {}
    parts = []
    for kind, content in _inline(text):
        if not kind or len(content) < _LARGE:
            parts.append(f"<{kind}>{content}</{kind}>" if kind else content)
            continue
        name = asset_name(content, _SUFFIX[kind])
        moved[name] = content
        parts.append(
            f'<script src="{assets}{name}"></script>'
            if kind == "script"
            else f'<link rel="stylesheet" href="{assets}{name}">'
        )
    head, main, rest = "".join(parts).partition("<main>")
    return ReportPage(f"{_SOURCES.sub(_OWN, head)}{main}\n{navigation}{rest}", moved)


def _inline(text: str) -> Iterator[tuple[str, str]]:
    """The page in its parts: (script or style, what is in it), and what is between them under an empty word. By hand,
    since an expression takes longer for the megabytes of a library than all else of a page."""
    at = 0
    while True:
        found = [(place, kind) for kind in _SUFFIX if (place := text.find(f"<{kind}>", at)) >= 0]
        if not found:
            break
        place, kind = min(found)
        begin = place + len(kind) + 2
        end = text.index(f"</{kind}>", begin)
        yield "", text[at:place]
        yield kind, text[begin:end]
        at = end + len(kind) + 3
    yield "", text[at:]


@lru_cache(maxsize=64)
def asset_name(content: str, suffix: str) -> str:
    return f"{hashlib.sha256(content.encode()).hexdigest()[:16]}{suffix}"
