"""What the actions of `wirespeed dut` do, each to the text that it prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wirespeed.dut import prepare as preparing
from wirespeed.dut.device import Device, parse_device
from wirespeed.dut.journal import DutJournal, journal_path
from wirespeed.dut.setup import DutSetup

Say = Callable[[str], None]


@contextmanager
def closing(device: Device) -> Iterator[None]:
    try:
        yield
    finally:
        device.reach.close()


def device_of(text: str) -> Device:
    return parse_device(text)


def prepare(device: Device, setup: DutSetup, journal: Path | None, dry_run: bool, say: Say) -> str:
    """Prepare it, or with `dry_run` say what that would do."""
    if dry_run:
        plan = preparing.planned(device.kind, device.reach, setup)
        lines = [
            f"{number}. {line}" if not part else f"   {line}"
            for number, step in enumerate(plan.steps, start=1)
            for part, line in enumerate(step.text())
        ]
        return "".join(f"{line}\n" for line in [*lines, *_notes(plan.notes), _count(len(plan.steps), "to do")])
    with DutJournal(journal or journal_path(device.name), device.name) as kept:
        done = preparing.prepare(device.kind, device.reach, setup, kept, say)
        where = f"; wirespeed dut restore puts {len(kept.entries)} back" if kept.entries else ""
    return "".join(f"{line}\n" for line in [*_notes(done.notes), _count(len(done.steps), "done") + where])


def restore(device: Device, journal: Path | None, say: Say) -> str:
    path = journal or journal_path(device.name)
    if not path.exists():
        return f"nothing to put back: {device.name} was not prepared from here\n"
    with DutJournal(path, device.name) as kept:
        restored = preparing.restore(device.kind, device.reach, kept, say)
    gone = f"; {restored.gone} were gone with a restart of the device" if restored.gone else ""
    return f"{_count(restored.undone, 'put back')}{gone}\n"


def _notes(notes: tuple[str, ...]) -> list[str]:
    return [f"note: {note}" for note in notes]


def _count(steps: int, what: str) -> str:
    return f"{steps} step{'' if steps == 1 else 's'} {what}" if steps else "nothing to do"


def describe(device: Device, setup: DutSetup | None) -> str:
    return ""


def collect(device: Device, setup: DutSetup | None, duration_s: float, interval_s: float, output: str, say: Say) -> str:
    return ""


def show(result: Path, text: str) -> str:
    return ""


def of_bench(bench: Path) -> tuple[Device, DutSetup]:
    raise NotImplementedError
