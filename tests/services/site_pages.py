"""A built site for tests: its pages, their links, and a validator's complaints."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

TIDY = shutil.which("tidy")
_UNKNOWN = ("<dl>", "<dt>", "<dd>", "</dl>", "<a> proprietary attribute")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.tags: set[str] = set()
        self.inline: list[str] = []

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.tags.add(tag)
        self.links += [told[name] for name in ("href", "src") if told.get(name)]
        self.inline += [name for name in told if name.startswith("on")]
        if told.get("id"):
            self.anchors.add(told["id"])


def parsed(page: Path) -> _Links:
    found = _Links()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def broken_links(site: Path) -> list[str]:
    """Links of all pages to files that are not there, to places that a page does not have, or out of the site."""
    found = {page: parsed(page) for page in pages(site)}
    wrong = []
    for page, one in found.items():
        for link in one.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = found.get(target)
            if parts.scheme or parts.netloc or not target.is_relative_to(site.resolve()) or not target.is_file():
                wrong.append(f"{page.relative_to(site)}: {link}")
            elif parts.fragment and known is not None and parts.fragment not in known.anchors:
                wrong.append(f"{page.relative_to(site)}: {link} has no such place")
    return wrong


def linked(site: Path) -> set[str]:
    """Files of the site to which some page links."""
    return {
        str((page.parent / unquote(urlsplit(link).path)).resolve().relative_to(site.resolve()))
        for page in pages(site)
        for link in parsed(page).links
        if urlsplit(link).path and not urlsplit(link).scheme
    }


def invalid(page: Path) -> list[str]:
    """Complaints of tidy about a page, except for HTML 5 that tidy does not know: groups in a `dl` and links in an
    `svg`.
    """
    if TIDY is None:
        pytest.skip("pages were NOT validated: apt-get install tidy")
    said = subprocess.run(
        [TIDY, "-quiet", "-errors", "-utf8", "--drop-empty-elements", "no", str(page)],
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    return [line for line in said.splitlines() if not any(word in line for word in _UNKNOWN)]
