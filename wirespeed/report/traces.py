"""What all charts are made of: plotly figures are plain dicts of its JSON schema.

Text inside a chart passes through plotly's own small markup, so every name that came from outside is escaped for it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from wirespeed.pages.words import harmless

Figure = dict[str, Any]
Trace = dict[str, Any]

# Of about equal lightness, so that each is seen on white and on black.
COLOURS = ("#2f7de1", "#e07a10", "#12946b", "#c8438c", "#8a66d9", "#a58312", "#1898b0", "#d64a3f")
REFERENCE = "#8a8f98"
ALARM = "#d3302f"
DASHES = ("solid", "dash", "dashdot", "longdash")

LEAST_LOSS = 1e-7  # about one packet in a second of 64-byte frames at 10 Gb/s


def reference(name: str, x: Sequence[Any], y: list[float], colour: str = REFERENCE, dash: str = "solid") -> Trace:
    """A thin line to read others by."""
    line = {"color": colour, "dash": dash, "width": 1.2}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(x),
        "y": [short(value) for value in y],
        "line": line,
        "hoverinfo": "skip",
    }


def band(name: str, low: float, high: float, bottom: float, top: float, colour: str, dash: str) -> Trace:
    """What lies between two loads, shaded from `bottom` to `top`: one line where they are the same."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [short(x) for x in (low, low, high, high, low)],
        "y": [bottom, top, top, bottom, bottom],
        "fill": "toself",
        "fillcolor": f"{colour}33",
        "line": {"color": colour, "dash": dash, "width": 1.6},
        "hoverinfo": "name",
    }


def loss_floor(ratios: Iterable[float], thresholds: Iterable[float]) -> float:
    """A decade below the least loss seen, and below the thresholds: where samples without loss are drawn."""
    least = min((ratio for ratio in (*thresholds, *ratios) if ratio > 0), default=LEAST_LOSS)
    return float(10.0 ** (math.floor(math.log10(max(LEAST_LOSS, least))) - 1))


def legend(traces: Sequence[Trace]) -> list[str]:
    return [trace["name"] for trace in traces if trace.get("showlegend", True)]


def label(name: str) -> str:
    return html.escape(harmless(name))


def short(value: float) -> float:
    """Six digits draw the same picture in half the page."""
    return float(f"{value:.6g}")
