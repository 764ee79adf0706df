"""The report as a self-contained HTML page with styles, scripts and the data of its charts.

Jinja escapes all text that it is given. The charts' figures, what is folded away test by test, and the scripts that
draw and lead are JSON that is packed by gzip; unpack.js is the one script that stands in the page as it is. A content
security policy forbids the page to load anything at all. Without dygraphs on the machine that writes it the charts are
pictures that do not move.
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
from wirespeed.pages.templates import environment, style, text_of, wide_tables
from wirespeed.pages.words import harmless
from wirespeed.report.views import HtmlPage

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)


def to_html(page: HtmlPage) -> str:
    """The whole page, which is self-contained."""
    styles = (browser.library_style(), style(), browser.style())
    scripts = (browser.library(), browser.script(), wide_tables(), text_of("wirespeed.report", "page.js"))
    folds: list[str] = []

    def data() -> str:
        figures = {chart.identity: to_page(chart) for chart in page.charts}
        listed = [{"name": harmless(one.name), "text": harmless(one.text)} for one in page.listed]
        return _packed({"figures": figures, "listed": listed, "folds": folds, "scripts": scripts})

    return (
        _templates()
        .get_template("page.html")
        .render(
            page=page,
            version=__version__,
            policy=POLICY,
            style=Markup("\n".join(styles)),
            has_dygraphs=bool(browser.library()),
            kept=_keeper(folds),
            data=data,
            script=Markup(text_of("wirespeed.report", "unpack.js")),
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
