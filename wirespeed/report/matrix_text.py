"""The matrix of loads and devices as markdown, CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict

from wirespeed.report.matrix import Column, MatrixCell, ReportMatrix
from wirespeed.results.figures import NOTHING, Scaler
from wirespeed.tables import aligned, csv_lines, json_text, plain


def matrix_to_markdown(table: ReportMatrix, scaler: Scaler, charts: str = "") -> str:
    """Cells are `5.01 (33.7 % of line)`, with links into the page `charts`, if given; marks are listed below."""
    head = [f"{scaler.unit} (share)", *(plain(column.heading) for column in table.columns)]
    lines = [
        [plain(label), *(" / ".join(_text(cell, scaler, charts) for cell in cells) or NOTHING for cells in row)]
        for label, row in zip(table.labels, table.cells, strict=True)
    ]
    below = "".join(f"\n{plain(mark)} {words}\n" for mark, words in table.legend)
    return aligned([head, *lines], range(1, len(head)), escape=False) + below


def matrix_to_csv(table: ReportMatrix) -> str:
    """One row per load; two columns, pps and percent, for each column of the matrix, and the upper bound for goals; of
    several tests the newest with a rate."""
    head = ["load", *(f"{one.key} {what}" for one in table.columns for what in _quantities(one))]
    lines = []
    for label, row in zip(table.labels, table.cells, strict=True):
        newest = [max(cells, key=_worth, default=None) for cells in row]
        pairs = zip(newest, table.columns, strict=True)
        lines.append([label, *(value for cell, column in pairs for value in _values(cell, column))])
    return csv_lines([head, *lines])


def matrix_to_json(table: ReportMatrix, title: str) -> str:
    """Every cell with all that the long table has of its tests."""
    rows = [
        {
            "label": label,
            "cells": [
                [
                    {"rate_pps": cell.rate_pps, "percent": cell.percent, "of_percent": cell.of_percent}
                    | ({"upper_pps": cell.upper_pps} if column.goal else {})
                    | {"text": cell.figure.text, "limited_by": cell.limited_by, "sentence": cell.sentence}
                    | {"chart": cell.anchor, "figures": asdict(cell.row)}
                    for cell in cells
                ]
                for column, cells in zip(table.columns, row, strict=True)
            ],
        }
        for label, row in zip(table.labels, table.cells, strict=True)
    ]
    columns = [
        {"dut": one.dut, "direction": one.direction} | ({"goal": one.goal} if one.goal else {}) for one in table.columns
    ]
    return json_text({"title": title, "columns": columns, "rows": rows})


def cell_text(cell: MatrixCell, scaler: Scaler) -> str:
    """`5.01 (33.7 % of line)`, `≥ 5.01 (33.7 % of line, tester-limited)`; a search `7.77 to 7.81 (52.2 % of line)`."""
    rate, share = cell.figure.scaled(scaler), cell.share
    return f"{rate} ({share})" if share else rate


def _text(cell: MatrixCell, scaler: Scaler, charts: str) -> str:
    text = plain(cell_text(cell, scaler) + cell.marks)
    return f"[{text}]({_target(charts)}#{cell.anchor})" if charts else text


def _target(charts: str) -> str:
    return charts.replace(" ", "%20").replace(")", "%29").replace("|", "%7C")


def _worth(cell: MatrixCell) -> tuple[bool, str, float]:
    return cell.rate_pps is not None, cell.started, cell.rate_pps or 0.0


def _quantities(column: Column) -> tuple[str, ...]:
    return ("pps", "percent", "upper pps") if column.goal else ("pps", "percent")


def _values(cell: MatrixCell | None, column: Column) -> list[float | None]:
    if cell is None:
        values: tuple[float | None, ...] = (None, None, None)
    else:
        values = (cell.rate_pps, cell.percent if cell.rate_pps is not None else None, cell.upper_pps)
    return list(values[: len(_quantities(column))])
