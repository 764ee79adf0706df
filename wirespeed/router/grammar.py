"""Command lines as VPP has them: words that may be abbreviated, typed values, and errors that point at the word.

A command is declared by its syntax:

    ip route add <prefix> [count <number:count>] (via <address:next_hop> [<interface>])...

Bare words are literals. `<type:name>` is a value; its name is the type's unless given. `[x]` may be left out, `(x|y)`
groups and chooses, `...` repeats what stands before it. All commands of a `Grammar` are matched at once, word by
word, so that what could stand at a place is known there: that set makes the error, the help and the completion.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wirespeed.errors import UsageError


class ValueType(Protocol):
    """Type of a `<value>` in a syntax: `parse` returns the value of a word, or raises ValueError with the reason."""

    @property
    def label(self) -> str: ...
    @property
    def rest_of_line(self) -> bool: ...
    def parse(self, word: str, context: Any) -> Any: ...
    def complete(self, context: Any) -> Iterable[str]: ...


LITERAL = ""
"""The name under which a Match keeps the literal words of its line."""


@dataclass(frozen=True)
class Match:
    """Words of a matched line, in order: values as (name, value), literal words as (LITERAL, word)."""

    values: tuple[tuple[str, Any], ...]

    def __contains__(self, word: str) -> bool:
        """True if the literal word is in the line."""
        return (LITERAL, word) in self.values

    def __getitem__(self, name: str) -> Any:
        return next(value for key, value in self.values if key == name)

    def get(self, name: str, default: Any = None) -> Any:
        return next((value for key, value in self.values if key == name), default)

    def all(self, name: str) -> list[Any]:
        return [value for key, value in self.values if key == name]


@dataclass
class _State:
    """A place between two words of one or more syntaxes."""

    edges: list[tuple[str, ValueType | None, _State]] = field(default_factory=list)
    empty: list[_State] = field(default_factory=list)
    command: Any = None


@dataclass(frozen=True)
class _Thread:
    state: _State
    values: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class _Place:
    """All that a list of states reaches without a word: each state once, with its place in that list."""

    reached: tuple[tuple[int, _State], ...]
    literals: tuple[str, ...]
    targets: dict[str, tuple[tuple[int, _State], ...]]
    """Behind each literal, with the place among `reached` of where it leads from."""
    values: tuple[tuple[int, str, ValueType, _State], ...]


@dataclass(frozen=True)
class _Arrival:
    """Place in the syntax after some words, and the threads that lead there."""

    place: _Place
    stepped: list[_Thread]

    def values(self, index: int) -> tuple[tuple[str, Any], ...]:
        """Values of the thread that reached the state with this index."""
        return self.stepped[self.place.reached[index][0]].values

    def threads(self) -> list[_Thread]:
        return [_Thread(state, self.stepped[origin].values) for origin, state in self.place.reached]


class Grammar:
    """The commands of one console."""

    def __init__(self, types: dict[str, ValueType]) -> None:
        self._types = types
        self._start = _State()
        self._commands: list[tuple[str, Any]] = []
        # By the states' identities. What follows what is the same for every line, and files have lines by the thousand.
        self._places: dict[tuple[int, ...], _Place] = {}

    def add(self, syntax: str, command: Any) -> None:
        """Add one syntax that leads to `command`; ValueError when the syntax cannot be read."""
        tokens = re.findall(r"<[^>]+>|\.\.\.|[\[\]()|]|[^\s\[\]()|<>]+", syntax)
        reader = _SyntaxReader(tokens, self._types)
        first, last = reader.alternatives()
        if reader.position != len(tokens):
            raise ValueError(f"syntax {syntax!r}: unexpected {tokens[reader.position]!r}")
        last.command = command
        self._start.empty.append(first)
        self._commands.append((syntax, command))
        self._places.clear()

    def commands(self) -> list[tuple[str, Any]]:
        """Each syntax and its command."""
        return self._commands

    def match(self, line: str, context: Any) -> tuple[Any, Match]:
        """The command of a whole line and its values; UsageError names the word that is wrong."""
        words = line.split()
        arrival, position = self._walk(words, context)
        if position < len(words):
            raise UsageError(self._explain(words, position, arrival.threads(), context))
        for index, (_, state) in enumerate(arrival.place.reached):
            if state.command is not None:
                return state.command, Match(arrival.values(index))
        raise UsageError(f"{line.strip()!r} is not complete; expected {_one_of(_labels(arrival.threads()))}")

    def expected(self, line: str, context: Any) -> list[tuple[str, str]]:
        """Possible next words after `line`, with one line of help each. UsageError if `line` is already wrong."""
        words = line.split()
        arrival, position = self._walk(words, context)
        threads = arrival.threads()
        if position < len(words):
            raise UsageError(self._explain(words, position, threads, context))
        rows = {}
        for label in _labels(threads):
            behind = list(_commands_behind(threads, label))
            rows[label] = behind[0].summary if len(behind) == 1 else ", ".join(_labels_behind(threads, label))
        if any(thread.state.command is not None for thread in threads):
            rows["<enter>"] = next(thread.state.command.summary for thread in threads if thread.state.command)
        return sorted(rows.items())

    def complete(self, line: str, context: Any) -> list[str]:
        """Words that could stand where `line` ends, the last word being begun unless a space follows it."""
        words = line.split()
        begun = words.pop() if words and not line[-1:].isspace() else ""
        arrival, position = self._walk(words, context)
        if position < len(words):
            return []
        known: set[str] = set()
        for thread in arrival.threads():
            for literal, value, _ in thread.state.edges:
                known.update([literal] if value is None else value.complete(context))
        return sorted(word for word in known if word.startswith(begun))

    def _walk(self, words: Sequence[str], context: Any) -> tuple[_Arrival, int]:
        """Follow the words as far as they match. Returns the states reached and the number of matching words."""
        arrival = self._arrive([_Thread(self._start, ())])
        for position, word in enumerate(words):
            stepped = _step(arrival, word, words[position:], context)
            if not stepped:
                return arrival, position
            arrival = self._arrive(stepped)
            if any(isinstance(thread.values[-1][1], _Rest) for thread in stepped):
                return arrival, len(words)
        return arrival, len(words)

    def _arrive(self, stepped: list[_Thread]) -> _Arrival:
        """The threads and all that they reach without a word."""
        key = tuple(id(thread.state) for thread in stepped)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _place([thread.state for thread in stepped])
        return _Arrival(place, stepped)

    def _explain(self, words: Sequence[str], position: int, threads: list[_Thread], context: Any) -> str:
        word = words[position]
        place = f"word {position + 1}, {word!r}"
        literals = _literals(threads)
        begun = [literal for literal in literals if literal.startswith(word)]
        if len(begun) > 1:
            return f"{place}, is ambiguous: {', '.join(begun)}"
        values = [value for thread in threads for _, value, _ in thread.state.edges if value is not None]
        if not literals and not values:
            return f"{place}, is too much: {' '.join(words[:position])!r} ends there"
        near = difflib.get_close_matches(word, [*literals, *_completions(values, context)], n=1)
        near = near or _near_beginning(word, literals, swapped_only=bool(values))
        if len({value.label for value in values}) == 1 and not any(literal in near for literal in literals):
            also = f"; or {', '.join(literals)}" if literals else ""
            return f"{place}: {_refusal(values[0], word, context)}{also}"
        hint = f"did you mean {near[0]!r}? " if near else ""
        return f"{place}, is not known here: {hint}expected {_one_of(_labels(threads))}"


def _near_beginning(word: str, literals: Sequence[str], *, swapped_only: bool) -> list[str]:
    """The keyword that `word` abbreviates with a slip, as `rnu` does `runtime`: letters in another order first."""
    found = [literal for literal in literals if sorted(literal[: len(word)]) == sorted(word)]
    if found or swapped_only:
        return found[:1]
    beginnings = {literal[: len(word)]: literal for literal in literals}
    return [beginnings[one] for one in difflib.get_close_matches(word, beginnings, n=1)]


class _SyntaxReader:
    """Recursive descent over the tokens of one syntax; each rule returns the first and last state of its part."""

    def __init__(self, tokens: Sequence[str], types: dict[str, ValueType]) -> None:
        self.tokens = tokens
        self.types = types
        self.position = 0

    def alternatives(self) -> tuple[_State, _State]:
        first, last = _State(), _State()
        while True:
            start, end = self._sequence()
            first.empty.append(start)
            end.empty.append(last)
            if self._peek() != "|":
                return first, last
            self.position += 1

    def _sequence(self) -> tuple[_State, _State]:
        first = last = _State()
        while self._peek() not in ("", "]", ")", "|"):
            start, end = self._item()
            last.empty.append(start)
            last = end
        return first, last

    def _item(self) -> tuple[_State, _State]:
        token = self._take()
        if token in ("[", "("):
            first, last = self.alternatives()
            if self._take() != ("]" if token == "[" else ")"):
                raise ValueError(f"no end of {token!r}")
            if token == "[":
                first.empty.append(last)
        else:
            first, last = _State(), _State()
            first.edges.append((*self._edge(token), last))
        if self._peek() == "...":
            self.position += 1
            last.empty.append(first)
        return first, last

    def _edge(self, token: str) -> tuple[str, ValueType | None]:
        if not token.startswith("<"):
            return token, None
        kind, _, name = token[1:-1].partition(":")
        return name or kind, self.types[kind]

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1] if self.position <= len(self.tokens) else ""


def _closure(states: Iterable[_State]) -> Iterator[tuple[int, _State]]:
    """The states and all states reachable from them without a word, each once (the first wins), with the index of its
    origin."""
    seen: set[int] = set()
    stack = list(enumerate(states))[::-1]
    while stack:
        origin, state = stack.pop()
        if id(state) in seen:
            continue
        seen.add(id(state))
        yield origin, state
        stack.extend((origin, further) for further in reversed(state.empty))


def _place(states: Iterable[_State]) -> _Place:
    reached = tuple(_closure(states))
    targets: dict[str, tuple[tuple[int, _State], ...]] = {}
    values = []
    for index, (_, state) in enumerate(reached):
        for name, value, target in state.edges:
            if value is None:
                targets[name] = (*targets.get(name, ()), (index, target))
            else:
                values.append((index, name, value, target))
    return _Place(reached, tuple(sorted(targets)), targets, tuple(values))


def _step(arrival: _Arrival, word: str, rest: Sequence[str], context: Any) -> list[_Thread]:
    """Take one word: an exact literal wins over values, values over an abbreviated literal."""
    place = arrival.place
    literal: str | None = word
    if word not in place.targets:
        values = list(_take_values(arrival, word, rest, context))
        if values:
            return values
        literal = _unabbreviated(word, place.literals)
    if literal is None:
        return []
    return [_Thread(target, (*arrival.values(index), (LITERAL, literal))) for index, target in place.targets[literal]]


def _take_values(arrival: _Arrival, word: str, rest: Sequence[str], context: Any) -> Iterator[_Thread]:
    for index, name, value, target in arrival.place.values:
        try:
            taken = value.parse(" ".join(rest) if value.rest_of_line else word, context)
        except ValueError:
            continue
        yield _Thread(target, (*arrival.values(index), (name, _Rest(taken) if value.rest_of_line else taken)))


class _Rest(str):
    """A value that took all words to the end of the line."""


def _unabbreviated(word: str, literals: Sequence[str]) -> str | None:
    """The literal that `word` abbreviates; of several, the one that is the prefix of all others (neighbor,
    neighbors)."""
    begun = [literal for literal in literals if literal.startswith(word)]
    shortest = min(begun, key=len, default=None)
    return shortest if shortest and all(literal.startswith(shortest) for literal in begun) else None


def _refusal(value: ValueType, word: str, context: Any) -> str:
    try:
        value.parse(word, context)
    except ValueError as error:
        return str(error)
    return f"{word!r} is not allowed here"


def _completions(values: Iterable[ValueType], context: Any) -> list[str]:
    return [option for value in values for option in value.complete(context)]


def _literals(threads: Iterable[_Thread]) -> list[str]:
    return sorted({name for thread in threads for name, value, _ in thread.state.edges if value is None})


def _labels(threads: Iterable[_Thread]) -> list[str]:
    """Possible next words: literals themselves, values by their labels."""
    return sorted(
        {name if value is None else value.label for thread in threads for name, value, _ in thread.state.edges}
    )


def _targets(threads: Iterable[_Thread], label: str) -> list[_Thread]:
    return [
        _Thread(target, ())
        for thread in threads
        for name, value, target in thread.state.edges
        if (name if value is None else value.label) == label
    ]


def _labels_behind(threads: Iterable[_Thread], label: str) -> list[str]:
    reached = _closure(thread.state for thread in _targets(threads, label))
    return _labels(_Thread(state, ()) for _, state in reached)


def _commands_behind(threads: Iterable[_Thread], label: str) -> Iterator[Any]:
    """The commands that can still be reached once `label` stands, each once."""
    seen: set[int] = set()
    commands: set[int] = set()
    stack = [thread.state for thread in _targets(threads, label)]
    while stack:
        state = stack.pop()
        if id(state) in seen:
            continue
        seen.add(id(state))
        if state.command is not None and id(state.command) not in commands:
            commands.add(id(state.command))
            yield state.command
        stack += [*state.empty, *(target for _, _, target in state.edges)]


def _one_of(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"one of {', '.join(labels)}"
