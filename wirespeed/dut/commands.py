"""The actions of `wirespeed dut`, each as the text that it prints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from wirespeed.dut import prepare as preparing
from wirespeed.dut.device import DutDevice, parse_device
from wirespeed.dut.journal import DutJournal, journal_path
from wirespeed.dut.plan import texts_of
from wirespeed.dut.prepare import RESTORE
from wirespeed.dut.remote import RemoteDut
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import ConnectionFault, EnvironmentFault
from wirespeed.files import write_atomically
from wirespeed.pages.words import count
from wirespeed.results.codec import to_json
from wirespeed.validation.proved import caution

Say = Callable[[str], None]


@contextmanager
def closing(device: DutDevice) -> Iterator[None]:
    try:
        yield
    finally:
        device.reach.close()


def device_of(text: str) -> DutDevice:
    return parse_device(text)


def prepare(
    device: DutDevice, setup: DutSetup, journal: Path | None, dry_run: bool, say: Say, restoring: str = RESTORE
) -> str:
    """Prepare it, or with `dry_run` say what that would do. `restoring` is the command that undoes it."""
    if dry_run:
        plan = preparing.planned(device.kind, device.reach, setup)
        lines = [
            f"{number}. {line}" if not part else f"   {line}"
            for number, step in enumerate(plan.steps, start=1)
            for part, line in enumerate(step.text())
        ]
        notes = [*_notes(plan.notes), *_caution(device)]
        return "".join(f"{line}\n" for line in [*lines, *notes, _count(len(plan.steps), "to do")])
    with DutJournal(journal or journal_path(device.name), device.name) as kept:
        done = preparing.prepare(device.kind, device.reach, setup, kept, say, restoring)
        where = f"; {restoring} puts {len(kept.entries)} back" if kept.entries else ""
    notes = [*_notes(done.notes), *_caution(device)]
    return "".join(f"{line}\n" for line in [*notes, _count(len(done.steps), "done") + where])


def _caution(device: DutDevice) -> list[str]:
    """Parts that were tested on recorded texts only."""
    said = caution(device.kind.name)
    return [f"note: {said}"] if said else []


def restore(device: DutDevice, journal: Path | None, say: Say) -> str:
    path = journal or journal_path(device.name)
    if not path.exists():
        return f"nothing to restore: {device.name} was not prepared from here\n"
    with DutJournal(path, device.name) as kept:
        restored = preparing.restore(device.kind, device.reach, kept, say)
    gone = f"; {restored.gone} were gone with a restart of the DUT" if restored.gone else ""
    return f"{_count(restored.undone, 'restored')}{gone}\n"


def _notes(notes: tuple[str, ...]) -> list[str]:
    return [f"note: {note}" for note in notes]


def _count(steps: int, what: str) -> str:
    return f"{steps} step{'' if steps == 1 else 's'} {what}" if steps else "nothing to do"


def describe(device: DutDevice) -> str:
    """Description and state of the device, a line per fact."""
    facts = device.kind.describe(device.name, texts_of(device.kind, device.reach))
    if not facts.version:
        raise EnvironmentFault(
            f"{device.name} does not report a version as a DUT of this kind does; is the kind right?"
        )
    rows = {"DUT": facts.name, "kind": facts.kind, "version": facts.version, "CPUs": ",".join(map(str, facts.cpus))}
    return "".join(f"{key:<12} {value}\n" for key, value in {**rows, **facts.details}.items() if value)


def collect(device: DutDevice, duration_s: float, interval_s: float, output: str, say: Say) -> str:
    """Collect for the given time, and write the telemetry of each interval and all texts as JSON."""
    from wirespeed.results.collection import FORMAT  # noqa: PLC0415 - as in `show`

    remote = RemoteDut(device, interval_s)
    remote.prepare()
    try:
        began = remote.reading()
        say(f"collecting from {device.name} for {duration_s:g} s")
        time.sleep(duration_s)
        ended = remote.reading()
        remote.fetch()
        whole = remote.telemetry(began, ended)
        samples = [told.to_json() for told in remote.intervals()]
        texts = remote.collect()
    finally:
        remote.close()
    if whole.error:
        raise ConnectionFault(whole.error)
    dut = {**to_json(replace(remote.describe(), texts=texts)), "telemetry": whole.to_json()}
    text = json.dumps({"format": FORMAT, "dut": dut, "samples": samples}) + "\n"
    if output == "-":
        return text
    write_atomically(Path(output), text, "output")
    cost = texts.get("collector", "").strip()
    return f"{output}: {count(len(samples), 'interval')}{f', for {cost}' if cost else ''}\n"
