"""Completion at the cursor: commands, options, their values, files, profiles, ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from wirespeed.console.commands import ALIASES, COMMANDS
from wirespeed.console.grammar import ConsoleCommand, ConsoleOption

_PROFILE_ENDINGS = (".py", ".yaml", ".yml", ".json")


def candidates(text: str, ports: Sequence[int] = (), commands: Mapping[str, ConsoleCommand] = COMMANDS) -> list[str]:
    """Words that could replace the last one of `text`; a directory ends with a slash."""
    words = text.split()
    begun = "" if not words or text[-1].isspace() else words.pop()
    return [word for word in _offered(words, begun, ports, commands) if word.startswith(begun)]


def _offered(
    words: list[str], begun: str, ports: Sequence[int], commands: Mapping[str, ConsoleCommand]
) -> Iterable[str]:
    if not words:
        return sorted({name.split()[0] for name in commands})
    words = [ALIASES.get(words[0], words[0]), *words[1:]]
    named = [name.split() for name in commands]
    longer = sorted({name[len(words)] for name in named if name[: len(words)] == words and len(name) > len(words)})
    command = next(
        (commands[" ".join(words[:n])] for n in range(len(words), 0, -1) if " ".join(words[:n]) in commands), None
    )
    if command is None:
        return longer
    rest = words[len(command.name.split()) :]
    return [*longer, *_arguments(command, rest, begun, ports, commands)]


def _arguments(
    command: ConsoleCommand,
    rest: Sequence[str],
    begun: str,
    ports: Sequence[int],
    commands: Mapping[str, ConsoleCommand],
) -> Iterator[str]:
    """Values of the option that is being given, else options that are not given yet."""
    flags = {flag: option for option in command.options for flag in option.flags}
    current = next((flags[word] for word in reversed(rest) if word in flags), None)
    count = next((place for place, word in enumerate(reversed(rest)) if word in flags), 0)
    takes_more = current is not None and current.read is not None and (count == 0 or current.many)
    if current is not None and takes_more and not begun.startswith("-"):
        yield from _values(current, begun, ports, commands)
        if not current.many or count == 0:
            return
    positional = next((option for option in command.options if option.positional), None)
    if positional is not None and not takes_more and not begun.startswith("-"):
        yield from _values(positional, begun, ports, commands)
    used = {flags[word].name for word in rest if word in flags}
    yield from (_preferred(option) for option in command.options if not option.positional and option.name not in used)


def _preferred(option: ConsoleOption) -> str:
    return option.flags[0]


def _values(
    option: ConsoleOption, begun: str, ports: Sequence[int], commands: Mapping[str, ConsoleCommand]
) -> Iterator[str]:
    yield from option.choices
    match option.source:
        case "ports":
            yield from map(str, ports)
        case "commands":
            yield from sorted({name.split()[0] for name in commands})
        case "files":
            yield from _files(begun, ())
        case "profiles":
            from wirespeed.profiles import BUILTIN_NAMES  # noqa: PLC0415 - keeps the start fast

            yield from (f"stl/{name}.py" for name in BUILTIN_NAMES)
            yield from _files(begun, _PROFILE_ENDINGS)


def _files(begun: str, endings: tuple[str, ...]) -> Iterator[str]:
    head, slash, _ = begun.rpartition("/")
    directory = Path(head + slash).expanduser() if slash else Path()
    try:
        found = sorted(directory.iterdir())
    except OSError:
        return
    for path in found:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield f"{head}{slash}{path.name}/"
        elif not endings or path.name.endswith(endings):
            yield f"{head}{slash}{path.name}"


class ConsoleCompleter(Completer):
    """`candidates` for prompt_toolkit; `ports` is asked each time, since servers differ."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports = ports

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        begun = len(document.get_word_before_cursor(WORD=True))
        for word in candidates(document.text_before_cursor, self.ports):
            text = word if word.endswith("/") else word + " "
            yield Completion(text, start_position=-begun, display=word)
