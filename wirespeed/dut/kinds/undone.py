"""Commands that succeed where nothing is left to undo: a step's thing, or what the thing was on, is not there."""

from __future__ import annotations

import shlex


def no_file(path: str) -> str:
    return f"test ! -e {shlex.quote(path)}"


def no_interface(name: str) -> str:
    """For Linux."""
    return no_file(f"/sys/class/net/{name}")


def lacks(question: str, text: str) -> str:
    """`question` is answered, and no line of the answer has `text` as whole words."""
    return f"o=$({question}) && ! printf '%s\\n' \"$o\" | grep -qwF -e {shlex.quote(text)}"


def either(*checks: str) -> str:
    return " || ".join(f"{{ {check}; }}" for check in checks)
