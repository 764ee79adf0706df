"""The command, or the verb of one, that a line names; only its module is imported.

A module in this folder, or what cli/kinds.py makes of a kind of measurement, has `command`, or `VERBS`, functions by
verb, with `HELP`, what they have in common. Options of a verb may stand before it. Words in `RESERVED` of a module are
commands below its own, each in a module of its own.
"""

from __future__ import annotations

import difflib
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import typer
import typer.main

from wirespeed.cli.help import HelpCommand
from wirespeed.cli.plain import NotPlain, options_of, plain_call
from wirespeed.errors import UsageError
from wirespeed.measurement.registry import kinds
from wirespeed.renamed import OPTIONS, present_options

_HELP = ("-h", "--help")
_WIDTH = 78
_SENSIBLE = 0.6
"""Similarity (of difflib) from which on a word is suggested."""


@dataclass(frozen=True)
class CliCommand:
    """A command, or a verb of one: `words` are behind `wirespeed`."""

    words: tuple[str, ...]
    module: ModuleType
    call: Callable[..., Any]

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the option parser, besides those of all commands."""
        settings: Mapping[str, Any] = getattr(self.module, "CONTEXT", {})
        return settings

    def parser(self) -> Any:
        """The option parser's command, which prints the help."""
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(cls=HelpCommand, context_settings={"help_option_names": [*_HELP], **self.settings})(self.call)
        return typer.main.get_command(app)


def commands_of(name: str) -> tuple[CliCommand, ...]:
    """The command `name`, and its verbs, in the order of help."""
    module = _module_of(name)
    commands = [CliCommand((name,), module, module.command)] if hasattr(module, "command") else []
    commands += [CliCommand((name, verb), module, call) for verb, call in getattr(module, "VERBS", {}).items()]
    for word in getattr(module, "RESERVED", ()):
        below = import_module(f"wirespeed.cli.{word}")
        commands += [CliCommand((name, word, verb), below, call) for verb, call in below.VERBS.items()]
    return tuple(commands)


def _module_of(name: str) -> ModuleType:
    if name not in kinds():
        return import_module(f"wirespeed.cli.{name}")
    from wirespeed.cli.kinds import module_of  # noqa: PLC0415 - brings the options of measurements in

    return module_of(name)


def run_command(args: Sequence[str]) -> Any:
    """Run the command at the beginning of `args`, which exists, and return its value. The option parser is only built
    for help and for lines that are not plain. UsageError for an invalid line."""
    command, rest = _found(args)
    if command is None:
        return None
    anywhere = command.settings.get("allow_interspersed_args", True)
    if anywhere:
        _check_not_empty(rest)
    try:
        given = plain_call(command.call, rest, options_anywhere=anywhere)
    except NotPlain:
        return _parse_and_run(command, rest)
    return command.call(**given)


def _check_not_empty(words: Sequence[str]) -> None:
    """A script's variable that is not set makes an empty argument, which as a path would be the current folder."""
    for before, word in zip(["", *words], words, strict=False):
        if not word and not before.startswith("-"):
            raise UsageError("an argument is empty; give a value, or leave it out")


def about(module: ModuleType) -> tuple[str, ...]:
    """The paragraphs on a command with verbs."""
    return tuple(" ".join(part.split()) for part in module.HELP.split("\n\n"))


def summary(call: Callable[..., Any]) -> str:
    """The first paragraph of a command's docstring."""
    return " ".join((inspect.getdoc(call) or "").partition("\n\n")[0].split())


def suggestion(word: str, possible: Iterable[str]) -> str:
    """`; did you mean 'x'?` for a word that is like one of `possible`; else nothing."""
    like = difflib.get_close_matches(word, [*possible], 1, _SENSIBLE)
    return f"; did you mean {like[0]!r}?" if like else ""


def listed(entries: Mapping[str, str]) -> str:
    """Words with a line each, as help lists them."""
    width = max(map(len, entries))
    return "\n".join(f"  {word:<{width}}  {summary}" for word, summary in entries.items())


