"""Problems of a configuration: place, value, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Path = tuple[str | int, ...]
"""Keys and list indices from the top of the document."""


@dataclass(frozen=True)
class FileFinding:
    """A problem: `message` names the value and the rule that it breaks, `fix` the change to make. `line` counts from 1,
    0 if it is not known yet; `rule` is the name of the rule."""

    path: Path
    message: str
    fix: str
    rule: str = ""
    line: int = 0

    def text(self, file: str) -> str:
        """One line: `FILE:LINE: path: what; what to do (rule)`."""
        where = ".".join(map(str, self.path)) or "configuration"
        return f"{file}:{self.line}: {where}: {self.message}; {self.fix} ({self.rule})"

    def fields(self) -> dict[str, object]:
        """For JSON."""
        where = ".".join(map(str, self.path))
        return {"line": self.line, "path": where, "message": self.message, "fix": self.fix, "rule": self.rule}


def shown(value: object, most: int = 60) -> str:
    """A value of the file on one line, truncated if it is long."""
    text = " ".join(str(value).split()) if isinstance(value, str) else repr(value)
    return text if len(text) <= most else f"{text[:most]}…"


def listed(words: Sequence[str], most: int = 5) -> str:
    """`a, b and 3 more`."""
    told = ", ".join(words[:most])
    return told if len(words) <= most else f"{told} and {len(words) - most} more"
