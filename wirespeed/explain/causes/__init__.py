"""One cause a file: a pure function from what is known to what speaks for it and against it.

A module here has `NAME`, what its verdict says in a few words (`TITLE`), and `look`, which returns None where nothing
is known that could tell. Adding a cause touches its own file and its test.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from wirespeed.explain.evidence import Finding
from wirespeed.explain.facts import Case

Look = Callable[[Case], Finding | None]


def causes() -> dict[str, Look]:
    """All of them by name, in the order of their files."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__) if module.name[0] != "_")
    return {module.NAME: module.look for module in modules}
