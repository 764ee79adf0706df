"""Fixes of a host, and their reversal by a record that outlives this process.

Changes are in the kernel until the next boot of the host, and the record is in /run, which is as short-lived.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from wirespeed.doctor.finding import HostFinding, HostStep
from wirespeed.errors import EnvironmentFault, FileFault
from wirespeed.files import read_text_file, write_atomically
from wirespeed.inspect.transcript import NOTHING, ShellMachine, TranscriptSection, ask

_MOST_BYTES = 1 << 20
_STEPS = TypeAdapter(list[HostStep])


@dataclass(frozen=True)
class Done:
    """A command that was run, and its output."""

    command: str
    answer: TranscriptSection

    @property
    def went_well(self) -> bool:
        return self.answer.code == 0


def steps_of(findings: Sequence[HostFinding]) -> tuple[HostStep, ...]:
    return tuple(step for finding in findings for step in finding.steps)


def apply(
    machine: ShellMachine, steps: Sequence[HostStep], record: Path, announce: Callable[[str], None]
) -> list[Done]:
    """Run `steps`. Each is passed to `announce` before it runs, and reversible ones are written to `record` first.
    EnvironmentFault if this is not root, FileFault if `record` cannot be written."""
    check_root(machine)
    recorded = read_record(record) if record.exists() else []
    done = []
    for step in steps:
        announce(step.do)
        if step.undo:
            recorded.append(step)
            _write(record, recorded)
        done.append(_run(machine, step.do))
    return done


def undo(machine: ShellMachine, record: Path, announce: Callable[[str], None]) -> list[Done]:
    """Reverse the steps in `record`, the last first. Steps whose reversal fails stay in it. FileFault without a
    record."""
    check_root(machine)
    done = list(_undone(machine, read_record(record), announce))
    left = [step for step, one in done if not one.went_well]
    if left:
        _write(record, left[::-1])
    else:
        record.unlink()
    return [one for _, one in done]


def _undone(
    machine: ShellMachine, steps: Sequence[HostStep], told: Callable[[str], None]
) -> Iterator[tuple[HostStep, Done]]:
    for step in reversed(steps):
        told(step.undo)
        yield step, _run(machine, step.undo)


def _run(machine: ShellMachine, command: str) -> Done:
    return Done(command, ask(machine, {"step": command}).get("step", NOTHING))


def check_root(machine: ShellMachine) -> None:
    if machine.run("id -u").strip() != "0":
        raise EnvironmentFault(f"only root may change settings of {machine.name}; run this with sudo")


def read_record(record: Path) -> list[HostStep]:
    """FileFault if there is no record, or the file is not one."""
    if not record.exists():
        raise FileFault(f"there is no record {record}: nothing was changed since this machine started")
    try:
        return _STEPS.validate_json(read_text_file(record, "record of changes", _MOST_BYTES))
    except ValidationError:
        raise FileFault(
            f"{record} is not a record of changes; restore the settings manually, then remove the file"
        ) from None


def _write(record: Path, steps: Sequence[HostStep]) -> None:
    try:
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # as the router makes it
    except OSError as error:
        raise FileFault(f"record of changes {record} cannot be written: {error.strerror}") from None
    write_atomically(record, json.dumps([asdict(step) for step in steps], indent=1) + "\n", "record of changes")
