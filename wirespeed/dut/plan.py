"""What is to be changed on a device, as a value that can be printed, run, and undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wirespeed.dut.reach.reach import PATIENCE_S, Ran, Reach, short
from wirespeed.dut.setup import DutSetup

Facts = Mapping[str, Ran]
"""What a device answered before a plan was made, by the command asked."""


@dataclass(frozen=True)
class Action:
    """A command for the device's shell, with its standard input."""

    command: str
    stdin: str = ""

    def to_json(self) -> dict[str, str]:
        return {"command": self.command} | ({"stdin": self.stdin} if self.stdin else {})

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Action:
        return cls(str(raw["command"]), str(raw.get("stdin", "")))


@dataclass(frozen=True)
class Step:
    """One change: `what` is `now` and `will_be`. `undo` puts it back, without one there is nothing to put back.

    `persists`: a restart of the device does not undo it. `must_undo`: that the step began is enough to have changed the
    device for good, so that its undo has to work even where the step failed.
    """

    what: str
    now: str
    will_be: str
    do: Action
    undo: Action | None
    persists: bool = False
    must_undo: bool = False
    timeout_s: float = PATIENCE_S

    def text(self) -> list[str]:
        lines = [f"{self.what}: {self.now or 'nothing'} -> {self.will_be}", f"  do    {short(self.do.command)}"]
        return [*lines, f"  undo  {short(self.undo.command)}" if self.undo else "  undo  nothing"]


@dataclass(frozen=True)
class Plan:
    """Steps in their order; none when all is as it is to be. `notes` are what a reader of results should know."""

    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stage:
    """A plan that is made of the answers to `questions`. A later stage asks once the earlier ones are done."""

    questions: tuple[str, ...]
    plan: Callable[[Facts], Plan]


class Kind(Protocol):
    """A kind of device. Pure: what to ask, what to make of the answers, what to collect, how to read it."""

    name: str
    boot_question: str
    """Answers another text after each restart of the device."""

    def stages(self, setup: DutSetup) -> Sequence[Stage]:
        """UsageError for what this kind cannot do."""


@dataclass
class Answers:
    """Facts as they are asked for, each once."""

    reach: Reach
    facts: dict[str, Ran] = field(default_factory=dict)

    def ask(self, questions: Sequence[str]) -> Facts:
        for question in questions:
            self.facts[question] = self.reach.run(question)
        return self.facts


def text_of(facts: Facts, question: str) -> str:
    """The answer, nothing where the device has no such thing."""
    ran = facts.get(question)
    return ran.out if ran is not None and ran.code == 0 else ""
