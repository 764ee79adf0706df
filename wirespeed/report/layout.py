"""Layouts of the charts: panels one under the other on one x axis, and logarithmic axes with readable ticks.

Colours of paper, text and grid belong to the reader's light or dark theme and are set by the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

GAP_PX = 46
LEGEND_ROW_PX = 21
LETTERS_A_ROW = 150


def stacked(heights_px: Sequence[int], titles: Sequence[str], x_title: str, names: Sequence[str]) -> dict[str, Any]:
    """Panels of the given heights, the first on top, under a legend of `names`; y axes start at zero."""
    rows = 1 + sum(len(name) + 8 for name in names) // LETTERS_A_ROW
    margin = {"t": 34 + LEGEND_ROW_PX * rows, "b": 52, "l": 70, "r": 44}
    inner = sum(heights_px) + GAP_PX * (len(heights_px) - 1)
    layout: dict[str, Any] = {
        "height": inner + margin["t"] + margin["b"],
        "margin": margin,
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1 + 26 / inner, "yanchor": "bottom", "tracegroupgap": 0},
        "modebar": {"orientation": "v"},
        "annotations": [],
        "xaxis": {
            "title": {"text": x_title},
            "anchor": "y" if len(heights_px) == 1 else f"y{len(heights_px)}",
            "rangemode": "tozero",
            "showspikes": True,
            "spikemode": "across",
            "spikethickness": 1,
            "spikedash": "dot",
            "spikesnap": "cursor",
            "zeroline": False,
        },
    }
    top = inner
    for number, (height, title) in enumerate(zip(heights_px, titles, strict=True), start=1):
        layout["yaxis" if number == 1 else f"yaxis{number}"] = {
            "domain": [max(0.0, (top - height) / inner), top / inner],
            "rangemode": "tozero",
            "zeroline": False,
        }
        heading = {"text": title, "x": 0, "y": top / inner, "xref": "paper", "yref": "paper", "showarrow": False}
        layout["annotations"].append(heading | {"xanchor": "left", "yanchor": "bottom", "yshift": 3})
        top -= height + GAP_PX
    return layout


def loss_axis(floor: float) -> dict[str, Any]:
    """Decades of loss up to 100 %, above a `floor` that stands for no loss at all."""
    lowest = round(math.log10(floor))
    decades = range(lowest + 1, 1)
    step = 1 + len(decades) // 6
    ticks = [exponent for exponent in decades if -exponent % step == 0]
    return {
        "type": "log",
        "range": [lowest - 0.15, 0.15],
        "tickvals": [floor, *(10.0**exponent for exponent in ticks)],
        "ticktext": ["none", *(f"{100 * 10.0**exponent:.{max(0, -exponent - 2)}f} %" for exponent in ticks)],
    }


def log_axis(least: float, most: float) -> dict[str, Any]:
    """A logarithmic axis around two positive values, with steps of 1, 2 and 5 while there is room for them."""
    low, high = math.log10(least), math.log10(most)
    steps = (1, 2, 5) if high - low < 1.5 else (1, 3) if high - low < 3 else (1,)
    ticks = [step * 10.0**exponent for exponent in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return {
        "type": "log",
        "range": [low - 0.12, high + 0.12],
        "tickvals": ticks,
        "ticktext": [f"{tick:,.0f}" if tick >= 1 else f"{tick:g}" for tick in ticks],
    }
