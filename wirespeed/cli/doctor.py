"""`wirespeed doctor`: what this machine lacks to test with, and the commands that mend it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wirespeed.doctor.mending import Done

_RECORD = "/run/wirespeed/doctor.json"


def command(
    *,
    cpu: Annotated[str, typer.Option("-c", "--cpu", metavar="N[,N]", help="CPUs that the workers will have.")] = "",
    nic: Annotated[
        list[str] | None,
        typer.Option("--nic", metavar="ADDRESS", help="PCI address of a test port; again for more."),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Do what mends and harms nobody, each command shown before it is done.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Put back what --fix has changed.")] = False,
    record: Annotated[
        Path, typer.Option("--record", metavar="FILE", help="Where --fix writes what it changed.")
    ] = Path(_RECORD),
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Say what this machine lacks to be a tester or a device under test, why it matters and what mends it.

    Ends with 0 when a test here would be honest, with 3 when it would not. Only --fix and --undo change anything.
    """
    from wirespeed.cpus import cpu_list  # noqa: PLC0415 - a command starts fast
    from wirespeed.doctor.examination import as_json, as_text, examine, is_honest  # noqa: PLC0415
    from wirespeed.doctor.finding import Wanted  # noqa: PLC0415
    from wirespeed.doctor.mending import mend, steps_of  # noqa: PLC0415
    from wirespeed.doctor.mending import undo as put_back  # noqa: PLC0415
    from wirespeed.errors import EnvironmentFault, UsageError  # noqa: PLC0415
    from wirespeed.inspect.pci import parse_address  # noqa: PLC0415
    from wirespeed.inspect.transcript import Here  # noqa: PLC0415

    if fix and undo:
        raise UsageError("--fix and --undo are each other's opposite; give one of them")
    wanted = Wanted(cpu_list("--cpu", cpu) if cpu else (), tuple(map(parse_address, nic or ())))
    machine = Here()
    if undo:
        return _failures(put_back(machine, record, _told))
    findings = examine(machine, wanted)
    code = 0
    if fix and (steps := steps_of(findings)):
        code = _failures(mend(machine, steps, record, _told))
        findings = examine(machine, wanted)
    sys.stdout.write(as_json(machine.name, findings) if json else "\n".join(as_text(findings)) + "\n")
    return code or (0 if is_honest(findings) else EnvironmentFault.exit_code)


def _told(line: str) -> None:
    print(f"$ {line}", file=sys.stderr, flush=True)


def _failures(done: list[Done]) -> int:
    """Say which commands did not do what they were to; the exit code."""
    from wirespeed.errors import EnvironmentFault  # noqa: PLC0415
    from wirespeed.pages.words import harmless  # noqa: PLC0415

    failed = [one for one in done if not one.went_well]
    for one in failed:
        said = harmless(one.answer.text.strip()) or f"it ended with code {one.answer.code}"
        print(f"wirespeed: {one.command}: {said}", file=sys.stderr)
    return EnvironmentFault.exit_code if failed else 0
