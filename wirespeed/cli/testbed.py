"""`wirespeed testbed`: a testbed file checked part by part, its schema, an example."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.options import seconds
from wirespeed.ending_signals import leave_on_signals

if TYPE_CHECKING:
    from wirespeed.testbed.check import CheckResult
    from wirespeed.testbed.model import Bench

HELP = "Check the testbed that a file describes: tester, links, device under test."

_LOAD_S = 3.0


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The testbed file.")],
    *,
    tester: Annotated[
        bool,
        typer.Option(
            "--tester",
            help="Measure and store the maximum rate of the tester, cabled back to back or through a DUT in L2XC.",
        ),
    ] = False,
    duration: Annotated[
        float | None,
        typer.Option(
            "--duration",
            parser=seconds,
            metavar="TIME",
            help="Duration of each load of --tester.",
            show_default=f"{_LOAD_S:g}s",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Acquire the ports by force.")] = False,
) -> int:
    """Check each part of a testbed; print one line per check.

    The parts are tester, links, DUT, cabling, neighbours, and a packet through the DUT in each direction. A failed
    check shows the next step. Exit code 0: all checks passed; 3: a part differs from the file; 4: the tester or the
    DUT does not answer; 6: the file cannot be used.
    """
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.testbed.file import read_bench  # noqa: PLC0415 - a command starts fast

    if duration is not None and not tester:
        raise UsageError("--duration goes with --tester: a check without it sends no load")
    bench = read_bench(file)
    with leave_on_signals():
        if tester:
            return _measure_tester(file, bench, _LOAD_S if duration is None else duration, force)
        from wirespeed.testbed.check import Check  # noqa: PLC0415

        return Check(bench, str(file), _show, force).run()


def schema() -> None:
    """Print the JSON schema of a testbed file."""
    from wirespeed.testbed.file import schema_text  # noqa: PLC0415 - a command starts fast

    print(schema_text())


def example() -> None:
    """Print a testbed file with comments."""
    from wirespeed.testbed.file import example_text  # noqa: PLC0415 - a command starts fast

    print(example_text(), end="")


VERBS = {"check": check, "schema": schema, "example": example}


def _measure_tester(file: Path, bench: Bench, duration_s: float, force: bool) -> int:
    from wirespeed.demo.ceiling_trials import measure  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.measurement.output import check_writable  # noqa: PLC0415
    from wirespeed.testbed.cables import cabled  # noqa: PLC0415
    from wirespeed.testbed.ceiling import ceilings_path, keep  # noqa: PLC0415

    if not 0.3 <= duration_s <= 3600:
        raise UsageError(f"--duration {duration_s:g}: give seconds from 0.3 to 3600")
    check_writable(ceilings_path(file), "folder for the testbed file")
    with cabled(bench, force) as (client, line_bps):
        found = measure(client, bench.ports, duration_s, lambda text: print(text, flush=True), line_bps=line_bps)
    print(f"kept in {keep(file, found)}; results on this testbed refer to it")
    return 0


def _show(finding: CheckResult) -> None:
    step = f"; next: {finding.next_step}" if finding.next_step else ""
    print(f"{finding.state:<5} {finding.part:<10} {finding.text}{step}", flush=True)
