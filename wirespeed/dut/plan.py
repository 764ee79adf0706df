"""Changes of a device, as a value that can be printed, run and undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wirespeed.dut.reach.questions import answers, asking
from wirespeed.dut.reach.reach import PATIENCE_S, Ran, Reach, short
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import EnvironmentFault
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.states import StateTable

Facts = Mapping[str, Ran]
"""Outputs of a device before a plan was made, by command."""


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
class DutStep:
    """One change of `what` from `now` to `will_be`. `undo` restores it; without `undo` there is nothing to restore.

    `persists`: the change survives a restart of the device. `must_undo`: even a failed step may have changed the device
    permanently, so its undo must succeed. `undone_if`: a command that succeeds where nothing is left to undo, because
    the device lost the change or the interface that had it; it is run if `undo` fails.
    """

    what: str
    now: str
    will_be: str
    do: Action
    undo: Action | None
    persists: bool = False
    must_undo: bool = False
    timeout_s: float = PATIENCE_S
    undone_if: str = ""

    def text(self) -> list[str]:
        lines = [f"{self.what}: {self.now or 'nothing'} -> {self.will_be}", f"  do    {short(self.do.command)}"]
        return [*lines, f"  undo  {short(self.undo.command)}" if self.undo else "  undo  nothing"]


@dataclass(frozen=True)
class DutPlan:
    """Steps in their order; none when all is as it is to be. `notes` are what a reader of results should know."""

    steps: tuple[DutStep, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DutStage:
    """A plan that is made of the answers to `questions`. A later stage asks once the earlier ones are done."""

    questions: tuple[str, ...]
    plan: Callable[[Facts], DutPlan]


class StatesKind(Protocol):
    """A kind of state table. Pure: what to ask for counts, how to read them, how to empty the table."""

    @property
    def count_question(self) -> str: ...

    @property
    def questions(self) -> tuple[str, ...]: ...

    def used(self, facts: Facts) -> int | None:
        """Entries by the answer to `count_question`; None from a device without a table."""

    def table(self, facts: Facts) -> StateTable | None:
        """The table by the answers to `questions`."""

    @property
    def flush(self) -> str:
        """The command that empties the table as a whole."""

    @property
    def flush_needs(self) -> str:
        """The package that has the command, for a device without it."""

    def how_to_hold(self, entries: int) -> str:
        """The command that sets the limit to `entries`."""


class DutKind(Protocol):
    """A kind of device. Pure: what to ask, what to make of the answers, what to collect, how to read it."""

    @property
    def name(self) -> str: ...

    @property
    def boot_question(self) -> str:
        """Answers another text after each restart of the device, or of the program that is it."""

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        """UsageError for what this kind cannot do."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Commands whose output before and after the load is stored in the result."""

    @property
    def prefix(self) -> str:
        """Prefix of a command in the DUT's own language; it is not part of the name of the text."""

    @property
    def sample(self) -> str:
        """The command whose output is kept each while under load."""

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        """Telemetry from two or more outputs of `sample`, for the time from the first to the last."""

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        """Facts about the device, from `texts`."""

    @property
    def states(self) -> StatesKind | None:
        """Its state table; None of a device that has none."""


@dataclass
class DutAnswers:
    """Facts as they are asked for, each once."""

    reach: Reach
    facts: dict[str, Ran] = field(default_factory=dict)

    def ask(self, questions: Sequence[str]) -> Facts:
        """All of them at once: a command over SSH costs the device more than most of the answers."""
        if questions:
            ran = self.reach.run(asking(questions), timeout_s=_ASK_S)
            self.facts |= answers(questions, ran.out)
        return self.facts


_ASK_S = 60.0


def answered(facts: Facts, question: str, who: str, prefix: str = "") -> str:
    """The answer to `question`, which `who` answers wherever it runs; EnvironmentFault, whose message leaves `prefix`
    out, where it does not."""
    ran = facts[question]
    if ran.code or not ran.out.strip():
        asked = short(question.removeprefix(prefix))
        raise EnvironmentFault(f"{who} does not answer `{asked}` on the DUT: {ran.why}; is it running there?")
    return ran.out


def texts_of(kind: DutKind, reach: Reach) -> dict[str, str]:
    """The device's texts as they are now, without those that it does not have."""
    facts = DutAnswers(reach).ask(kind.texts)
    there = (question for question in kind.texts if facts[question].code == 0 or facts[question].out.strip())
    return {question.removeprefix(kind.prefix): facts[question].out for question in there}


def text_of(facts: Facts, question: str) -> str:
    """The answer, nothing where the device has no such thing; some tools end with an error after a good answer."""
    ran = facts.get(question)
    return "" if ran is None else ran.out