def gathered(args: Sequence[str], lists: Collection[str]) -> list[str]:
    """`args` with the numbers behind an option of `lists` as one word: `-a 0 1` as `-a 0,1`."""
    words: list[str] = []
    for word in args:
        if len(words) > 1 and words[-2] in lists and word.isdigit():
            words[-1] += f",{word}"
        else:
            words.append(word)
    return words


def filled_in(args: Sequence[str], optional: Mapping[str, str]) -> list[str]:
    """`args` with the values of options that may stand without one, which `optional` holds."""
    filled = []
    for word, following in zip(args, [*args, "-"][1:], strict=True):
        filled.append(word)
        if word in optional and following.startswith("-"):
            filled.append(optional[word])
    return filled


def _found(args: Sequence[str]) -> tuple[CliCommand | None, list[str]]:
    """The command and the words behind it; None for a line that asked for the help of a command with verbs."""
    name = args[0]
    module = _module_of(name)
    rest = [*args[1:]]
    if not OPTIONS.keys().isdisjoint(word.partition("=")[0] for word in rest):
        rest = present_options(rest, {option for one in commands_of(name) for option in options_of(one.call)})
    rest = gathered(rest, getattr(module, "NUMBER_LISTS", ()))
    rest = filled_in(rest, getattr(module, "OPTIONAL_VALUES", {}))
    words: tuple[str, ...] = (name,)
    if reserved := getattr(module, "RESERVED", ()):
        word, others = _word_first(rest, [module.command])
        if word in reserved:
            module, rest, words = import_module(f"wirespeed.cli.{word}"), others, (name, word)
    verbs = getattr(module, "VERBS", None)
    if verbs is None:
        return CliCommand(words, module, module.command), rest
    verb, others = _word_first(rest, verbs.values())
    if verb in verbs:
        return CliCommand((*words, verb), module, verbs[verb]), others
    called = " ".join(words)
    if not verb and set(rest) & {*_HELP}:
        print(_help(called, module))
        return None, rest
    wrong = "needs a verb" if not verb else f"has no verb {verb!r}"
    likely = suggestion(verb, verbs)
    raise UsageError(f"{called} {wrong}{likely or f': {_alternatives([*verbs])}'}; see wirespeed {called} --help")


def _word_first(args: Sequence[str], calls: Iterable[Callable[..., Any]]) -> tuple[str, list[str]]:
    """The first word that is no option of `calls` and no value of one, empty if there is none, and the other words."""
    valued = {word for call in calls for word, takes_value in options_of(call).items() if takes_value}
    is_value = False
    for place, word in enumerate(args):
        if word == "--":
            break
        if not is_value and not word.startswith("-"):
            return word, [*args[:place], *args[place + 1 :]]
        is_value = not is_value and word in valued
    return "", [*args]


def _help(called: str, module: ModuleType) -> str:
    """Output of --help for a command with verbs."""
    paragraphs = (textwrap.fill(part, _WIDTH, initial_indent="  ", subsequent_indent="  ") for part in about(module))
    told = "\n\n".join(paragraphs)
    return f"""Usage: wirespeed {called} VERB [OPTIONS] [ARGS]...

{told}

Verbs:
{listed({verb: summary(call) for verb, call in module.VERBS.items()})}

`wirespeed {called} VERB --help` lists the options of a verb."""


def _parse_and_run(command: CliCommand, args: Sequence[str]) -> Any:
    try:
        return command.parser().main(args=[*args], prog_name=f"wirespeed {command.name}", standalone_mode=False)
    except Exception as error:
        # Errors of the option parser have no public class in typer; their method identifies them.
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        _refuse_other_verbs_option(command, str(getattr(error, "option_name", "")))
        told = explain().replace(": Value error, ", ": ").rstrip(".")
        raise UsageError(f"{told}{'' if told.endswith('?') else ';'} see wirespeed {command.name} --help") from None


def _refuse_other_verbs_option(command: CliCommand, option: str) -> None:
    """UsageError that names the verbs that take `option`, if there are any."""
    others = [one.name for one in commands_of(command.words[0]) if option in options_of(one.call)]
    if option and others:
        raise UsageError(f"{command.name} takes no {option}, which is an option of {_alternatives(others, 'and')}")


def _alternatives(words: Sequence[str], last: str = "or") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
