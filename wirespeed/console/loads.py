"""Loads as T-Rex's users write them: `10kpps`, `2` (times the profile's own rate), `50%`, `5kpps+`. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from wirespeed.client.stateless_client import Multiplier
from wirespeed.errors import UsageError
from wirespeed.units import parse_rate

_CHANGES = {"+": "add", "-": "sub"}


def parse_load(text: str) -> Multiplier:
    """A load to send at; UsageError for anything else, a change included."""
    if text[-1:] in _CHANGES:
        raise UsageError(f"-m {text}: a change with {text[-1]} is for `update`; start at a load such as 10kpps")
    return _absolute(text)


def parse_load_change(text: str) -> Multiplier:
    """A load, or with a + or - at its end a change of the present one."""
    op = _CHANGES.get(text[-1:])
    return _absolute(text) if op is None else replace(_absolute(text[:-1]), op=op)


def share(load: Multiplier, ports: int) -> Multiplier:
    """The part of each port when the load is the total of all."""
    return replace(load, value=load.value / ports)


def _absolute(text: str) -> Multiplier:
    if re.fullmatch(r"\d+(\.\d*)?|\.\d+", text.strip()):
        factor = float(text)
        if factor <= 0:
            raise UsageError(f"load {text!r} is not above zero; give one such as 10kpps or 50%")
        return Multiplier("raw", "abs", factor)
    try:
        rate = parse_rate(text)
    except UsageError as error:
        raise UsageError(f"{error}; or a plain number, which multiplies the profile's own rates") from None
    return Multiplier(rate.unit, "abs", rate.value)
