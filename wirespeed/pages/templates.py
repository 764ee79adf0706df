"""Jinja as all pages use it: every value is escaped, and without what would act on the reader's screen."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from wirespeed.pages.words import count, harmless, unbroken

_HERE, _SHARED = "wirespeed.pages", frozenset({"grid.html", "inspection.html", "scroll.html"})


def environment(package: str) -> Environment:
    """The templates of a package, in its folder `templates`, and those that all packages have."""
    made = Environment(
        loader=FunctionLoader(lambda name: text_of(_HERE if name in _SHARED else package, f"templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["script_json"] = script_json
    made.filters["count"] = count
    made.filters["unbroken"] = unbroken
    return made


@cache
def style() -> str:
    """The one stylesheet."""
    return text_of("wirespeed.pages", "page.css")


def wide_tables() -> str:
    """The script that says of tables that they scroll."""
    return text_of("wirespeed.pages", "wide_tables.js")


@cache
def text_of(package: str, name: str) -> str:
    """A file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def script_json(value: Any) -> Markup:
    """JSON that can stand in a script element: no tag can open or close in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def _shown(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
