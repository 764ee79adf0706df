"""The interface of one measurement of any kind: check, watch, run and summarise."""

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
    """The constructor checks the options before anything is brought up, and raises UsageError.

    `at` are the options completed by the testbed file. `lasting_s` is the duration, for devices that need to know it.
    `goes_on`: it continues the journal of an earlier measurement."""

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
        """Write files in addition to the result."""

    def raise_for(self, result: AResult) -> None:
        """Raise what ended a failed measurement, or what a complete one lacks."""
        raise_for(result.ending)
