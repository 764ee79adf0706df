"""The result of a search as a JSON document, and what its journal makes of itself (docs/result-format.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from wirespeed.errors import FileFault
from wirespeed.results.ending import INTERRUPTED, Ending
from wirespeed.results.head_json import ending_from_json, head_from_json, of_schema
from wirespeed.results.head_json import head_to_json as common_head_to_json
from wirespeed.results.journal import Journal
from wirespeed.results.json_values import as_number, as_object, list_at
from wirespeed.results.loadtest_json import why
from wirespeed.results.sample_json import valid
from wirespeed.results.search import Goal, GoalOutcome, SearchResult, SearchTrial
from wirespeed.results.trial_json import asked_from_json, asked_to_json

KIND = "search"
SCHEMA = "wirespeed-search/1"

_OUTCOME = TypeAdapter(GoalOutcome)


def to_json(result: SearchResult) -> dict[str, Any]:
    """The document as written to disk; `mrr` follows from the trials and stands there for readers of the file."""
    mrr = result.mrr
    return {
        **head_to_json(result),
        "goals": [asdict(goal) for goal in result.goals],
        **({} if mrr is None else {"mrr": asdict(mrr)}),
        "spent_s": result.spent_s,
        "ending": asdict(result.ending),
        "trials": [search_trial_to_json(trial) for trial in result.trials],
    }


def head_to_json(result: SearchResult) -> dict[str, Any]:
    """What is known when a search begins."""
    return {
        **common_head_to_json(result, SCHEMA),
        "least_pps": result.least_pps,
        "most_pps": result.most_pps,
        "most_is_line": result.most_is_line,
        "frame_bytes": {str(port): length for port, length in result.frame_bytes.items()},
    }


def search_trial_to_json(trial: SearchTrial) -> dict[str, Any]:
    """What was asked for and what came of it; the loss ratio that goals are judged by stands beside it."""
    return asked_to_json(trial, ("purpose",), trial.loss_ratio)


def from_json(document: Any, name: str) -> SearchResult:
    """A SearchResult from a document; ValueError or KeyError says what is wrong or missing."""
    document = of_schema(document, SCHEMA)
    lengths = as_object(document.get("frame_bytes", {}), "frame_bytes")
    return SearchResult(
        name=name,
        **head_from_json(document),
        least_pps=as_number(document.get("least_pps"), "least_pps"),
        most_pps=as_number(document.get("most_pps"), "most_pps"),
        most_is_line=bool(document.get("most_is_line")),
        trials=tuple(_trial(raw, f"trial {index}") for index, raw in enumerate(list_at(document, "trials"))),
        goals=tuple(valid(_OUTCOME, raw, "goals") for raw in list_at(document, "goals")),
        frame_bytes={int(port): as_number(length, "frame_bytes") for port, length in lengths.items()},
        spent_s=as_number(document.get("spent_s", 0), "spent_s"),
        ending=ending_from_json(document),
    )


def _trial(raw: Any, where: str) -> SearchTrial:
    raw = as_object(raw, where)
    purpose = raw.get("purpose")
    if purpose not in ("warm-up", "search", "mrr", "latency"):
        raise ValueError(f"purpose of {where} is {str(purpose)[:40]!r}")
    return SearchTrial(
        purpose=purpose,
        **asked_from_json(raw, where),
    )


@dataclass(frozen=True)
class SearchJournal:
    """Writes a search into a journal; its goals stand in the head as outcomes that found nothing yet."""

    journal: Journal

    def begin(self, head: SearchResult, goals: Sequence[Goal]) -> None:
        told = {"name": head.name, "started": head.ending.started, "notes": list(head.ending.notes)}
        searched = {"goals": [asdict(GoalOutcome(goal)) for goal in goals]}
        self.journal.begin(KIND, {**told, **head_to_json(head), **searched})

    def add(self, trial: SearchTrial) -> None:
        self.journal.add(search_trial_to_json(trial))


def from_journal(head: Mapping[str, Any], trials: Sequence[Mapping[str, Any]], path: Path) -> SearchResult:
    """The result that a journal makes: interrupted, its goals irregular. FileFault names what is wrong."""
    reason = f"the search did not end by itself; its {len(trials)} trials are from its journal"
    try:
        result = from_json({**head, "trials": list(trials)}, name=str(head.get("name") or path.stem))
        notes = tuple(map(str, head.get("notes", ())))
    except (KeyError, TypeError, ValueError) as error:
        raise FileFault(f"{path} is no journal of a search: {why(error)}") from None
    return replace(
        result,
        goals=tuple(replace(goal, irregular=reason) for goal in result.goals),
        spent_s=sum(trial.trial.effective_s for trial in result.trials),
        ending=Ending(status=INTERRUPTED, reason=reason, started=str(head.get("started", "")), notes=notes),
    )
