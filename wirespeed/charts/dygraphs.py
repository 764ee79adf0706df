"""Location of dygraphs in Debian (package libjs-dygraphs), which draws the charts of pages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PACKAGE = "libjs-dygraphs"
FOLDER = Path("/usr/share/javascript/dygraphs")


def is_there() -> bool:
    return (FOLDER / "dygraph.min.js").is_file()


def script() -> str:
    """The library, without its reference to a source map. OSError if it is not installed."""
    return _text("dygraph.min.js")


def style() -> str:
    """Its stylesheet; OSError if it is not installed."""
    return _text("dygraph.min.css")


@cache
def _text(name: str) -> str:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.sub(r"(//# sourceMappingURL=\S*|/\*# sourceMappingURL=[^*]*\*/)\s*$", "", text)
