"""Runs or shows a loaded campaign: cells done, cells left, and how the run ended."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wirespeed.campaign.ab import comparisons, group_of, in_pairs, markdown, names_of
from wirespeed.campaign.cells import ANY, CampaignCell
from wirespeed.campaign.estimate import seconds_of, time_text
from wirespeed.campaign.headline import verdict_in
from wirespeed.campaign.kept import fault_of
from wirespeed.campaign.ledger import CampaignLedger, kept_digests, tries_in
from wirespeed.campaign.loading import Loaded
from wirespeed.campaign.ray_runner import RayRunner
from wirespeed.campaign.run import CampaignRun
from wirespeed.campaign.runner import LocalRunner, Runner, place_for
from wirespeed.campaign.schedule import CampaignSchedule
from wirespeed.campaign.steps import steps_of
from wirespeed.errors import INTERRUPTED, ConnectionFault, EnvironmentFault, MeasurementError
from wirespeed.explain.worth import worth_line
from wirespeed.files import write_atomically
from wirespeed.measurement.registry import class_of
from wirespeed.pages.words import count

Say = Callable[[str], None]
Land = Callable[[CampaignCell, Path], None]

WORSE, UNCLEAR = 7, 8
"""Exit codes of --ab: the second DUT is worse; a verdict is inconclusive, with --strict."""


@dataclass(frozen=True)
class Asked:
    """Options of a run. `served` testbeds are those of a connected Ray cluster; an unreachable one is waited for up to
    `wait_s`. With `ab`, the campaign's two devices are compared, and the table is also written to `markdown`. `land`
    gets each completed cell with its result; again those of an earlier run, if that ended in between."""

    directory: Path
    budget_minutes: float | None = None
    retry_failed: bool = False
    served: bool = False
    wait_s: float = 600.0
    ab: bool = False
    markdown: Path | None = None
    strict: bool = False
    land: Land = lambda cell, result: None


def folder_of(name: str) -> Path:
    """Default folder of the campaign `name`, below the current one; the one with its former name if it exists."""
    former = Path("wirespeed-suite") / name
    return former if former.is_dir() else Path("wirespeed-campaign") / name


def dry(loaded: Loaded, asked: Asked) -> Iterator[str]:
    """The plan: a line per cell, and below it its commands. The folder is only read."""
    if asked.ab:
        loaded = replace(loaded, cells=in_pairs(loaded.cells))
    results, todo_s, done = asked.directory / "results", 0.0, 0
    digests = kept_digests(tries_in(asked.directory))
    for number, cell in enumerate(loaded.cells, start=1):
        file = results / f"{cell.stem}.json"
        fault = fault_of(file, cell, digests.get(cell.key, "")) if file.exists() else ""
        if file.exists() and not fault:
            done += 1
            yield f"{number:>4} done   {cell.title}"
            continue
        seconds = seconds_of(cell, {})
        todo_s += seconds
        yield f"{number:>4} to do  {cell.title}: at most {time_text(seconds)}{fault and '; '}{fault}"
        yield from _commands(cell, loaded, asked.directory / "running")
    yield from (f"     left out {cell.title}: {reason}" for cell, reason in loaded.unfit)
    if loaded.cells:
        benches = 1 if loaded.campaign.spread != ANY else len(loaded.places)
        left = len(loaded.cells) - done
        todo = f"{left} to do: at most {time_text(todo_s / benches)}"
        yield f"{count(len(loaded.cells), 'test case')}, {done} done, {todo}"


def _commands(cell: CampaignCell, loaded: Loaded, directory: Path) -> Iterator[str]:
    steps = steps_of(cell, place_for(cell, loaded.places), directory)
    if cell.setup.by_hand:
        yield f"            by hand: {cell.setup.by_hand}"
    for line in steps.shell:
        yield f"            {line}"
    for words in (*steps.prepare, steps.measure, *steps.restore):
        yield f"            wirespeed {shlex.join(words)}"


def run_campaign(loaded: Loaded, asked: Asked, say: Say, stop: threading.Event) -> int:
    """Run the remaining cells and return the exit code. EnvironmentFault if a manual step comes first, ConnectionFault
    if a testbed stayed unreachable, MeasurementError if cells failed."""
    ledger = CampaignLedger(asked.directory, say)
    try:
        return _run(loaded, asked, ledger, say, stop)
    finally:
        ledger.close()


def _run(loaded: Loaded, asked: Asked, ledger: CampaignLedger, say: Say, stop: threading.Event) -> int:
    campaign = loaded.campaign
    for cell, reason in loaded.unfit:
        say(f"left out {cell.title}: {reason}")
    if asked.retry_failed:
        ledger.forget_failures()
    if asked.ab:
        loaded = replace(loaded, cells=in_pairs(loaded.cells))
    todo = [cell for cell in loaded.cells if not ledger.is_done(cell)]
    for cell in loaded.cells:
        if cell not in todo:
            asked.land(cell, ledger.result(cell))
    tries = {cell.key: 1 + campaign.retries - ledger.failures(cell).total() for cell in todo}
    budget = campaign.budget_minutes if asked.budget_minutes is None else asked.budget_minutes
    schedule = CampaignSchedule(todo, tries, None if budget is None else budget * 60, campaign.stop.failures)
    for cell in loaded.cells:
        schedule.learn(cell, ledger.seconds({cell.key}))
    total, done = len(loaded.cells), len(loaded.cells) - len(todo)
    left = f"{len(schedule.failed)} failed, {len(schedule.waiting)} to run"
    say(f"{campaign.name}: {count(total, 'test case')}, {done} done, {left}")
    for cell in schedule.failed:
        say(f"  {cell.title} has failed: {_error(ledger, cell)}; --retry-failed tries it again")
    runners: list[Runner] = [LocalRunner(loaded.places, ledger.running, ledger.lock_descriptor)]
    if asked.served:
        runners = [RayRunner(place, ledger.running) for place in loaded.places.values()]

    def on_done(cell: CampaignCell) -> None:
        asked.land(cell, ledger.result(cell))
        if asked.ab:
            _leave_clear_ones(loaded.cells, ledger, schedule, say)

    run = CampaignRun(schedule, runners, ledger, total, say, on_done, asked.wait_s)
    if asked.ab:
        _leave_clear_ones(loaded.cells, ledger, schedule, say)
    if schedule.waiting:
        run.run(stop)
    done += len(schedule.done)
    say(f"{campaign.name}: {done} of {total} test cases are done; results in {ledger.results}")
    found = [verdict_in(ledger.result(cell)) for cell in loaded.cells]
    # A load that is chosen below the limit, as a soak's: its cells neither show nor miss it.
    if verdicts := [one for one in found if one is not None and class_of(one.kind).finds_limit]:
        say(worth_line(verdicts))
    code = _ending(run, ledger, say)
    return _compared(loaded.cells, ledger, asked, code) if asked.ab else code


def _leave_clear_ones(
    cells: tuple[CampaignCell, ...], ledger: CampaignLedger, schedule: CampaignSchedule, say: Say
) -> None:
    """No more pairs of a test whose verdict is clear."""
    clear = {one.group for one in comparisons(cells, ledger.result) if one.verdict.is_clear}
    needless = [cell for cell in schedule.waiting if group_of(cell) in clear]
    if needless:
        schedule.drop(lambda cell: group_of(cell) in clear)
        verb = "is" if len(needless) == 1 else "are"
        say(f"  the verdict is clear: {count(len(needless), 'test case')} {verb} not needed")


def _compared(cells: tuple[CampaignCell, ...], ledger: CampaignLedger, asked: Asked, code: int) -> int:
    """Print the table; WORSE if the second DUT is so in any test, otherwise `code`, that of the run, unless it is 0."""
    compared = list(comparisons(cells, ledger.result))
    table = markdown(names_of(cells), compared)
    print(table, end="")
    if asked.markdown is not None:
        write_atomically(asked.markdown, table, "table")
    if any(one.verdict.word == "worse" for one in compared):
        return WORSE
    return code or (UNCLEAR if asked.strict and not all(one.verdict.is_clear for one in compared) else 0)


def _ending(run: CampaignRun, ledger: CampaignLedger, say: Say) -> int:
    schedule = run.schedule
    if schedule.waiting:
        why = schedule.reason or "their testbed is unreachable"
        say(f"left: {count(len(schedule.waiting), 'test case')} ({why}); the same command continues")
    if run.interrupted:
        return INTERRUPTED
    if run.pending:
        raise EnvironmentFault(f"manual step: {run.pending}; then run the same command again")
    if run.away:
        raise ConnectionFault(
            f"testbed {run.away} is unreachable; its test cases wait: run the same command when it is back"
        )
    if schedule.failed:
        cell = schedule.failed[0]
        failed, those = count(len(schedule.failed), "test case"), "it" if len(schedule.failed) == 1 else "them"
        raise MeasurementError(
            f"{failed} failed (--retry-failed runs {those} again), {cell.title} first: {_error(ledger, cell)}"
        )
    return 0


def _error(ledger: CampaignLedger, cell: CampaignCell) -> str:
    last = ledger.last_error(cell)
    return last.error if last is not None else "unknown"
