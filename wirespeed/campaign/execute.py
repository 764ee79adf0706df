"""Runs one cell on this machine: its steps in order, each as a child process that ends with this one.

The DUT is restored in any case. An interrupted test stops its traffic and releases its ports.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from wirespeed.bound_child import bound_to_parent
from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cells import CampaignCell
from wirespeed.campaign.kept import fault_of
from wirespeed.campaign.outcome import ABANDONED, DONE, FAILED, CellOutcome
from wirespeed.campaign.steps import Steps, steps_of
from wirespeed.errors import FileFault
from wirespeed.measurement.file import read_file
from wirespeed.measurement.registry import options_of
from wirespeed.results.journal import journal_path

_END_S = 60.0
"""Time for an interrupted test to stop its traffic and take its lab down."""


class StepFailed(Exception):
    """A command ended with `code`; the text is its last line of output."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


def execute(cell: CampaignCell, place: TestbedPlace, directory: Path) -> CellOutcome:
    """Run the cell on the bench of `place`; its result lies in `directory` then, as `STEM.json`. KeyboardInterrupt
    abandons it."""
    began_s = time.monotonic()
    output = directory / f"{cell.stem}.json"
    resume = can_resume(cell.command, output)
    if not resume:
        for left in (output, journal_path(output)):
            left.unlink(missing_ok=True)
    steps = steps_of(cell, place, directory, resume)
    log = directory / f"{cell.stem}.log"
    try:
        for path, text in steps.files.items():
            path.write_text(text)
        _run_all(steps, log)
    except StepFailed as failed:
        return CellOutcome(FAILED, time.monotonic() - began_s, str(failed), failed.code)
    except OSError as error:
        return CellOutcome(FAILED, time.monotonic() - began_s, f"{directory}: {error.strerror}", FileFault.exit_code)
    except KeyboardInterrupt:
        return CellOutcome(ABANDONED, time.monotonic() - began_s, "abandoned", 130)
    if fault := fault_of(output, cell):
        return CellOutcome(FAILED, time.monotonic() - began_s, fault, 130)
    return CellOutcome(DONE, time.monotonic() - began_s)


def can_resume(command: str, output: Path) -> bool:
    """True if an interrupted measurement has left data from which its command can resume."""
    if not hasattr(options_of(command), "resume"):
        return False
    try:
        found = read_file(output) if output.exists() or journal_path(output).exists() else None
    except FileFault:
        return False
    return found is not None and found.kind == command


def _run_all(steps: Steps, log: Path) -> None:
    with log.open("wb") as said:
        try:
            for line in steps.shell:
                _run(("/bin/sh", "-c", line), said, log, line)
            for words in steps.prepare:
                _run(_wirespeed(words), said, log, " ".join(words[:2]))
            _run(_wirespeed(steps.measure), said, log, steps.measure[0])
        finally:
            for words in steps.restore:
                _run(_wirespeed(words), said, log, " ".join(words[:2]))


def _wirespeed(words: Sequence[str]) -> tuple[str, ...]:
    return (sys.executable, "-m", "wirespeed", *words)


def _run(command: Sequence[str], said: object, log: Path, what: str) -> None:
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=said,  # type: ignore[call-overload]
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a terminal's Ctrl-C is ours to pass on
        preexec_fn=bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM),  # noqa: PLW1509 - this process has no threads
    )
    try:
        code = process.wait()
    except BaseException:
        # To the group, since a shell would wait for what it runs; not SIGINT, which background jobs may ignore.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise
    if code:
        raise StepFailed(_last_line(log) or f"{what}: exit code {code}", code)


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("wirespeed: ") if lines else ""
