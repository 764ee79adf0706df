"""The text of a start-up file as statements: words, numbers and blocks, each known by its line.

A file is a run of words in which braces nest and `#` begins a comment; lines mean nothing beyond that. So where one
statement ends follows from what each word takes, which the `Form` of its key says.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.errors import FileFault, UsageError
from wirespeed.files import read_text_file

_TOKEN = re.compile(r"#[^\n]*|[{}]|[^\s{}#][^\s{}]*|\n")
_MOST_DEPTH = 16
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Token:
    """A word or a brace, and where it stands."""

    text: str
    line: int


@dataclass(frozen=True)
class StartupPlace:
    """File and line of a statement; `error` returns the error for it."""

    file: str
    line: int

    def error(self, message: str) -> UsageError:
        return UsageError(f"{self.file}:{self.line}: {message}")


@dataclass(frozen=True)
class Statement:
    """One thing that the file says: `num-rx-desc 512`, `dev default { … }`. `inner` is what its braces hold."""

    key: str
    value: Any
    place: StartupPlace
    inner: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Form:
    """Syntax of a statement after its key. `read` returns the value of a single word or raises ValueError with the
    allowed values; `unused` statements are accepted without effect; `skip` accepts a block with any content."""

    read: Callable[[str], Any] | None = None
    block: StartupBlock | None = None
    unused: bool = False
    skip: bool = False


@dataclass(frozen=True)
class StartupBlock:
    """Statements that are allowed in a pair of braces: forms by key, which has one word or several."""

    forms: Mapping[str, Form]


def read_file(path: Path, block: StartupBlock) -> tuple[Statement, ...]:
    """Read a whole file; FileFault when that cannot be done, UsageError with file, line and word when it is wrong."""
    try:
        text = read_text_file(path, "start-up file", _MOST_BYTES).decode()
    except UnicodeDecodeError:
        raise FileFault(f"start-up file {path} is not text; give a startup.conf") from None
    return read_text(text, str(path), block)


def read_text(text: str, file: str, block: StartupBlock) -> tuple[Statement, ...]:
    """Read the text of the file that errors call `file`."""
    return _Reader(list(_tokens(text)), file).statements(block, None)


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word == "\n":
            line += 1
        elif not word.startswith("#"):
            yield Token(word, line)


class _Reader:
    """Recursive descent over the tokens, the block at hand saying what may come."""

    def __init__(self, tokens: Sequence[Token], file: str) -> None:
        self._tokens = tokens
        self._file = file
        self._at = 0
        self._depth = 0

    def statements(self, block: StartupBlock, opened: Token | None) -> tuple[Statement, ...]:
        """All up to the brace that closes `opened`, or up to the end of the file when that is None."""
        parsed: list[Statement] = []
        while (token := self._peek()) is not None:
            if token.text == "}":
                if opened is None:
                    raise self._error(token, "unexpected '}': no block is open")
                self._at += 1
                return tuple(parsed)
            parsed.append(self._statement(block))
        if opened is not None:
            raise self._error(opened, "'{' is never closed")
        return tuple(parsed)

    def _statement(self, block: StartupBlock) -> Statement:
        key, form, first = self._key(block)
        place = StartupPlace(self._file, first.line)
        value = True if form.read is None else self._value(key, form.read, first)
        inner: tuple[Statement, ...] = ()
        if form.skip:
            self._skip(first)
        elif form.block is not None and self._next_is("{"):
            inner = self._inner(form.block)
        return Statement(key, value, place, inner)

    def _key(self, block: StartupBlock) -> tuple[str, Form, Token]:
        """The form that the next words name; of several, the one of most words."""
        first = self._take()
        if first.text == "{":
            raise self._error(first, f"'{{' is not allowed here: expected {_allowed(block)}")
        for more in range(max(key.count(" ") for key in block.forms), -1, -1):
            key = " ".join(token.text for token in (first, *self._tokens[self._at : self._at + more]))
            if key in block.forms:
                self._at += key.count(" ")
                return key, block.forms[key], first
        near = difflib.get_close_matches(first.text, block.forms, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise self._error(first, f"{first.text!r} is unknown here: expected {_allowed(block)}{hint}")

    def _value(self, key: str, read: Callable[[str], Any], first: Token) -> Any:
        token = self._peek()
        if token is None or token.text in "{}":
            raise self._error(first, f"{key!r} needs a value")
        self._at += 1
        try:
            return read(token.text)
        except ValueError as error:
            raise self._error(token, f"{key} {token.text}: {error}") from None

    def _inner(self, block: StartupBlock) -> tuple[Statement, ...]:
        opened = self._take()
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise self._error(opened, f"blocks go {_MOST_DEPTH} deep at most")
        inner = self.statements(block, opened)
        self._depth -= 1
        return inner

    def _skip(self, first: Token) -> None:
        """A block with all that is in it, or the one word that stands in its place."""
        opened = self._peek()
        if opened is None or opened.text == "}":
            raise self._error(first, f"{first.text!r} needs a block in braces")
        depth = 0
        while (token := self._peek()) is not None:
            self._at += 1
            depth += (token.text == "{") - (token.text == "}")
            if not depth:
                return
        raise self._error(opened, "'{' is never closed")

    def _next_is(self, text: str) -> bool:
        token = self._peek()
        return token is not None and token.text == text

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _error(self, token: Token, message: str) -> UsageError:
        return StartupPlace(self._file, token.line).error(message)


def _allowed(block: StartupBlock) -> str:
    """The keys that have an effect: those without are no help to anyone."""
    keys = [key for key, form in block.forms.items() if not form.unused]
    return f"one of {', '.join(sorted(keys))}" if keys else "'}'"
