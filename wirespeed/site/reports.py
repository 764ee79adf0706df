"""A result's report as a page of the site: what all such pages have alike stands in files beside them.

The one place that calls the report.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from wirespeed.report.render import render

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_LARGE = 4096
_SUFFIX = {"script": ".js", "style": ".css"}
_SOURCES = re.compile(r"(script-src|style-src) ")
_OWN = r"\1 'self' file: "
"""Of a page that stands in a folder: a browser takes what lies there for its own, or not, by `file:`."""


@dataclass(frozen=True)
class ReportPage:
    """`assets` are by their names, which say what is in them."""

    text: str
    assets: dict[str, str]


def report_page(file: Path, title: str, date: str, navigation: str, assets: str) -> ReportPage:
    """Of one result or inspection; `navigation` is HTML that goes on top, `assets` where those lie, seen from the page.
    FileFault when the file cannot be read."""
    text = render([file], title=title, date=date).text
    found: dict[str, str] = {}

    def moved(match: re.Match[str]) -> str:
        kind, content = match.groups()
        if len(content) < _LARGE:
            return match.group()
        name = asset_name(content, _SUFFIX[kind])
        found[name] = content
        if kind == "script":
            return f'<script src="{assets}{name}"></script>'
        return f'<link rel="stylesheet" href="{assets}{name}">'

    text = _INLINE.sub(moved, text)
    head, main, rest = text.partition("<main>")
    return ReportPage(f"{_SOURCES.sub(_OWN, head)}{main}\n{navigation}{rest}", found)


def asset_name(content: str, suffix: str) -> str:
    return f"{hashlib.sha256(content.encode()).hexdigest()[:16]}{suffix}"
