"""The report as one HTML page that needs nothing but itself: styles, plotly and the figures are in it.

Jinja escapes all text that it is given; figures travel as JSON in a script element that no `<` can leave. A content
security policy forbids the page to load anything at all.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from wirespeed import __version__
from wirespeed.pages.templates import environment, style, text_of
from wirespeed.report.views import Page

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
            style=Markup(style()),
            plotly=Markup(get_plotlyjs()),
            script=Markup(text_of("wirespeed.report", "page.js")),
        )
    )


@cache
def _templates() -> Environment:
    return environment("wirespeed.report")
