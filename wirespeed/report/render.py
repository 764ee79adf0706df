"""One call from result files to the text of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wirespeed.errors import UsageError
from wirespeed.report.comparison import compare, read_all, select_channels
from wirespeed.report.page import to_html
from wirespeed.report.table import parse_scaler, to_csv, to_json, to_markdown

Format = Literal["html", "md", "csv", "json"]
LEAST_THRESHOLD, MOST_THRESHOLD = 0.0001, 1.0


@dataclass(frozen=True)
class Report:
    text: str
    remarks: tuple[str, ...]


def render(
    paths: Sequence[Path],
    *,
    title: str,
    date: str,
    threshold: float = 0.001,
    scaler: str = "1000000:M",
    only_channels: Sequence[str] = (),
    output_format: Format = "html",
) -> Report:
    """Read the results and write them down; FileFault and UsageError name what cannot be used."""
    if not LEAST_THRESHOLD <= threshold <= MOST_THRESHOLD:
        raise UsageError(
            f"threshold {threshold:g} is not within {LEAST_THRESHOLD:g} and {MOST_THRESHOLD:g}; 0.001 is 0.1 %"
        )
    unit = parse_scaler(scaler)
    tests = read_all(paths, threshold)
    channels = select_channels(tests, only_channels)
    comparison = compare(tests, threshold)
    match output_format:
        case "html":
            text = to_html(comparison, title=title, scaler=unit, channels=channels, date=date)
        case "md":
            text = to_markdown(comparison, unit)
        case "csv":
            text = to_csv(comparison)
        case "json":
            text = to_json(comparison, title)
    # Names of files and strings in JSON can hold lone surrogates, which no file can.
    return Report(text.encode(errors="replace").decode(), comparison.remarks)
