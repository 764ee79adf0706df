"""Options of a command with verbs: an option of another verb is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wirespeed.cli.plain import option_name
from wirespeed.errors import UsageError


def refuse_other_options(
    command: Callable[..., Any], option_verbs: Mapping[str, tuple[str, ...]], verb: str, values: Mapping[str, object]
) -> None:
    """UsageError for an option that was given and that `verb` does not take.

    `option_verbs` has the verbs of each option by its parameter; options that it leaves out belong to all verbs.
    `values` are the parameters of `command`: an option that was not given is None, False or empty.
    """
    name = command.__module__.rpartition(".")[2]
    for parameter, verbs in option_verbs.items():
        if verb in verbs or not is_given(values[parameter]):
            continue
        owners = " and ".join((", ".join(verbs[:-1]), verbs[-1]) if verbs[1:] else verbs)
        raise UsageError(
            f"{name} {verb} takes no {option_name(command, parameter)}, which is an option of {name} {owners}"
        )


def is_given(value: object) -> bool:
    """Whether an option with this value stands on the command line, where its default is None, False or empty."""
    return value is not None and value is not False and value not in ("", [], ())
