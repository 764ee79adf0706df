"""The end of a measurement: complete, interrupted or failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wirespeed.errors import error_of

Status = Literal["complete", "interrupted", "failed"]

COMPLETE: Status = "complete"
INTERRUPTED: Status = "interrupted"
FAILED: Status = "failed"


@dataclass(frozen=True)
class Ending:
    """The end of a measurement. `status` is `complete` if it ran to its end; otherwise `reason` and `exit_code` give
    the cause. `started` is ISO 8601 in UTC. `notes` are sentences about the whole measurement, e.g. that flow control
    could not be switched off."""

    status: Status = COMPLETE
    reason: str = ""
    exit_code: int = 0
    started: str = ""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """`complete`, or `interrupted: Ctrl-C`."""
        return f"{self.status}: {self.reason.rstrip('.')}" if self.reason else self.status


def raise_for(ending: Ending) -> None:
    """Raise what ended a failed measurement: MeasurementError, ConnectionFault or another of the tree."""
    if ending.status == FAILED:
        raise error_of(ending.exit_code, ending.reason)
