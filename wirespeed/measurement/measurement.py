"""One measurement of any kind, as whoever runs it sees it: checked, watched, run, told of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wirespeed.results.ending import raise_for

if TYPE_CHECKING:
    from threading import Event

    from rich.console import Console

    from wirespeed.measurement.options import MeasurementOptions
    from wirespeed.measurement.stand import Stand
    from wirespeed.results.journal import Journal
    from wirespeed.results.verdict import Verdict
    from wirespeed.testbed.options import StandOptions
    from wirespeed.watching import Watcher

AnOptions = TypeVar("AnOptions", bound="MeasurementOptions[Any]")
AResult = TypeVar("AResult", bound=Any)


class Measurement(ABC, Generic[AnOptions, AResult]):
    """Made from options, which it checks before anything is brought up; it raises UsageError then.

    `at` is what the options mean on their bench. `lasting_s` is how long it takes, where the device is to be told.
    `goes_on`: it goes on with the journal of an earlier one."""

    at: StandOptions
    lasting_s: float = 0.0
    goes_on: bool = False

    def __init__(self, options: AnOptions) -> None:
        self.options = options

    @classmethod
    def instead(cls, _options: AnOptions, /) -> str | None:
        """The text that these options ask for in place of a measurement."""
        return None

    @abstractmethod
    def watcher(self, console: Console) -> Watcher[Any]:
        """The view of the progress on `console`."""

    @abstractmethod
    def run(self, stand: Stand, watch: Callable[[Any], None], stop: Event, journal: Journal) -> AResult:
        """Measure until the end or until `stop` is set; the result says how it ended."""

    @staticmethod
    @abstractmethod
    def summary(result: AResult, verdict: Verdict, where: str | None, /) -> list[str]:
        """The last lines; `where` is the result's file."""

    def keep_more(self, result: AResult) -> None:
        """Write what is kept beside the result."""

    def raise_for(self, result: AResult) -> None:
        """Raise what ended a failed measurement, or what a complete one lacks."""
        raise_for(result.ending)
