"""The tree of commands as the option parser has it; of the commands only the one that runs is imported."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, get_args, get_type_hints

import typer
import typer.main

from wirespeed import __version__
from wirespeed.cli.plain import NotPlain, plain_call


def command_tree(about: str, commands: Mapping[str, str], loaded: str, words: Sequence[str] = ()) -> Any:
    """The parser's command for `commands`, names with a line each; only `loaded` can run. If `words`, which are to
    follow it, name one of its verbs, its help shows no options of others."""
    app = typer.Typer(
        help=about,
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    module = None
    for name, summary in commands.items():
        if name == loaded:
            module = import_module(f"wirespeed.cli.{name}")
            settings = getattr(module, "CONTEXT", {})
            app.command(name, context_settings={"help_option_names": ["-h", "--help"], **settings})(module.command)
        else:
            app.command(name, help=summary)(_unloaded)
    tree: Any = typer.main.get_command(app)
    if module is not None and (verbs := getattr(module, "OPTION_VERBS", None)):
        possible = get_args(next(iter(get_type_hints(module.command).values())))
        verb = next((word for word in words if word in possible), None)
        for one in tree.commands[loaded].params:
            one.hidden |= verb not in (None, *verbs.get(one.name, (verb,)))
    return tree


def run_command(about: str, commands: Mapping[str, str], args: Sequence[str]) -> Any:
    """Run the command that `args` begins with; what it returns. The option parser is built for help, for words that
    are not among `commands`, and for lines that are not plain."""
    name, module = args[0], import_module(f"wirespeed.cli.{args[0]}") if args[0] in commands else None
    args = filled_in(gathered(args, getattr(module, "NUMBER_LISTS", ())), getattr(module, "OPTIONAL_VALUES", {}))
    if module is not None:
        anywhere = getattr(module, "CONTEXT", {}).get("allow_interspersed_args", True)
        try:
            given = plain_call(module.command, args[1:], options_anywhere=anywhere)
        except NotPlain:
            pass
        else:
            return module.command(**given)
    tree = command_tree(about, commands, loaded=name, words=args[1:])
    return tree.main(args=args, prog_name="wirespeed", standalone_mode=False)


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
    for word, following in zip(args, [*args[1:], "-"], strict=True):
        filled.append(word)
        if word in optional and following.startswith("-"):
            filled.append(optional[word])
    return filled


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"wirespeed {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def _unloaded() -> None:
    raise AssertionError("a command ran that was not imported")
