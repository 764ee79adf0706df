"""Preparing a device step by step, and putting it back.

Each step is in the journal before it is run. One that fails is rolled back with all before it of the same run; what a
kill or a lost connection leaves is put back by `restore`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wirespeed.dut.journal import DutJournal, JournalEntry
from wirespeed.dut.plan import DutAnswers, DutKind, DutPlan, DutStep, Facts, text_of
from wirespeed.dut.reach.reach import Reach
from wirespeed.dut.setup import DutSetup, check_setup
from wirespeed.errors import ConnectionFault, EnvironmentFault, WirespeedError

Say = Callable[[str], None]
RESTORE = "wirespeed dut restore"


@dataclass(frozen=True)
class Prepared:
    """The steps that were done; () if the device was already prepared."""

    steps: tuple[DutStep, ...]
    notes: tuple[str, ...]


def planned(kind: DutKind, reach: Reach, setup: DutSetup) -> DutPlan:
    """The steps that `prepare` would do now; those of later stages as if the earlier ones had changed nothing that they
    ask for."""
    check_setup(setup)
    answers = DutAnswers(reach)
    plans = [stage.plan(answers.ask(stage.questions)) for stage in kind.stages(setup)]
    return DutPlan(
        tuple(step for plan in plans for step in plan.steps), tuple(note for plan in plans for note in plan.notes)
    )


def prepare(
    kind: DutKind, reach: Reach, setup: DutSetup, journal: DutJournal, say: Say, restoring: str = RESTORE
) -> Prepared:
    """Configure the device as `setup` describes; `restoring` is the command that undoes it. EnvironmentFault if a step
    failed, with its place and the rollback; ConnectionFault if the device became unreachable, with the steps left to
    `restore`."""
    check_setup(setup)
    answers = DutAnswers(reach)
    notes: list[str] = []
    done: list[tuple[DutStep, JournalEntry]] = []
    for stage in kind.stages(setup):
        try:
            facts = answers.ask((kind.boot_question, *stage.questions))
            boot = _boot(kind, facts)  # asked at each stage, since a step of the one before may be a restart
            plan = stage.plan(facts)
            notes += plan.notes
            for number, step in enumerate(plan.steps, start=1):
                say(f"{number}/{len(plan.steps)} {step.what}: {step.now or 'nothing'} -> {step.will_be}")
                entry = journal.begin(step, boot)
                done.append((step, entry))
                _run(reach, step)
                journal.done(entry)
        except BaseException as error:
            raise _rolled_back(reach, journal, done, error, say, restoring) from None
    return Prepared(tuple(step for step, _ in done), tuple(notes))


def _run(reach: Reach, step: DutStep) -> None:
    ran = reach.run(step.do.command, stdin=step.do.stdin, timeout_s=step.timeout_s)
    if ran.code:
        raise EnvironmentFault(f"{step.what}: {step.will_be} could not be set: {ran.why}")


def _rolled_back(
    reach: Reach,
    journal: DutJournal,
    done: Sequence[tuple[DutStep, JournalEntry]],
    error: BaseException,
    say: Say,
    restoring: str,
) -> BaseException:
    """The error to raise for `error` after the rollback."""
    finished = sum(entry.is_done for _, entry in done)
    what = str(error) or "interrupted"
    if isinstance(error, ConnectionFault):
        left = f"{len(journal.entries)} step(s) are left on it: {restoring} undoes them when it answers"
        return ConnectionFault(f"{what}; {left if journal.entries else 'nothing was changed on it'}")
    faults = undo(reach, journal, [entry for _, entry in reversed(done)])
    if faults:
        text = f"{what}; {finished} step(s) were done before it, and rolling back failed: {'; '.join(faults)}; "
        text += f"{restoring} tries again"
    elif done:
        text = f"{what}; the {finished} step(s) before it were rolled back, and the DUT is as it was"
    else:
        return error
    if not isinstance(error, WirespeedError):
        say(text)
        return error
    return type(error)(text)


@dataclass(frozen=True)
class Restored:
    """Numbers of steps that were undone, and of those that a restart of the device had undone already."""

    undone: int
    gone: int


def restore(kind: DutKind, reach: Reach, journal: DutJournal, say: Say) -> Restored:
    """Put back everything that the journal holds, the last first. EnvironmentFault when some of it could not be; the
    journal keeps that."""
    boot = boot_of(kind, reach)
    entries = sorted(journal.entries.values(), key=lambda entry: entry.number, reverse=True)
    gone = [entry for entry in entries if not entry.persists and entry.boot and boot and entry.boot != boot]
    for entry in gone:
        say(f"{entry.what}: the DUT was restarted since")
        journal.undone(entry)
    left = [entry for entry in entries if entry not in gone]
    faults = undo(reach, journal, left, say)
    if faults:
        raise EnvironmentFault(
            f"{len(left) - len(faults)} of {len(left)} step(s) were restored; {'; '.join(faults)}; correct that and "
            f"restore again, or delete {journal.path} if the DUT is as it was"
        )
    return Restored(len(left), len(gone))


def undo(reach: Reach, journal: DutJournal, entries: Sequence[JournalEntry], say: Say = lambda _: None) -> list[str]:
    """Undo `entries` in that order; what went wrong. It is not a fault that there is nothing to undo: a step that never
    came to its end may have changed nothing, and the device may have lost a change, such as the routes of a link that
    went down."""
    faults = []
    for entry in entries:
        if entry.undo is not None:
            ran = reach.run(entry.undo.command, stdin=entry.undo.stdin, timeout_s=_UNDO_S)
            if ran.code and (entry.is_done or entry.must_undo):
                if not entry.undone_if or reach.run(entry.undone_if).code:
                    faults.append(f"{entry.what} could not be restored: {ran.why}")
                    continue
                say(f"{entry.what}: gone already")
                journal.undone(entry)
                continue
        say(f"{entry.what}: restored")
        journal.undone(entry)
    return faults


_UNDO_S = 180.0


def boot_of(kind: DutKind, reach: Reach) -> str:
    return _boot(kind, DutAnswers(reach).ask([kind.boot_question]))


def _boot(kind: DutKind, facts: Facts) -> str:
    return text_of(facts, kind.boot_question).strip()
