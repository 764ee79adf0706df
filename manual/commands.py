"""The commands' own help as values: what `wirespeed COMMAND --help` prints, before it is laid out for a terminal."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, replace

from wirespeed.cli.main import COMMANDS
from wirespeed.cli.tree import CliCommand, about, commands_of, summary

_CHOICES = re.compile(r"[a-z0-9_.-]+(?:\|[a-z0-9_.-]+)+")
_FILES = re.compile(r"FILE|PATH|DIR|FOLDER|PEM|SOCKET|RESULT|JOURNAL|DUMP|<path>|Path\]")


@dataclass(frozen=True)
class Entry:
    """An option or an argument: its text in the help, its names (options only), its type of value, its description."""

    text: str
    names: tuple[str, ...]
    value: str
    help: str

    @property
    def choices(self) -> tuple[str, ...]:
        """The possible values, if the type of value lists them; otherwise empty."""
        found = _CHOICES.fullmatch(self.value.strip("<>"))
        return tuple(found[0].split("|")) if found else ()

    @property
    def is_file(self) -> bool:
        return bool(_FILES.search(self.value))


@dataclass(frozen=True)
class Page:
    """Help of a command or of one of its verbs. `name` has all words, such as `results add`; `summary` is the line in
    the list of commands."""

    name: str
    summary: str
    usage: str
    paragraphs: tuple[str, ...]
    arguments: tuple[Entry, ...] = ()
    options: tuple[Entry, ...] = ()
    verbs: tuple[Page, ...] = ()

    @property
    def parts(self) -> tuple[Page, ...]:
        """The pages with options: this one, those of its verbs, or both."""
        return (self, *self.verbs) if self.options else self.verbs


def pages() -> tuple[Page, ...]:
    """A page for each command, in the order in which `wirespeed --help` lists them."""
    return tuple(_page(name, line) for name, line in COMMANDS.items())


def _page(name: str, line: str) -> Page:
    commands = commands_of(name)
    verbs = tuple(_part(one, summary(one.call)) for one in commands if len(one.words) > 1)
    if commands[0].words == (name,):
        return replace(_part(commands[0], line), verbs=verbs)
    return Page(name, line, f"wirespeed {name} VERB [OPTIONS] [ARGS]...", about(commands[0].module), verbs=verbs)


def _part(one: CliCommand, line: str) -> Page:
    command = one.parser()
    context = command.context_class(command, info_name=f"wirespeed {one.name}")
    arguments, options = [], []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None:
            continue
        text, told = record
        if parameter.param_type_name == "argument":
            kind = re.search(r" (<.*>)$", text)
            written = text.removesuffix(kind[0]) if kind else text
            arguments.append(Entry(written.upper(), (), kind[1] if kind else written, told))
        else:
            names = tuple(re.findall(r"(?:(?<=^)|(?<=[ /]))--?[A-Za-z0-9][\w-]*", text))
            value = re.sub(r"^(?:--?[A-Za-z0-9][\w-]*(?:, | / )?)+ *", "", text)
            options.append(Entry(text, names, value, told))
    usage = f"wirespeed {one.name} [OPTIONS] {' '.join(entry.text for entry in arguments)}".rstrip()
    paragraphs = tuple(" ".join(part.split()) for part in inspect.cleandoc(command.help or "").split("\n\n"))
    return Page(one.name, line, usage, paragraphs, tuple(arguments), tuple(options))
