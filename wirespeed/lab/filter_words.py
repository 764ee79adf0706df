"""The filter of a lab's DUT as `--lab` has it: `linux,filter=nat,states=2000000`. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.dut.setup import STATEFUL, FilterOptions, Rules
from wirespeed.errors import UsageError

FILTER_KEYS = ("filter", "states", "buckets", "timeout")
_MOST = {"states": 1 << 30, "buckets": 1 << 30, "timeout": 86400}


def filter_options(text: str, settings: Mapping[str, str]) -> FilterOptions:
    """The filter among the `settings` of a lab; UsageError names the lab by `text`."""
    rules: Rules = next((one for one in STATEFUL if one == settings.get("filter")), "")
    if settings.get("filter", rules) != rules:
        raise UsageError(f"--lab {text}: filter={settings['filter']} is not known; give one of {', '.join(STATEFUL)}")
    numbers = {
        key: number(settings[key], f"--lab {text}: {key}", most) for key, most in _MOST.items() if key in settings
    }
    if numbers and not rules:
        raise UsageError(f"--lab {text}: {min(numbers)}= is of a filter; give filter={'|'.join(STATEFUL)} too")
    return FilterOptions(rules, numbers.get("states"), numbers.get("buckets"), numbers.get("timeout"))


def number(value: str, what: str, most: int) -> int:
    """UsageError names `what` is no number from 1 to `most`."""
    if not (value.isascii() and value.isdigit() and 1 <= int(value) <= most):
        raise UsageError(f"{what} is a number from 1 to {most}, not {value!r}")
    return int(value)
