"""Rows of a corpus as people and programs read them. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wirespeed.results.figures import MEGA, NOTHING, measured_text
from wirespeed.results.verdict import Figure, Mark
from wirespeed.tables import Columns, Grid, grid

_ID, _VERSION = 8, 16


def results_grid(rows: Iterable[Mapping[str, Any]]) -> Grid:
    columns: Columns[Mapping[str, Any]] = {
        "id": _id,
        "started": lambda row: str(row["started"][:10]),
        "kind": lambda row: str(row["kind"]),
        "dut": lambda row: str(row["dut"]),
        "version": _version,
        "load": _load,
        "figure": lambda row: _headline(row, lambda figure: figure.name),
        "Mpps": lambda row: _headline(row, lambda figure: figure.scaled(MEGA)),
        "mark": lambda row: _headline(row, lambda figure: figure.mark),
        "limit": lambda row: "file missing" if row["is_missing"] else str(row["limited_by"]),
        "tags": lambda row: " ".join(row["tags"]),
    }
    return grid("results", columns, rows, texts=len(columns) - 4, remarks=3)


def _headline(row: Mapping[str, Any], text: Callable[[Figure], str]) -> str:
    return NOTHING if row["headline"] is None else text(_figure(row["headline"]))


def figures_grid(rows: Iterable[Mapping[str, Any]]) -> Grid:
    """`?` marks an unreliable figure."""
    columns: Columns[Mapping[str, Any]] = {
        "id": _id,
        "figure": lambda row: str(row["figure"]),
        "Mpps": lambda row: _marked(row, _figure(row).scaled(MEGA)),
        "Mpps/W": lambda row: MEGA.text(row["per_watt"]),
        "dut": lambda row: str(row["dut"]),
        "version": _version,
        "load": _load,
        "limit": lambda row: str(row["limited_by"]),
    }
    return grid("figures", columns, rows, texts=2, remarks=4)


def _figure(row: Mapping[str, Any]) -> Figure:
    mark: Mark = "irregular" if row["irregular"] else row["mark"]
    return Figure(row["figure"], mark, rate_pps=row["rate_pps"], bound=row["bound"], upper_pps=row["upper_pps"])


def _marked(row: Mapping[str, Any], text: str) -> str:
    return f"{text}?" if row["irregular"] else text


def as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """A list of objects, with the columns of the index as their keys."""
    return json.dumps([_document(row) for row in rows], ensure_ascii=False, indent=1)


def shown(row: Mapping[str, Any], figures: Sequence[Mapping[str, Any]], path: str) -> list[str]:
    """All that the index knows of a result, a line each."""
    lines = [f"{key:<12} {value}" for key, value in _facts(row, path) if value not in ("", None)]
    for figure in figures:
        more = "" if figure["per_watt"] is None else f", {measured_text(figure['per_watt'])} per watt"
        why = f": {figure['irregular']}" if figure["irregular"] else ""
        lines.append(f"{figure['figure']:<12} {_marked(figure, _figure(figure).text)}{more}{why}")
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
