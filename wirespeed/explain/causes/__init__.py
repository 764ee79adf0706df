"""One cause per file: a pure function from the known facts to the evidence for and against it.

A module here has `NAME`, a short verdict (`TITLE`), and `look`, which returns None if no known fact can decide it.
Adding a cause changes its own file and its test only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import CauseFinding

Look = Callable[[Case], CauseFinding | None]


def causes() -> dict[str, Look]:
    """All of them by name, in the order of their files."""
    return {module.NAME: module.look for module in _modules()}


def contracts() -> dict[str, str]:
    """Description and evidence of each cause, from the head of its file."""
    return {module.NAME: str(module.__doc__).strip() for module in _modules()}


@cache
def _modules() -> list[Any]:
    names = [module.name for module in iter_modules(__path__) if not module.name.startswith("_")]
    return [import_module(f"{__name__}.{name}") for name in names]
