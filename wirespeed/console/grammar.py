"""Command lines as T-Rex's console has them: a command of one or more words, then options. Pure.

A command declares its options as values; they make the parser, the help and the completion.
"""

from __future__ import annotations

import argparse
import difflib
import re
import shlex
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from wirespeed.client.generator_client import PROFILE_ID
from wirespeed.client.stateless_client import ProfileTarget
from wirespeed.console.absent import ABSENT
from wirespeed.errors import UsageError

if TYPE_CHECKING:
    from wirespeed.console.session import Session

Given = argparse.Namespace
Source = Literal["", "ports", "profiles", "files", "commands"]


_HELP = ("-h", "--help")


@dataclass(frozen=True)
class ConsoleOption:
    """`flags` begin with dashes, or one bare name makes it positional. `read` turns a word into a value or a tuple of
    values; without it the option is a switch. `alone` is the value of an option that is given without one. An option
    that `joins` is one text of many words. `moot` is the reason why an option is taken and has no effect. `source`
    says what completion offers."""

    flags: tuple[str, ...]
    help: str
    read: Callable[[str], Any] | None = str
    metavar: str = ""
    many: bool = False
    optional: bool = True
    choices: tuple[str, ...] = ()
    default: Any = None
    dest: str = ""
    source: Source = ""
    rest: bool = False
    repeats: bool = False
    alone: Any = None
    joins: bool = False
    moot: str = ""

    @property
    def name(self) -> str:
        return self.dest or self.flags[-1].strip("-").replace("-", "_")

    @property
    def positional(self) -> bool:
        return not self.flags[0].startswith("-")

    @property
    def usage(self) -> str:
        value = self.value_usage
        text = value if self.positional else f"{self.flags[0]} {value}".rstrip()
        return f"[{text}]" if self.optional else text

    @property
    def value_usage(self) -> str:
        if self.read is None:
            return ""
        word = "|".join(self.choices) or self.metavar or self.name.upper()
        return f"{word}…" if self.many else word if self.alone is None else f"[{word}]"


Run = Callable[["Session", Given], None]


@dataclass(frozen=True)
class ConsoleCommand:
    """`offline` ones work without a server."""

    name: str
    group: str
    summary: str
    options: tuple[ConsoleOption, ...]
    run: Run
    offline: bool = False

    @property
    def usage(self) -> str:
        return " ".join([self.name, *(option.usage for option in self.options)])


@dataclass(frozen=True)
class Parsed:
    """`notes` name the options that were given and have no effect."""

    command: ConsoleCommand
    given: Given
    wants_help: bool = False
    notes: tuple[str, ...] = ()


class Word(str):
    """A word of a line without its quotes; `typed` has them."""

    typed: str

    def __new__(cls, typed: str) -> Word:
        word = super().__new__(cls, "".join(shlex.split(typed)))
        word.typed = typed
        return word


_WORD = re.compile(r"""(?:[^\s'"\\;]|'[^']*'|"(?:\\.|[^"\\])*"|\\.)+|;""", re.DOTALL)


def commands_of(line: str) -> list[list[Word]]:
    """The words of each command of a line. Quotes hold words together, a semicolon ends a command, a # at the start of
    a word begins a comment."""
    commands: list[list[Word]] = [[]]
    at = 0
    while rest := line[at:].lstrip():
        at = len(line) - len(rest)
        if rest.startswith("#"):
            break
        match = _WORD.match(rest)
        if match is None:
            what = "escaped character" if rest == "\\" else "closing quotation"
            raise UsageError(f"line cannot be read: no {what}")
        at += match.end()
        if match[0] == ";":
            commands.append([])
        elif not commands[-1] and match[0][0] in "!?" and len(match[0]) > 1:  # T-Rex's short forms: `!3`, `?start`
            commands[-1] += [Word(match[0][0]), Word(match[0][1:])]
        else:
            commands[-1].append(Word(match[0]))
    return [words for words in commands if words]


def parse(words: Sequence[str], commands: Mapping[str, ConsoleCommand], aliases: Mapping[str, str]) -> Parsed:
    """The command that `words` name, and its options. UsageError for everything that cannot be run as given."""
    command, rest = find(words, commands, aliases)
    tunables = next((option for option in command.options if option.rest), None)
    taken: str | None = None
    if tunables is not None:
        rest, taken = _without_tunables(rest, tunables)
    if any(word in _HELP for word in rest):
        return Parsed(command, Given(), wants_help=True)
    values, unknown = _parser(command).parse_known_args(list(rest))
    if unknown:
        raise UsageError(_unknown_option(command, unknown[0]))
    if tunables is not None:
        setattr(values, tunables.name, read_tunables(taken or ""))
    notes = []
    for option in command.options:
        value = getattr(values, option.name)
        if option.joins:
            setattr(values, option.name, " ".join(value or ()))
        elif option.many and value is not None:
            setattr(values, option.name, _flat(value, option.repeats))
        if option.moot and value:
            notes.append(f"{command.name} {option.flags[-1]}: {option.moot}")
    return Parsed(command, values, notes=tuple(notes))


