"""Results of checks, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from wirespeed.inspect.transcript import Transcript

Grade = Literal["ok", "note", "costs", "spoils", "blocks", "unknown"]
UNSUITABLE: tuple[Grade, ...] = ("spoils", "blocks")
"""Grades with which a host is not suitable for tests: `blocks`, no test can run; `spoils`, results would be invalid.
`costs` makes the tester slower, which results report by themselves."""


@dataclass(frozen=True)
class HostPurpose:
    """Purpose of the host: CPUs of the workers, NICs for them by PCI address, and TCP ports of the generator. Empty if
    not given."""

    cpus: tuple[int, ...] = ()
    nics: tuple[str, ...] = ()
    tcp_ports: tuple[int, ...] = (4500, 4501)


@dataclass(frozen=True)
class HostStep:
    """A shell command that changes a setting, and the command that reverses it; empty if there is nothing to
    reverse."""

    do: str
    undo: str = ""


@dataclass(frozen=True)
class HostFinding:
    """Result of a check. `is_` is the state found, `why` its effect on a test, `fix` the commands that fix it. `steps`
    are the safe ones, which `host fix` runs."""

    check: str
    grade: Grade
    is_: str
    why: str = ""
    fix: tuple[str, ...] = ()
    steps: tuple[HostStep, ...] = ()


Check = Callable[[Transcript, HostPurpose], Iterable[HostFinding]]


def fixable(check: str, grade: Grade, is_: str, why: str, steps: Iterable[HostStep]) -> HostFinding:
    """A finding that `host fix` fixes completely."""
    done = tuple(steps)
    return HostFinding(check, grade, is_, why, tuple(step.do for step in done), done)
