"""Output of `--help` for a command: its options in groups, each default in brackets."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

_ALIAS = re.compile(r", --\w+_\w+(?=[ ,]|$)")
"""A second name of an option that is spelled as T-Rex's programs have it."""
_DEFAULT = re.compile(r"\.? *\[default: \(?(.*?)\)?\]$", re.DOTALL)
_SWITCH = re.compile(r"^(.*)--([a-z-]+) / --no-\2$")
_MOST = 30
"""Longer names have their text on the next line."""


class HelpCommand(TyperCommand):
    """A command whose options are grouped by `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            names = _SWITCH.sub(r"\1--[no-]\2", _ALIAS.sub("", record[0]))
            description = _DEFAULT.sub(r" [\1]", record[1]).removesuffix(".")
            if parameter.param_type_name == "argument":
                groups.setdefault("Arguments", []).append((names, description))
            elif "--help" in parameter.opts:
                title = next(reversed(groups), "Options")
                groups.setdefault("Options" if title == "Arguments" else title, []).append(
                    (names, "This help; defaults are in brackets")
                )
            else:
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or "Options", []).append(
                    (names, description)
                )
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(
                    rows, col_max=max((len(names) for names, _ in rows if len(names) <= _MOST), default=_MOST)
                )