def find(
    words: Sequence[str], commands: Mapping[str, ConsoleCommand], aliases: Mapping[str, str]
) -> tuple[ConsoleCommand, list[str]]:
    """The command with the longest name that `words` begin with, and the words after it."""
    head = [aliases.get(words[0], words[0]), *words[1:]]
    for count in range(len(head), 0, -1):
        command = commands.get(" ".join(head[:count]))
        if command is not None:
            return _not_beginning(command, head[count:], commands), head[count:]
        if reason := ABSENT.get(" ".join(head[:count])):
            raise UsageError(f"{' '.join(head[:count])}: {reason}")
    begun = [name for name in commands if name.split()[0] == head[0]]
    if begun:
        raise UsageError(f"{head[0]} needs a subcommand: {_alternatives(begun)}")
    close = difflib.get_close_matches(head[0], {name.split()[0] for name in commands}, n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise UsageError(f"unknown command {head[0]!r}; {hint}`help` lists the commands")


def _not_beginning(
    command: ConsoleCommand, rest: Sequence[str], commands: Mapping[str, ConsoleCommand]
) -> ConsoleCommand:
    """`capture recrod` is a misspelt longer command, not `capture` with a value that it does not take."""
    longer = [name for name in commands if name.startswith(f"{command.name} ")]
    takes_values = any(option.positional for option in command.options)
    if longer and rest and not rest[0].startswith("-") and not takes_values:
        raise UsageError(f"{command.name} {rest[0]} is not a command; give {_alternatives(longer)}")
    return command


def _alternatives(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _unknown_option(command: ConsoleCommand, word: str) -> str:
    flags = [flag for option in command.options for flag in option.flags if flag.startswith("-")]
    close = difflib.get_close_matches(word, flags, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}? " if close else ""
    takes = f"it takes {', '.join(flags)}" if flags else "it takes no options"
    return f"{command.name}: {word!r} is not known; {hint}{takes}"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}; usage: {self.usage}")


def _parser(command: ConsoleCommand) -> argparse.ArgumentParser:
    parser = _Parser(prog=command.name, usage=command.usage, add_help=False)
    for option in command.options:
        if option.rest:
            continue
        named: dict[str, Any] = {} if option.positional else {"dest": option.name, "required": not option.optional}
        if option.read is None:
            parser.add_argument(*option.flags, action="store_true", **named)
            continue
        if option.choices:
            named["choices"] = option.choices
        if option.many:
            named |= {"nargs": "*" if option.positional and option.optional else "+", "action": "extend"}
        elif (option.positional and option.optional) or option.alone is not None:
            named |= {"nargs": "?", "const": option.alone}
        parser.add_argument(*option.flags, type=option.read, default=option.default, **named)
    return parser


def _flat(values: Sequence[Any], repeats: bool) -> list[Any]:
    """Values of `-p 0 1` or `-p 0,1`; a repeated value counts once, unless the option `repeats`."""
    flat = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
    return flat if repeats else list(dict.fromkeys(flat))


def _without_tunables(words: Sequence[str], option: ConsoleOption) -> tuple[list[str], str | None]:
    """Take `-t a=1,b=2`, or `-t --a 1 --b 2` up to the end of the line, out of the words."""
    for place, word in enumerate(words):
        if word in option.flags:
            following = list(words[place + 1 :])
            if not following:
                raise UsageError(f"{word} is followed by tunables, such as size=64,vm=var2")
            if following[0] in _HELP:
                return list(words[:place]), "help=yes"
            if following[0].startswith("--"):
                return list(words[:place]), _from_options(following)
            count = next((at for at, one in enumerate(following) if one.startswith("-")), len(following))
            return [*words[:place], *following[count:]], ",".join(following[:count])
    return list(words), None


def _from_options(words: Sequence[str]) -> str:
    """T-Rex's newer style, which goes on to the end of the line, as the older one."""
    pairs: list[list[str]] = []
    for word in words:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            pairs.append([name, value] if equals else [name])
        else:
            pairs[-1].append(word)
    for pair in pairs:
        if len(pair) != 2:
            raise UsageError(
                f"tunable --{pair[0]} takes one value, and -t takes the rest of the line; "
                f"put -t --{pair[0]} VALUE last, or write -t {pair[0]}=VALUE"
            )
    return ",".join(f"{name}={value}" for name, value in pairs)


def read_tunables(text: str) -> dict[str, str]:
    from wirespeed.trial.plan import parse_tunables  # noqa: PLC0415 - pulls in the profiles

    return parse_tunables(text)


def read_ports(word: str) -> tuple[int, ...]:
    """`0`, or `0,1`."""
    return tuple(_port(part, word) for part in word.split(",") if part)


def read_targets(word: str) -> tuple[ProfileTarget, ...]:
    """`0`, `0.name` or `0.*`, or several with commas between."""
    targets = []
    for part in word.split(","):
        port, dot, profile = part.partition(".")
        if dot and not profile:
            raise UsageError(f"port {word!r} cannot be read; give a number such as 0, or a profile on it such as 0._")
        targets.append(ProfileTarget(_port(port, word), profile or PROFILE_ID))
    return tuple(targets)


def _port(text: str, word: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise UsageError(f"port {word!r} cannot be read; give port numbers such as 0 1 or 0,1")
    return int(text)


def number(lowest: float, what: str, whole: bool = False) -> Callable[[str], float]:
    """A reader of numbers from `lowest` up; `what` names the value in the error."""

    def read(word: str) -> float:
        try:
            value: float = int(word) if whole else float(word)
        except ValueError:
            value = lowest - 1
        if not lowest <= value < float("inf"):
            kind = "a whole number" if whole else "a number"
            raise UsageError(f"{what} {word!r} cannot be used; give {kind} from {lowest:g} up")
        return value

    return read


_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def read_duration(word: str) -> float:
    """Seconds, of a number with `s`, `m`, `h` or nothing behind it."""
    text, unit = (word[:-1], _SECONDS[word[-1]]) if word[-1:] in _SECONDS else (word, 1.0)
    try:
        return number(0.001, "duration")(text) * unit
    except UsageError:
        raise UsageError(f"duration {word!r} cannot be used; give seconds from 0.001 up, or as 5m or 1h") from None


def count(what: str, lowest: int = 1) -> Callable[[str], float]:
    return number(lowest, what, whole=True)


PORTS = ConsoleOption(
    ("-p", "--port", "--ports"), "Ports. Default: all acquired ports.", read_ports, "PORT", True, source="ports"
)
TARGETS = ConsoleOption(
    ("-p", "--port", "--ports"),
    "Ports, or profiles on them such as 0.name. Default: all acquired ports.",
    read_targets,
    "PORT[.PROFILE]",
    True,
    source="ports",
)
ALL = ConsoleOption(("-a", "--all"), "All acquired ports (the default without -p).", None)
STREAM_IDS = ConsoleOption(("-i", "--id", "--ids"), "Only these streams.", count("stream", 0), "ID", True, dest="ids")


def switch(*flags: str, help: str) -> ConsoleOption:
    return ConsoleOption(flags, help, None)


def help_text(command: ConsoleCommand, commands: Mapping[str, ConsoleCommand]) -> str:
    """Usage and options of a command, and the longer commands that begin with it."""
    lines = [f"{command.name} - {command.summary}", "", f"usage: {command.usage}"]
    if command.options:
        lines += ["", *listed([(_label(option), option.help) for option in command.options])]
    longer = [one for name, one in commands.items() if name.startswith(f"{command.name} ")]
    if longer:
        lines += ["", *listed([(one.name, one.summary) for one in longer])]
    return "\n".join(lines)


def listed(entries: Sequence[tuple[str, str]], width: int = 0) -> list[str]:
    """Words with their meaning in a second column, wrapped to the width of the terminal, or to 80 columns without one.
    `width` is the minimum width of the first column."""
    columns = shutil.get_terminal_size().columns
    width = min(max(width, *(len(word) for word, _ in entries)), columns // 2)
    lines = []
    for word, description in entries:
        first, rest = f"  {word:<{width}}  ", " " * (width + 4)
        if len(word) > width:
            lines.append(f"  {word}")
            first = rest
        lines += textwrap.wrap(
            description, columns, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
    return lines


def _label(option: ConsoleOption) -> str:
    names = "" if option.positional else ", ".join(option.flags)
    return f"{names} {option.value_usage}".strip()
