"""Features of the router. Each folder here is one, beside its folder in `native/router/`, and nothing else names it.

`__init__` has `COMMANDS`, the words that the feature's commands begin with (three at most). These modules may be there
too, and are imported when they are first used:

- `core`, its values;
- `native`, whose class `CORE` is what the router's core has under the feature's name;
- `commands`;
- `api`, its handlers of the binary API;
- `control`, whose class `CONTROL` is what the console has under the feature's name: a `Control`;
- `state`, its part of `show state`: `interfaces`, fields of interfaces by number, and `objects`; either may be absent;
- `trace`, whose `note` makes the line of a step in a packet's trace that is the feature's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any


@cache
def features() -> tuple[str, ...]:
    """Their names, in alphabetical order."""
    return tuple(sorted(module.name for module in iter_modules(__path__) if module.ispkg))


def commands() -> dict[str, tuple[str, ...]]:
    """First words of the commands of each feature, by the module that has them."""
    return {f"{__name__}.{name}.commands": import_module(f"{__name__}.{name}").COMMANDS for name in features()}


def modules(part: str) -> Iterator[tuple[str, Any]]:
    """The module `part` of each feature that has it, imported, after the feature's name."""
    for name in features():
        if find_spec(f"{__name__}.{name}.{part}") is not None:
            yield name, import_module(f"{__name__}.{name}.{part}")


def core_of(name: str) -> Any:
    """The class of a feature's part of the native router. AttributeError for an unknown feature."""
    if name not in features():
        raise AttributeError(f"the router has no feature {name!r}")
    return import_module(f"{__name__}.{name}.native").CORE
