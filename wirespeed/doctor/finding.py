"""What a check found, as a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from wirespeed.inspect.transcript import Transcript

Grade = Literal["ok", "note", "costs", "spoils", "blocks", "unknown"]
DISHONEST: tuple[Grade, ...] = ("spoils", "blocks")
"""With one of these a test would not say what the device can: blocks is none at all, spoils one that is wrong. What
only costs speed makes the tester slower, which results say by themselves."""


@dataclass(frozen=True)
class Wanted:
    """What is to be tested with: the workers' CPUs, the NICs that are to be theirs by PCI address, and the TCP ports of
    the generator. Empty where nobody has said."""

    cpus: tuple[int, ...] = ()
    nics: tuple[str, ...] = ()
    tcp_ports: tuple[int, ...] = (4500, 4501)


@dataclass(frozen=True)
class Step:
    """A command for the shell that changes something, and the one that puts it back; without one there is nothing to
    put back."""

    do: str
    undo: str = ""


@dataclass(frozen=True)
class Finding:
    """`is_` is what is, `why` what that means for a test, `mend` the commands that mend it. `steps` are those of them
    that harm nobody and that `--fix` does."""

    check: str
    grade: Grade
    is_: str
    why: str = ""
    mend: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


Check = Callable[[Transcript, Wanted], Iterable[Finding]]


def fixable(check: str, grade: Grade, is_: str, why: str, steps: Iterable[Step]) -> Finding:
    """One whose mending is what `--fix` does."""
    done = tuple(steps)
    return Finding(check, grade, is_, why, tuple(step.do for step in done), done)
