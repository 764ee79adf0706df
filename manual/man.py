"""Man pages in roff's `man` macros: wirespeed(1), and wirespeed-COMMAND(1) for each command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from manual.commands import Entry, Page
from wirespeed import __version__, errors


def man_pages(pages: Sequence[Page]) -> dict[str, str]:
    """Text of each man page by file name."""
    made = {f"wirespeed-{page.name}.1": _command(page) for page in pages}
    made["wirespeed.1"] = _overview(pages)
    return made


def exit_codes() -> tuple[dict[str, str], str]:
    """Meaning of each exit code, and a paragraph on the others, both from the docstring of `wirespeed.errors`."""
    tree, others = str(errors.__doc__).split("\n\n")[1:3]
    told: dict[str, list[str]] = {
        "0": ["done, also if the host disturbed the test and a figure reads `not measured: disturbed`"]
    }
    for code, text in re.findall(r"^\W*\w+ +(\d) +(.+)$", tree, re.MULTILINE):
        told.setdefault(code, []).append(text)
    return {code: "; ".join(texts) for code, texts in sorted(told.items())}, " ".join(others.split())


def _overview(pages: Sequence[Page]) -> str:
    codes, others = exit_codes()
    listed = (Entry(f"wirespeed-{page.name}(1)", (), "", page.summary) for page in pages)
    return _join(
        _head("wirespeed", "router load-test lab"),
        [".SH SYNOPSIS", r".B wirespeed", "COMMAND [OPTIONS]..."],
        [".SH DESCRIPTION", _text("Measure what a router really forwards, and explain why.")],
        [".SH COMMANDS", *_entries(listed)],
        [".SH EXIT STATUS", *_entries(Entry(code, (), "", told) for code, told in codes.items()), ".PP", _text(others)],
    )


def _command(page: Page) -> str:
    description = [line for part in page.paragraphs for line in (".PP", _text(part))][1:]
    return _join(
        _head(f"wirespeed-{page.name}", page.summary.rstrip(".")),
        [".SH SYNOPSIS", *_synopsis(page)],
        [".SH DESCRIPTION", *description],
        [".SH ARGUMENTS", *_entries(page.arguments)] if page.arguments else [],
        [".SH OPTIONS", *_entries(page.options)] if page.options else [],
        [".SH VERBS"] if page.verbs else [],
        *(_verb(verb) for verb in page.verbs),
        [".SH EXIT STATUS", "As of", ".BR wirespeed (1)."],
        [".SH SEE ALSO", ".BR wirespeed (1)"],
    )


def _verb(page: Page) -> list[str]:
    described = [line for part in page.paragraphs for line in (".PP", _text(part))]
    return [f".SS {_text(page.name)}", *_synopsis(page), *described, *_entries((*page.arguments, *page.options))]


def _synopsis(page: Page) -> list[str]:
    return [f".B wirespeed {page.name}", _text(page.usage.removeprefix(f"wirespeed {page.name}").strip())]


def _head(name: str, summary: str) -> list[str]:
    title = f'.TH "{name.upper()}" "1" "" "wirespeed {__version__}" "User Commands"'
    return [title, ".SH NAME", rf"{_text(name)} \- {_text(summary)}"]


def _entries(entries: Iterable[Entry]) -> list[str]:
    return [line for entry in entries for line in (".TP", rf"\fB{_text(entry.text)}\fR", _text(entry.help))]


def _text(text: str) -> str:
    """`text` with roff's special characters escaped."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    return rf"\&{escaped}" if escaped.startswith(".") else escaped


def _join(*parts: Sequence[str]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"
