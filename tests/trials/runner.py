"""Runs trials one after the other, each in an environment of its own, and prints their outcomes at the end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from rich import box
from rich.console import Console
from rich.table import Table

from trials import isolation
from trials.trial import Fault, Ground, Skipped, Trial

HELD, BROKEN, SKIPPED = "held", "BROKEN", "skipped"

SHORT_LIMIT_S = 600.0
"""A short trial that runs for longer counts as hung."""


@dataclass(frozen=True)
class Form:
    """How the trials are run, from the command line."""

    seed: int
    short: bool = False
    packets: int = 0
    messages: int = 0
    sanitizer: bool = False


@dataclass(frozen=True)
class Outcome:
    trial: Trial
    verdict: str
    duration_s: float
    figures: dict[str, str] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def run(trials: Sequence[Trial], form: Form, console: Console) -> int:
    """Run all; returns 0 if all passed, 1 if one failed, 130 if interrupted. The table has those that ran."""
    console.print(f"{len(trials)} trials, seed {form.seed}", highlight=False)
    outcomes: list[Outcome] = []
    interrupted = False
    try:
        for one in trials:
            console.print(f"[bold]{one.name}[/bold]: {one.title}", highlight=False)
            outcomes.append(_run_apart(one, form))
    except KeyboardInterrupt:
        interrupted = True
    _tell(outcomes, console)
    if interrupted:
        console.print(f"interrupted: {len(trials) - len(outcomes)} trials did not end", highlight=False)
        return 130
    return int(any(outcome.verdict == BROKEN for outcome in outcomes))


def _run_apart(one: Trial, form: Form) -> Outcome:
    reader, writer = os.pipe()
    words = [*isolation.command(), sys.executable, "-m", "trials", "--only", one.name, "--inside", str(writer)]
    words += ["--seed", str(form.seed), "--packets", str(form.packets), "--messages", str(form.messages)]
    words += ["--short"] if form.short else []
    words += ["--sanitizer"] if form.sanitizer else []
    began = time.monotonic()
    # A process group of its own: Ctrl-C goes to the runner, which then ends the whole trial.
    process = subprocess.Popen(words, pass_fds=(writer,), process_group=0, stdin=subprocess.DEVNULL)
    os.close(writer)
    hung = False
    try:
        process.wait(SHORT_LIMIT_S if form.short else one.limit_s)
    except subprocess.TimeoutExpired:
        hung = True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    with os.fdopen(reader) as told:
        text = told.read()
    return _outcome(one, text, time.monotonic() - began, hung)


def _outcome(one: Trial, text: str, duration_s: float, hung: bool) -> Outcome:
    if hung or not text:
        return Outcome(one, BROKEN, duration_s, {}, ("it did not end in time" if hung else "it died",))
    said = json.loads(text)
    verdict = SKIPPED if said["skipped"] else BROKEN if said["faults"] else HELD
    return Outcome(one, verdict, duration_s, said["figures"], (*said["faults"], *said["skipped"]))


def run_inside(one: Trial, form: Form, writer: int) -> None:
    """The trial itself, in its environment; writes its outcome to the file descriptor as one line."""
    isolation.settle()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # programs started under nohup would ignore their hang-ups
    # Each trial has its own random sequence, whatever ran before it.
    ground = Ground(
        Random(f"{form.seed} {one.name}"),
        form.short,
        isolation.ROOT,
        packets=form.packets,
        messages=form.messages,
        sanitizer=form.sanitizer,
    )
    skipped: list[str] = []
    try:
        one.run(ground)
    except Skipped as reason:
        skipped.append(str(reason))
    except Fault as fault:
        ground.fault(str(fault))
    except Exception as error:
        traceback.print_exc()
        ground.fault(f"{type(error).__name__}: {error}")
    with os.fdopen(writer, "w") as told:
        json.dump({"figures": ground.figures, "faults": ground.faults, "skipped": skipped}, told)


def _tell(outcomes: Sequence[Outcome], console: Console) -> None:
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("trial", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("s", justify="right", no_wrap=True)
    table.add_column("what was done and found", overflow="fold")
    for outcome in outcomes:
        said = ", ".join(f"{name} {value}" for name, value in outcome.figures.items())
        table.add_row(outcome.trial.name, outcome.verdict, f"{outcome.duration_s:.0f}", said)
    console.print(table)
    for outcome in outcomes:
        for fault in outcome.faults:
            console.print(f"{outcome.trial.name}: {outcome.verdict}: {fault}", highlight=False, soft_wrap=True)
