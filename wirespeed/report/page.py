"""The report as one HTML page that needs nothing but itself: styles, scripts and the charts' figures are in it.

Jinja escapes all text that it is given. The charts' figures, and what is folded away test by test, are JSON that is
packed by gzip: with hundreds of tests that is most of the page, and nobody opens all of it. A content security policy
forbids the page to load anything at all. Without dygraphs on the machine that writes it the charts are pictures that do
not move.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from wirespeed import __version__
from wirespeed.charts import browser
from wirespeed.charts.page_json import to_page
from wirespeed.pages.templates import environment, style, text_of
from wirespeed.pages.words import harmless
from wirespeed.report.views import HtmlPage

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)


def to_html(page: HtmlPage) -> str:
    """The whole page, which needs nothing beside it."""
    styles = (browser.library_style(), style(), browser.style())
    scripts = (browser.script(), text_of("wirespeed.report", "page.js"))
    folds: list[str] = []

    def data() -> str:
        figures = {chart.identity: to_page(chart) for chart in page.charts}
        listed = [{"name": harmless(one.name), "text": harmless(one.text)} for one in page.listed]
        return _packed({"figures": figures, "listed": listed, "folds": folds})

    return (
        _templates()
        .get_template("page.html")
        .render(
            page=page,
            version=__version__,
            policy=POLICY,
            style=Markup("\n".join(styles)),
            dygraphs=Markup(browser.library()),
            kept=_keeper(folds),
            data=data,
            script=Markup("\n".join(scripts)),
        )
    )


def _keeper(folds: list[str]) -> Callable[..., Markup]:
    """A function for templates that stores a part in `folds`; it returns the place where the part goes when a fold is
    opened."""

    def kept(caller: Callable[[], Markup]) -> Markup:
        folds.append(str(caller()))
        return Markup('<div data-fold="{}"></div>').format(len(folds) - 1)

    return kept


def _packed(value: Any) -> str:
    """A value as compressed text; equal values give equal text."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(errors="replace"), mtime=0)).decode()


@cache
def _templates() -> Environment:
    return environment("wirespeed.report")
