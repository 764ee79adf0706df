"""The interface of one measurement of any kind: check, watch, run and summarise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wirespeed.results.ending import raise_for
from wirespeed.results.recorder import JournalRecorder

if TYPE_CHECKING:
    from rich.console import Console

    from wirespeed.measurement.execution import Execution
    from wirespeed.measurement.options import MeasurementOptions
    from wirespeed.results.journal import Journal
    from wirespeed.results.subjects import Judge
    from wirespeed.results.verdict import Verdict
    from wirespeed.testbed.options import StandOptions
    from wirespeed.watching import Watcher

AnOptions = TypeVar("AnOptions", bound="MeasurementOptions[Any]")
AResult = TypeVar("AResult", bound=Any)


class Measurement(ABC, Generic[AnOptions, AResult]):
    """The constructor checks the options before anything is brought up, and raises UsageError.

    `at` are the options completed by the testbed file, and `plan` is made of them. `lasting_s` is the duration, for
    devices that need to know it. `goes_on`: it continues the journal of an earlier measurement."""

    at: StandOptions
    plan: Any
    lasting_s: float = 0.0
    goes_on: bool = False

    def __init__(self, options: AnOptions) -> None:
        self.options = options

    @classmethod
    def instead(cls, _options: AnOptions, _judge: Judge, /) -> str | None:
        """The text that these options ask for in place of a measurement."""
        return None

    @staticmethod
    @abstractmethod
    def view(console: Console, title: str, quiet: bool, /) -> Watcher[Any]:
        """The progress on `console`, under the title of the plan."""

    def watcher(self, console: Console) -> Watcher[Any]:
        return self.view(console, self.plan.title, self.options.quiet)

    @abstractmethod
    def run(self, plan: Any, execution: Execution) -> AResult:
        """Measure until the end or until the execution is stopped; the result says how it ended. `plan` is that of the
        measurement, for the lab and the device that are there."""

    def recorder(self, journal: Journal) -> Any:
        """Keeps the head of the result and its entries."""
        return JournalRecorder(journal)

    @staticmethod
    @abstractmethod
    def summary(result: AResult, verdict: Verdict, where: str | None, /) -> list[str]:
        """The last lines; `where` is the result's file."""

    def keep_more(self, result: AResult, judge: Judge) -> None:
        """Write files in addition to the result."""

    @staticmethod
    def raise_for(result: AResult, /) -> None:
        """Raise what ended a failed measurement, or what a complete one lacks."""
        raise_for(result.ending)
