"""The journal of a load test: its samples as they come, and the result that they make when it did not end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirespeed.errors import FileFault
from wirespeed.results.analysis import judged
from wirespeed.results.ending import INTERRUPTED, Ending
from wirespeed.results.journal import Journal
from wirespeed.results.loadtest import Result
from wirespeed.results.loadtest_json import KIND, from_json, head_to_json, why
from wirespeed.results.outcome import Outcome
from wirespeed.results.sample import Sample
from wirespeed.results.sample_json import sample_to_json


@dataclass(frozen=True)
class LoadtestJournal:
    """Writes a load test into a journal."""

    journal: Journal

    def begin(self, head: Result) -> None:
        told = {"name": head.name, "started": head.ending.started, "threshold": head.outcome.threshold}
        self.journal.begin(KIND, {**told, "notes": list(head.ending.notes), **head_to_json(head)})

    def add(self, sample: Sample) -> None:
        self.journal.add(sample_to_json(sample))


def from_journal(head: Mapping[str, Any], samples: Sequence[Mapping[str, Any]], path: Path) -> Result:
    """The result that a journal makes: interrupted, with the samples it holds. FileFault names what is wrong."""
    document = {**head, "stats": {str(index): sample for index, sample in enumerate(samples)}, "outcome": {}}
    try:
        result = from_json(document, name=str(head.get("name") or path.stem))
        reason = f"the test did not end by itself; its {len(samples)} samples are from its journal"
        notes = tuple(map(str, head.get("notes", ())))
        ending = Ending(status=INTERRUPTED, reason=reason, started=str(head.get("started", "")), notes=notes)
        outcome = Outcome(float(head.get("threshold", Outcome().threshold)))
    except (KeyError, TypeError, ValueError) as error:
        raise FileFault(f"{path} is no journal of a load test: {why(error)}") from None
    return judged(replace(result, ending=ending, outcome=outcome))
