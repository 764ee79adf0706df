"""Stylesheet, script and library that a page needs to draw charts; the library only if it is installed."""

from __future__ import annotations

from functools import cache

from wirespeed.charts import dygraphs, shapes
from wirespeed.pages.templates import text_of

_PARTS = ("pens", "scales", "labels", "figure", "tables", "paper", "charts")


@cache
def script() -> str:
    """All parts, those first that the others use."""
    return "\n".join((shapes.script(), *(text_of("wirespeed.charts", f"static/{name}.js") for name in _PARTS)))


@cache
def style() -> str:
    return text_of("wirespeed.charts", "static/charts.css")


def library() -> str:
    """The library; empty if it is not installed, and charts are then static pictures."""
    return dygraphs.script() if dygraphs.is_there() else ""


def library_style() -> str:
    return dygraphs.style() if dygraphs.is_there() else ""
