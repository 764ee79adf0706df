"""Results of RFC 2544's tests as a JSON document, and what their journal makes of itself (docs/result-format.md)."""

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
from wirespeed.results.rfc2544 import (
    ROWS,
    TESTS,
    BackToBackRow,
    LatencyRow,
    Method,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Row,
    Spread,
    SuiteTrial,
    Test,
    ThroughputRow,
    attribute_of,
)
from wirespeed.results.sample_json import valid
from wirespeed.results.trial_json import asked_from_json, asked_to_json

KIND = "rfc2544"
SCHEMA = "wirespeed-rfc2544/1"

_METHOD = TypeAdapter(Method)
_ROWS: Mapping[Test, TypeAdapter[Any]] = {test: TypeAdapter(row) for test, row in ROWS.items()}


def to_json(result: Rfc2544Result) -> dict[str, Any]:
    """The document as written to disk."""
    rows = {attribute_of(test): [row_to_json(row) for row in result.rows(test)] for test in TESTS}
    return {
        **head_to_json(result),
        **{name: found for name, found in rows.items() if found},
        "spent_s": result.spent_s,
        "ending": asdict(result.ending),
        "trials": [suite_trial_to_json(trial) for trial in result.trials],
    }


def head_to_json(result: Rfc2544Result) -> dict[str, Any]:
    """What is known when the tests begin."""
    tests = result.method.tests
    return {
        **common_head_to_json(result, SCHEMA),
        "method": asdict(result.method),
        "conformance": {test: result.method.conformance(test) for test in tests},
    }


def row_to_json(row: Row) -> dict[str, Any]:
    """A row with what follows from it, for readers of the file."""
    match row:
        case ThroughputRow():
            more: dict[str, Any] = {"line_percent": row.line_percent}
        case LatencyRow():
            more = {"over_repeats_us": _spread(row.spread_us)}
        case BackToBackRow():
            more = {"over_repeats": _spread(row.spread), "implied_s": row.implied_s, "corrected_s": row.corrected_s}
        case RecoveryRow() | ResetRow():
            more = {"over_repeats_s": _spread(row.spread_s)}
        case _:
            more = {}
    return {**asdict(row), **{key: value for key, value in more.items() if value is not None}}


def _spread(spread: Spread | None) -> dict[str, Any] | None:
    return None if spread is None else asdict(spread)


def suite_trial_to_json(trial: SuiteTrial) -> dict[str, Any]:
    """What was asked for and what came of it; the loss ratio that throughput is judged by stands beside it."""
    return asked_to_json(trial, ("test", "frame"), trial.judged.loss_ratio)


def from_json(document: Any, name: str) -> Rfc2544Result:
    """A Rfc2544Result from a document; ValueError or KeyError says what is wrong or missing."""
    document = of_schema(document, SCHEMA)
    rows: dict[str, Any] = {
        attribute_of(test): tuple(valid(_ROWS[test], raw, test) for raw in list_at(document, attribute_of(test)))
        for test in TESTS
    }
    return Rfc2544Result(
        name=name,
        **head_from_json(document),
        method=valid(_METHOD, document.get("method"), "method"),
        **rows,
        trials=tuple(_trial(raw, f"trial {index}") for index, raw in enumerate(list_at(document, "trials"))),
        spent_s=as_number(document.get("spent_s", 0), "spent_s"),
        ending=ending_from_json(document),
    )


def _trial(raw: Any, where: str) -> SuiteTrial:
    raw = as_object(raw, where)
    if raw.get("test") not in TESTS:
        raise ValueError(f"test of {where} is {str(raw.get('test'))[:40]!r}")
    return SuiteTrial(
        test=raw["test"],
        frame=str(raw.get("frame", "")),
        **asked_from_json(raw, where),
    )


@dataclass(frozen=True)
class Rfc2544Journal:
    """Writes trials into a journal as they come, and rows as they are found."""

    journal: Journal

    def begin(self, head: Rfc2544Result) -> None:
        told = {"name": head.name, "started": head.ending.started, "notes": list(head.ending.notes)}
        self.journal.begin(KIND, {**told, **head_to_json(head)})

    def add(self, trial: SuiteTrial) -> None:
        self.journal.add(suite_trial_to_json(trial))

    def found(self, test: Test, row: Row) -> None:
        self.journal.add({"row_of": test, "row": row_to_json(row)})


def from_journal(head: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], path: Path) -> Rfc2544Result:
    """The result that a journal makes: interrupted, with the rows that were found. FileFault names what is wrong."""
    trials = [entry for entry in entries if "row_of" not in entry]
    document: dict[str, Any] = {**head, "trials": trials}
    for entry in entries:
        if "row_of" in entry:
            document.setdefault(str(entry["row_of"]).replace("-", "_"), []).append(entry.get("row"))
    reason = f"the tests did not end by themselves; {len(trials)} trials are from their journal"
    try:
        result = from_json(document, name=str(head.get("name") or path.stem))
        notes = tuple(map(str, head.get("notes", ())))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileFault(f"{path} is no journal of RFC 2544 tests: {why(error)}") from None
    return replace(
        result,
        spent_s=sum(trial.trial.effective_s for trial in result.trials),
        ending=Ending(status=INTERRUPTED, reason=reason, started=str(head.get("started", "")), notes=notes),
    )
