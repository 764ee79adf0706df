"""The command line that measures a result again, from the settings that it carries. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.measurement.option import Option, declared
from wirespeed.measurement.registry import options_of
from wirespeed.results.codec import to_json
from wirespeed.results.measurement import MeasurementResult


def command_of(result: MeasurementResult) -> str:
    """The command line of a result, quoted for a shell. Ports, testbed and device of the original command are not in
    the settings; the result's `lab` has them."""
    settings = to_json(result.variables)
    words = [
        word
        for one in declared(options_of(result.kind))
        if one.option.stored
        for word in _words(one.option, settings.get(one.option.stored))
    ]
    return shlex.join(["wirespeed", result.kind, *words])


def _words(option: Option, value: Any) -> Iterator[str]:
    """The option with its value; nothing if it was not given."""
    if value is None or value is False or value in ("", {}):
        return
    yield option.words[0].partition("/")[0]
    if value is not True:
        yield _text(option, value)


def _text(option: Option, value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={one}" for name, one in value.items())
    return f"{value:.12g}{option.unit}" if isinstance(value, int | float) else str(value)
