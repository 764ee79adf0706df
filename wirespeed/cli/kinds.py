"""The commands of the kinds of measurement, each made of the kind's options and its description."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from wirespeed.cli.measuring import measure
from wirespeed.cli.spliced import spliced
from wirespeed.measurement.option import bare_values
from wirespeed.measurement.options import MeasurementOptions
from wirespeed.measurement.registry import about_of, options_of


@cache
def module_of(kind: str) -> ModuleType:
    """A module of commands, as cli/tree.py takes them, with the command of `kind`."""

    def command(options: MeasurementOptions[Any]) -> int:
        return measure(kind, options)

    command.__doc__ = about_of(kind).help
    module = ModuleType(kind)
    vars(module).update(command=spliced(command, options_of(kind)), OPTIONAL_VALUES=bare_values(options_of(kind)))
    return module
