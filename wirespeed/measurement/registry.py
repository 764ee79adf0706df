"""The kinds of measurement: each folder here is one, and its parts are imported when they are first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from wirespeed import measurement

if TYPE_CHECKING:
    from wirespeed.measurement.measurement import Measurement
    from wirespeed.measurement.options import MeasurementOptions


@cache
def kinds() -> tuple[str, ...]:
    """Their names, which are those of their commands, in alphabetical order."""
    return tuple(sorted(one.name for one in iter_modules(measurement.__path__) if one.ispkg))


def options_of(kind: str) -> type[MeasurementOptions]:
    """The dataclass of a kind's options."""
    options: type[MeasurementOptions] = import_module(f"wirespeed.measurement.{kind}.options").OPTIONS
    return options


def kind_of(kind: str) -> type[Measurement[Any, Any]]:
    """The class of a kind's measurements."""
    measurement: type[Measurement[Any, Any]] = import_module(f"wirespeed.measurement.{kind}.kind").KIND
    return measurement
