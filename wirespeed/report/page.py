"""The report as one HTML page that needs nothing but itself: styles, plotly and the figures are in it.

Jinja escapes all text that it is given; figures travel as JSON in a script element that no `<` can leave. A content
security policy forbids the page to load anything at all.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from wirespeed import __version__
from wirespeed.report.views import Page
from wirespeed.report.words import count, harmless

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)


def to_html(page: Page) -> str:
    """The whole page, which needs nothing beside it."""
    return (
        _templates()
        .get_template("page.html")
        .render(
            page=page,
            version=__version__,
            policy=POLICY,
            style=_own("page.css"),
            plotly=Markup(get_plotlyjs()),
            script=_own("page.js"),
        )
    )


def script_json(value: Any) -> Markup:
    """JSON that can stand in a script element: no tag can open or close in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=FunctionLoader(lambda name: _read(f"templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters["script_json"] = script_json
    templates.filters["count"] = count
    return templates


def _shown(value: Any) -> Any:
    """Every value on its way into the page: text of files without what would act on the reader's screen."""
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _own(name: str) -> Markup:
    """A file of ours that stands in the page as it is."""
    return Markup(_read(name))


def _read(name: str) -> str:
    return resources.files("wirespeed.report").joinpath(name).read_text(encoding="utf-8")
