"""Rows of a corpus as people and programs read them. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wirespeed.results.figures import measured_text
from wirespeed.results.verdict import Figure

RESULT_HEAD = ("id", "started", "kind", "dut", "version", "load", "limit", "tags")
FIGURE_HEAD = ("id", "figure", "rate", "pps/W", "dut", "version", "load", "limit")
_ID, _VERSION = 8, 16


def result_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Cells in the order of RESULT_HEAD."""
    return (
        _id(row),
        row["started"][:10],
        row["kind"],
        row["dut"],
        _version(row),
        _load(row),
        "file missing" if row["is_missing"] else row["limited_by"],
        " ".join(row["tags"]),
    )


def figure_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Cells in the order of FIGURE_HEAD. `?` marks an unreliable figure."""
    figure = Figure(
        row["figure"], row["mark"], rate_pps=row["rate_pps"], bound=row["bound"], upper_pps=row["upper_pps"]
    )
    rate = figure.text
    rate += "?" if row["irregular"] else ""
    per_watt = "" if row["per_watt"] is None else measured_text(row["per_watt"], "")
    return (
        _id(row),
        row["figure"],
        rate,
        per_watt,
        row["dut"],
        _version(row),
        _load(row),
        row["limited_by"],
    )


def as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """A list of objects, with the columns of the index as their keys."""
    return json.dumps([_document(row) for row in rows], ensure_ascii=False, indent=1)


def shown(row: Mapping[str, Any], figures: Sequence[Mapping[str, Any]], path: str) -> list[str]:
    """All that the index knows of a result, a line each."""
    lines = [f"{key:<12} {value}" for key, value in _facts(row, path) if value not in ("", None)]
    for figure in figures:
        _, name, rate, per_watt, *_ = figure_cells(figure)
        more = f", {per_watt.strip()}pps per watt" if per_watt else ""
        why = f": {figure['irregular']}" if figure["irregular"] else ""
        lines.append(f"{name:<12} {rate}{more}{why}")
    return lines


def _facts(row: Mapping[str, Any], path: str) -> list[tuple[str, Any]]:
    names = ("title", "kind", "started", "status", "dut", "version", "build", "cpu", "lab", "load", "directions")
    return [
        ("id", row["digest"]),
        *((name, row[name]) for name in names),
        ("limit", row["limited_by"]),
        ("watts", row["watts"]),
        ("tags", " ".join(row["tags"])),
        ("file", f"{path}{' (missing)' if row['is_missing'] else ''}"),
    ]


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    return {("limit" if key == "limited_by" else key): value for key, value in row.items() if key != "id"}


def _id(row: Mapping[str, Any]) -> str:
    return str(row["digest"][:_ID])


def _load(row: Mapping[str, Any]) -> str:
    return f"{row['load']} {row['directions'].replace(', ', ' ')}".strip()


def _version(row: Mapping[str, Any]) -> str:
    """The build if it is known, otherwise the version that the DUT reports."""
    text = row["build"] or row["version"].removeprefix(f"{row['dut']} ").partition(" (")[0]
    return text if len(text) <= _VERSION else f"{text[: _VERSION - 1]}…"
