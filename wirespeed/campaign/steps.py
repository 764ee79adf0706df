"""The commands of a cell: files written, commands before the test, the test, commands after it. Pure.

Each is a command that a user could type, so a cell can also be run manually.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cells import CampaignCell, CampaignSetup
from wirespeed.testbed.model import Bench

XCONNECT = ("set interface l2 xconnect e0 e1", "set interface l2 xconnect e1 e0")
"""Commands that cross-connect the embedded lab's router."""


@dataclass(frozen=True)
class Steps:
    """`files` to write, by path; `shell` commands of the user's; `prepare`, `measure` and `restore` are words of
    `wirespeed`. What `restore` says runs whatever became of the rest."""

    files: dict[Path, str]
    shell: tuple[str, ...]
    prepare: tuple[tuple[str, ...], ...]
    measure: tuple[str, ...]
    restore: tuple[tuple[str, ...], ...]
    output: Path


def steps_of(cell: CampaignCell, place: TestbedPlace, directory: Path, resume: bool = False) -> Steps:
    """Steps of the test case on the testbed of `place`, with its files in `directory`; with `resume` it continues with
    the files that exist."""
    output = directory / f"{cell.stem}.json"
    flags = cell.flags
    if resume:
        where: tuple[str, ...] = ("--resume", str(output))
        flags = ()
    else:
        where = ("-o", str(output))
    bench = place.bench
    if bench is None:
        files, lab = _lab(cell.setup, place.lab, directory / cell.stem)
        measure = (cell.command, *flags, "--lab", lab, *where, "-q")
        return Steps(files, cell.setup.before, (), measure, (), output)
    return _on_bench(cell, place, bench, directory, flags, where)


def _lab(setup: CampaignSetup, lab: str, stem: Path) -> tuple[dict[Path, str], str]:
    files: dict[Path, str] = {}
    words = [lab]
    words += [f"queues={setup.queues}"] if setup.queues is not None else []
    words += [f"descriptors={setup.descriptors}"] if setup.descriptors is not None else []
    words += [f"program={setup.program}"] if setup.program else []
    if setup.vppcfg:
        path = stem.with_name(f"{stem.name}.vppcfg.yaml")
        files[path] = setup.vppcfg
        words.append(f"config={path}")
    lines = ((*XCONNECT,) if setup.mode == "l2xc" else ()) + setup.cli
    if lines:
        path = stem.with_name(f"{stem.name}.cli")
        files[path] = "".join(f"{line}\n" for line in lines)
        words.append(f"exec={path}")
    return files, ",".join(words)


def _on_bench(
    cell: CampaignCell,
    place: TestbedPlace,
    bench: Bench,
    directory: Path,
    flags: tuple[str, ...],
    where: tuple[str, ...],
) -> Steps:
    setup, file, files = cell.setup, Path(place.file), {}
    prepare: list[tuple[str, ...]] = []
    restore: list[tuple[str, ...]] = []
    if setup.is_prepared:
        file = directory / f"{cell.stem}.bench.yaml"
        files[file] = _prepared_text(bench, setup)
        prepare.append(("dut", "prepare", "--testbed", str(file), "-q"))
        restore.append(("dut", "restore", "--testbed", str(file), "-q"))
    socket = bench.dut.socket or ""
    if setup.vppcfg:
        config = directory / f"{cell.stem}.vppcfg.yaml"
        files[config] = setup.vppcfg
        prepare.append(("config", "apply", str(config), "--socket", socket))
    prepare += [("ctl", "--socket", socket, *line.split()) for line in setup.cli]
    measure = (cell.command, *flags, "--testbed", str(file), *where, "-q")
    return Steps(files, setup.before, tuple(prepare), measure, tuple(restore), directory / f"{cell.stem}.json")


def _prepared_text(bench: Bench, setup: CampaignSetup) -> str:
    """The testbed file with the DUT settings of this cell."""
    document = bench.model_dump(mode="json", exclude_defaults=True)
    asked = {
        "queues": setup.queues,
        "rx_descriptors": setup.descriptors,
        "tx_descriptors": setup.descriptors,
        "workers": setup.workers,
    }
    device = document.setdefault("dut", {})
    device.setdefault("options", {}).update({name: value for name, value in asked.items() if value is not None})
    if setup.mode is not None:
        document["mode"] = setup.mode
    return str(yaml.safe_dump(document, sort_keys=False))
