"""Outcome of a cell's run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["done", "failed", "abandoned", "lost"]
DONE: Status = "done"
FAILED: Status = "failed"
ABANDONED: Status = "abandoned"
LOST: Status = "lost"


@dataclass(frozen=True)
class CellOutcome:
    """`lost`: the testbed disappeared while the cell ran, which does not count as a failure. `error` is one line,
    `exit_code` that of the failed command. `final`: another try would fail in the same way."""

    status: Status
    seconds: float = 0.0
    error: str = ""
    exit_code: int = 0

    @property
    def final(self) -> bool:
        """A word that cannot be used, and a file that cannot be written, are the same the next time."""
        return self.status == FAILED and self.exit_code in (2, 6)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> CellOutcome:
        return CellOutcome(**document)
