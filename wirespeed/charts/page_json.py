"""A chart as the page's script takes it: short names, and nothing that is as usual."""

from __future__ import annotations

from typing import Any

from wirespeed.charts.chart import Band, Chart, Curve, LegendEntry, Panel, PercentScale, Rule
from wirespeed.pages.words import harmless


def to_page(chart: Chart) -> dict[str, Any]:
    """JSON; the page shows texts as text and never as markup."""
    return _known(
        {
            "sentence": chart.sentence,
            "title": chart.title,
            "xTitle": chart.x_title,
            "xUnit": chart.x_unit,
            "categories": list(chart.categories),
            "xLow": chart.x_low,
            "xHigh": chart.x_high,
            "panels": [_panel(panel) for panel in chart.panels],
            "bands": [_band(band) for band in chart.bands],
            "legend": [_entry(entry) for entry in chart.legend],
            "shares": _shares(chart.shares),
        }
    )


def _shares(shares: PercentScale | None) -> dict[str, Any] | None:
    if shares is None:
        return None
    of = {harmless(name): value for name, value in shares.of.items()}
    return {"xTitle": harmless(shares.x_title), "title": harmless(shares.title), "of": of}


def _panel(panel: Panel) -> dict[str, Any]:
    scale = panel.scale
    return _known(
        {
            "title": panel.heading,
            "unit": panel.unit,
            "height": panel.height_px,
            "log": scale.logarithmic,
            "range": None if scale.low is None else [scale.low, scale.high],
            "floor": scale.floor,
            "ticks": [list(tick) for tick in scale.ticks],
            "diagonal": panel.diagonal,
            "folded": panel.folded,
            "rules": [_rule(rule) for rule in panel.rules],
            "curves": [_curve(curve) for curve in panel.curves],
        }
    )


def _curve(curve: Curve) -> dict[str, Any]:
    return _known(
        {
            "name": curve.name,
            "key": curve.key,
            "colour": curve.colour,
            "dash": "" if curve.dash == "solid" else curve.dash,
            "width": None if curve.width == Curve.width else curve.width,
            "dots": curve.dots,
            "symbol": "" if curve.symbol == "dot" else curve.symbol,
            "open": curve.is_open,
            "x": list(curve.x),
            "y": list(curve.y),
            "told": list(curve.told) if any(curve.told) else [],
            "low": list(curve.low),
            "high": list(curve.high),
            "left": list(curve.left),
            "right": list(curve.right),
            "of": curve.of,
            "note": curve.note,
            "mark": curve.key_mark,
            "links": list(curve.links),
        }
    )


def _rule(rule: Rule) -> dict[str, Any]:
    return _known({"name": rule.name, "value": rule.value, "alarm": rule.alarm})


def _band(band: Band) -> dict[str, Any]:
    dash = "" if band.dash == "solid" else band.dash
    ends = {"low": band.low, "high": band.high}
    return ends | _known({"name": band.name, "colour": band.colour, "key": band.key, "dash": dash, "of": band.of})


def _entry(entry: LegendEntry) -> dict[str, Any]:
    dash = "" if entry.dash == "solid" else entry.dash
    words = {"key": entry.key, "name": entry.name, "colour": entry.colour, "dash": dash, "value": entry.value}
    mark = {
        "symbol": "" if entry.symbol == "dot" else entry.symbol,
        "open": entry.is_open,
        "dots": entry.is_dots,
        "alike": entry.is_alike,
    }
    return _known({**words, **mark, "off": not entry.on, "of": entry.of})


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """The value without empty, None and False entries; texts without control characters."""
    return {
        key: _shown(value)
        for key, value in values.items()
        if value is not None and value is not False and value not in ("", [])
    }


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    return [_shown(item) for item in value] if isinstance(value, list) and isinstance(value[0], str) else value
