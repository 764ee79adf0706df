"""A measurement written into its journal as it comes, so that nothing is lost with the process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from wirespeed.results.codec import to_json
from wirespeed.results.journal import Journal
from wirespeed.results.measurement import MeasurementResult


class Recorder(Protocol):
    """Stores the head of a result, then each sample, trial or row."""

    def begin(self, head: Any) -> None: ...
    def add(self, entry: Any) -> None: ...


@dataclass(frozen=True)
class JournalRecorder:
    """Keeps them in a journal, each as `write` makes it."""

    journal: Journal
    write: Callable[[Any], dict[str, Any]] = to_json

    def begin(self, head: MeasurementResult) -> None:
        self.journal.begin(head.kind, {"name": head.name, "started": head.ending.started, **head.to_json()})

    def add(self, entry: Any) -> None:
        self.journal.add(self.write(entry))
