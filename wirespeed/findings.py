"""What is wrong with a configuration: where, which value, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Path = tuple[str | int, ...]
"""Keys and list indices from the top of the document."""


@dataclass(frozen=True)
class Finding:
    """`says` names the value and what it breaks, `mend` what to do; `line` counts from 1, 0 where nobody knows it yet.
    `rule` is the one that found it."""

    path: Path
    says: str
    mend: str
    rule: str = ""
    line: int = 0

    def text(self, file: str) -> str:
        """One line: `FILE:LINE: path: what; what to do (rule)`."""
        where = ".".join(map(str, self.path)) or "configuration"
        return f"{file}:{self.line}: {where}: {self.says}; {self.mend} ({self.rule})"

    def fields(self) -> dict[str, object]:
        """For JSON."""
        where = ".".join(map(str, self.path))
        return {"line": self.line, "path": where, "says": self.says, "mend": self.mend, "rule": self.rule}


def shown(value: object, most: int = 60) -> str:
    """A value of the file on one line, cut where it is long."""
    text = " ".join(str(value).split()) if isinstance(value, str) else repr(value)
    return text if len(text) <= most else f"{text[:most]}…"


def listed(words: Sequence[str], most: int = 5) -> str:
    """`a, b and 3 more`."""
    told = ", ".join(words[:most])
    return told if len(words) <= most else f"{told} and {len(words) - most} more"
