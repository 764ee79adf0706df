"""The result of a search as a JSON document, and what its journal makes of itself (docs/result-format.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from wirespeed.errors import FileFault
from wirespeed.results.ending import Ending
from wirespeed.results.journal import Journal
from wirespeed.results.json_values import as_number, as_object, list_at
from wirespeed.results.loadtest_json import why
from wirespeed.results.outcome import INTERRUPTED, PortFacts
from wirespeed.results.sample_json import channel_of, valid
from wirespeed.results.search import Goal, GoalOutcome, SearchResult, SearchTrial
from wirespeed.results.trial_json import trial_from_json, trial_to_json

KIND = "search"
SCHEMA = "wirespeed-search/1"

_PORT = TypeAdapter(PortFacts)
_OUTCOME = TypeAdapter(GoalOutcome)
_ENDING = TypeAdapter(Ending)
_TRIAL_FIELDS = ("number", "purpose", "load_pps", "intended_s", "label", "set_aside")


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
        "schema": SCHEMA,
        "versions": dict(result.versions),
        "vars": dict(result.variables),
        "lab": dict(result.lab),
        "ports": [asdict(port) for port in result.ports.values()],
        "directions": [str(channel) for channel in result.directions],
        "dut": dict(result.dut),
        "least_pps": result.least_pps,
        "most_pps": result.most_pps,
        "most_is_line": result.most_is_line,
        "frame_bytes": {str(port): length for port, length in result.frame_bytes.items()},
    }


def search_trial_to_json(trial: SearchTrial) -> dict[str, Any]:
    """What was asked for and what came of it; the loss ratio that goals are judged by stands beside it."""
    asked = {key: getattr(trial, key) for key in _TRIAL_FIELDS if getattr(trial, key) != ""}
    return {**asked, "loss_ratio": trial.loss_ratio, **trial_to_json(trial.trial)}


def from_json(document: Any, name: str) -> SearchResult:
    """A SearchResult from a document; ValueError or KeyError says what is wrong or missing."""
    document = as_object(document, "its top level")
    if document.get("schema") != SCHEMA:
        raise ValueError(f"its schema is {document.get('schema')!r}, this program reads {SCHEMA!r}")
    ports = [valid(_PORT, raw, "ports") for raw in list_at(document, "ports")]
    lengths = as_object(document.get("frame_bytes", {}), "frame_bytes")
    return SearchResult(
        name=name,
        variables=as_object(document.get("vars"), "vars"),
        directions=tuple(channel_of(text, "directions") for text in list_at(document, "directions")),
        least_pps=as_number(document.get("least_pps"), "least_pps"),
        most_pps=as_number(document.get("most_pps"), "most_pps"),
        most_is_line=bool(document.get("most_is_line")),
        trials=tuple(_trial(raw, f"trial {index}") for index, raw in enumerate(list_at(document, "trials"))),
        goals=tuple(valid(_OUTCOME, raw, "goals") for raw in list_at(document, "goals")),
        versions={program: str(one) for program, one in as_object(document.get("versions", {}), "versions").items()},
        lab=as_object(document.get("lab", {}), "lab"),
        dut=as_object(document.get("dut", {}), "dut"),
        ports={port.index: port for port in ports},
        frame_bytes={int(port): as_number(length, "frame_bytes") for port, length in lengths.items()},
        spent_s=as_number(document.get("spent_s", 0), "spent_s"),
        ending=valid(_ENDING, document.get("ending", {}), "ending"),
    )


def _trial(raw: Any, where: str) -> SearchTrial:
    raw = as_object(raw, where)
    purpose = raw.get("purpose")
    if purpose not in ("warm-up", "search", "mrr", "latency"):
        raise ValueError(f"purpose of {where} is {str(purpose)[:40]!r}")
    return SearchTrial(
        number=int(as_number(raw.get("number"), f"number of {where}")),
        purpose=purpose,
        load_pps=as_number(raw.get("load_pps"), f"load_pps of {where}"),
        intended_s=as_number(raw.get("intended_s"), f"intended_s of {where}"),
        trial=trial_from_json(raw, where),
        label=str(raw.get("label", "")),
        set_aside=str(raw.get("set_aside", "")),
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
