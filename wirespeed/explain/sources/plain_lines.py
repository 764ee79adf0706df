"""Text that people copied from pages, mails and terminals, as the lines that the program printed. Pure."""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_BREAK = re.compile(r"<br\s*/?>|</(?:tr|p|div|li|pre|h\d)>", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^\x00]{0,4000}?</tr>", re.IGNORECASE)
"""A row of a page; longer ones are not rows of a router's table."""
_CELL = re.compile(r"</t[dh]>", re.IGNORECASE)
_QUOTED = re.compile(r"^(?:\s*>)+ ?(?=.)|^\s*>\s*$")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TABLE = re.compile(r"\s*\|(.*)\|\s*")


def plain_lines(text: str) -> list[str]:
    """The lines without quote marks, HTML, markdown tables and terminal colours, each where it was in the text."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " "))
    if _TAG.search(text) and re.search(r"</(?:pre|td|p|div|span|code|br)>|<br\b|<pre\b", text, re.IGNORECASE):
        text = _without_tags(text)
    return [_plain(line) for line in text.split("\n")]


def plain_text(text: str) -> str:
    """The plain lines as one text."""
    return "\n".join(plain_lines(text))


def _without_tags(text: str) -> str:
    # The cells of a row are its columns, wherever the page breaks its lines.
    text = _ROW.sub(lambda row: _CELL.sub("  ", row[0].replace("\n", " ")) + "\n" * (row[0].count("\n") - 1), text)
    text = _BREAK.sub(lambda tag: "\n", re.sub(r"(<br\s*/?>|</(?:tr|p|div|li|pre)>)[ \t]*\n", "\n", text))
    return html.unescape(_TAG.sub("", text)).replace("\xa0", " ")


def _plain(line: str) -> str:
    line = _QUOTED.sub("", line)
    cells = _TABLE.fullmatch(line)
    if cells is not None and "|" in cells[1]:
        return "  ".join(cell.strip() for cell in cells[1].split("|"))
    return line.rstrip()
