"""Samples as dots: those of a ramp on a line, those at a load that was held each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirespeed.report.dut_panels import Account, Panel, values
from wirespeed.report.traces import Trace, label, short

HELD_PX, RAMP_PX = 5, 2


def line_and_dots(points: Sequence[tuple[bool, float, float, Any]], style: Trace) -> Trace:
    """Samples of the ramp on a line; those of the hold, all at one load, as dots of their own.

    Each point: whether it was held, x, y, and what its hover text needs.
    """
    rows: list[tuple[bool, float | None, float | None, Any]] = []
    for point in points:
        if point[0] and rows:
            rows.append((False, None, None, None))
        rows.append(point)
    return {
        "x": [None if x is None else short(x) for _, x, _, _ in rows],
        "y": [None if y is None else short(y) for _, _, y, _ in rows],
        "customdata": [more for _, _, _, more in rows],
        "mode": "lines+markers",
        "marker": {
            "size": [HELD_PX if held else RAMP_PX for held, *_ in rows],
            "color": style["line"]["color"],
            "line": {"width": 0},
            "opacity": 1,
        },
        "connectgaps": False,
    }


def dotted(
    dots: Sequence[tuple[bool, float, float]], style: Trace, where: str, name: str, unit: str, dash: str
) -> Trace:
    """One quantity over x: (held, x, value) a sample. `where` says in the hover text what x is."""
    return (
        style
        | line_and_dots([(*dot, None) for dot in dots], style)
        | {
            "name": label(name),
            "line": style["line"] | {"dash": dash},
            "showlegend": False,
            "hovertemplate": f"%{{fullData.name}}<br>{where}: %{{y:.4g}} {unit}<extra></extra>",
        }
    )


def panel_traces(
    panels: Sequence[Panel],
    accounts: Sequence[Account],
    styles: Mapping[str, Trace],
    first: int,
    divisor: float,
    where: str,
) -> list[Trace]:
    """What the devices said, the first panel on y axis number `first`; `styles` are by the accounts' names."""
    traces: list[Trace] = []
    for number, panel in enumerate(panels, start=first):
        for account in accounts:
            style = styles[account.name] | {"yaxis": f"y{number}" if number > 1 else "y"}
            for quantity in panel.quantities:
                dots = [(one.held, one.at / divisor, one.value) for one in values(account, quantity)]
                if dots:
                    traces.append(dotted(dots, style, where, account.name, quantity.words, quantity.dash))
    return traces
