"""The end of a measurement: complete, interrupted or failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from wirespeed.ending_signals import interruption
from wirespeed.errors import WirespeedError, error_of

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


@dataclass
class Ended:
    """End of a measurement: complete by default."""

    ending: Ending = Ending()

    def interrupt(self) -> None:
        self.ending = Ending(INTERRUPTED, interruption())


@contextmanager
def ending_of(has_results: Callable[[], bool]) -> Iterator[Ended]:
    """Notes what ends the block: Ctrl-C or a failure. Without results a failure is raised."""
    ended = Ended()
    try:
        yield ended
    except KeyboardInterrupt:
        ended.interrupt()
    except WirespeedError as error:
        if not has_results():
            raise
        ended.ending = Ending(FAILED, str(error), error.exit_code)
