"""The templates of the site's pages, what they all link to, and the parts that reports get too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from wirespeed import __version__
from wirespeed.charts import browser
from wirespeed.pages.templates import environment, style, text_of, wide_tables
from wirespeed.pages.trust import LEGEND
from wirespeed.site.figures import ORDER
from wirespeed.site.reports import asset_name

POLICY = (
    "default-src 'none'; style-src 'self' file: 'unsafe-inline'; script-src 'self' file:; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)


@cache
def assets() -> dict[str, str]:
    """The site's own style and script, and what draws charts, by their files."""
    styles = (browser.library_style(), style(), browser.style(), text_of("wirespeed.site", "site.css"))
    scripts = ("\n".join((wide_tables(), text_of("wirespeed.site", "site.js"))), browser.script(), browser.library())
    files = [("\n".join(styles), ".css"), *((text, ".js") for text in scripts if text)]
    return {f"assets/{asset_name(text, suffix)}": text for text, suffix in files}


def page(template: str, root: str, **values: Any) -> str:
    """`root` is the way from the page to the site's own folder: empty, or `../`."""
    look, script, *drawing = assets()
    return (
        _templates()
        .get_template(template)
        .render(
            root=root,
            look=look,
            script=script,
            drawing=drawing[::-1],
            policy=POLICY,
            version=__version__,
            legend=LEGEND,
            order=ORDER,
            **values,
        )
    )


def page_head(links: Sequence[tuple[str, str]], root: str, note: str = "") -> Markup:
    """The way to other pages, on top of a report, and a note about it."""
    navigation = Markup(_templates().get_template("navigation.html").render(links=links, root=root))
    return navigation + (Markup('<p class="caption" style="margin-bottom: 1rem">{}</p>\n').format(note) if note else "")


@cache
def _templates() -> Environment:
    return environment("wirespeed.site")
