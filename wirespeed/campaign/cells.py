"""The cells of a campaign: the matrix as a list, each with the key that says what decides its outcome. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import prod
from random import Random
from typing import Any

from wirespeed.campaign.model import Campaign, CampaignDut
from wirespeed.errors import UsageError
from wirespeed.renamed import former_options

ANY = "any"
"""The bench of a cell that runs on whichever is free."""

MOST_UNASKED, MOST = 500, 100_000


@dataclass(frozen=True)
class CampaignSetup:
    """A device in one configuration: `vppcfg` is the text of its file; None and empty leave it as it is."""

    name: str
    mode: str | None = None
    queues: int | None = None
    descriptors: int | None = None
    workers: int | None = None
    cli: tuple[str, ...] = ()
    vppcfg: str = ""
    program: str = ""
    version: str = ""
    before: tuple[str, ...] = ()
    by_hand: str = ""
    expect: str = ""

    @property
    def is_prepared(self) -> bool:
        """True if settings of the device's forwarding are given."""
        return any(one is not None for one in (self.mode, self.queues, self.descriptors, self.workers))


@dataclass(frozen=True)
class CampaignCell:
    """One run of one test: `flags` are those of `command`, `most_s` its seconds at most, `repeat` counts from 1."""

    campaign: str
    bench: str
    setup: CampaignSetup
    test: str
    command: str
    flags: tuple[str, ...]
    direction: str
    repeat: int
    most_s: float
    key: str = ""

    @property
    def way(self) -> str:
        """`direction`, or both where it names each direction."""
        return "both" if ">" in self.direction else self.direction

    @property
    def title(self) -> str:
        repeat = f" #{self.repeat}" if self.repeat > 1 else ""
        return f"{self.setup.name} {self.test} {self.direction} on {self.bench}{repeat}"

    @property
    def stem(self) -> str:
        """Its file's name: words for readers, and the key."""
        words = f"{self.setup.name}-{self.test}-{self.way}-{self.repeat}"
        return f"{re.sub(r'[^A-Za-z0-9.+]+', '-', words)}-{self.key[:12]}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> CampaignCell:
        setup = dict(document["setup"])
        setup |= {name: tuple(setup[name]) for name in ("cli", "before")}
        return CampaignCell(**{**document, "flags": tuple(document["flags"]), "setup": CampaignSetup(**setup)})


def count(campaign: Campaign) -> int:
    """Number of cells of the matrix, without making them."""
    return sum(_of_dut(campaign, dut) for dut in campaign.duts)


def _of_dut(campaign: Campaign, dut: CampaignDut) -> int:
    benches = 1 if campaign.spread == ANY else len(dut.testbeds or campaign.testbeds)
    setups = prod(max(1, len(values)) for values in (dut.prepare.queues, dut.prepare.descriptors))
    runs = sum(
        len(test.directions or campaign.directions) * (test.repeats or campaign.repeats)
        for test in campaign.tests_on(dut)
    )
    return benches * setups * runs


def check_count(campaign: Campaign, yes: bool) -> None:
    """UsageError for a matrix that is larger than anybody meant."""
    cells = count(campaign)
    if cells > MOST:
        raise UsageError(
            f"{campaign.name} has {cells:,} test cases; at most {MOST:,} are possible: make the matrix smaller"
        )
    if cells > MOST_UNASKED and not yes:
        raise UsageError(
            f"{campaign.name} has {cells:,} test cases; give --yes to run more than {MOST_UNASKED}, or make it smaller"
        )


def cells_of(
    campaign: Campaign, benches: Mapping[str, str], configs: Mapping[str, str], version: str
) -> list[CampaignCell]:
    """All cells in the order in which they run. `benches` are the identities of the benches by their names, `configs`
    the texts of the vppcfg files by theirs, `version` is that of the program that tests."""
    cells = [
        replace(cell, key=key_of(cell, benches.get(cell.bench, ANY), version)) for cell in _matrix(campaign, configs)
    ]
    return in_order(cells, campaign)


def key_of(cell: CampaignCell, bench: str, version: str) -> str:
    """The SHA-256 of all that decides the cell's outcome; what only a reader needs is left out."""
    setup = {name: value for name, value in asdict(cell.setup).items() if name not in ("by_hand", "expect")}
    decides = {
        "bench": bench,
        "setup": setup,
        "test": [cell.test, cell.command, *former_options(cell.flags)],
        "direction": cell.way,
        "repeat": cell.repeat,
        "wirespeed": version,
    }
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def in_order(cells: list[CampaignCell], campaign: Campaign) -> list[CampaignCell]:
    """Nobody changes a card twice: what needs a step by hand comes step by step, and nothing of the matrix goes before
    that. Then by rounds of repeats, or listed; each round shuffled by the seed, if there is one."""
    steps = list(dict.fromkeys(cell.setup.by_hand for cell in cells))
    if "" in steps:
        steps = ["", *(step for step in steps if step)]
    ordered: list[CampaignCell] = []
    for step in steps:
        group = [cell for cell in cells if cell.setup.by_hand == step]
        if campaign.order == "listed":
            ordered += _shuffled(group, campaign.seed, 0)
            continue
        for number in range(1, max(cell.repeat for cell in group) + 1):
            ordered += _shuffled([cell for cell in group if cell.repeat == number], campaign.seed, number)
    return ordered


def _shuffled(cells: list[CampaignCell], seed: int | None, number: int) -> list[CampaignCell]:
    if seed is not None:
        Random(f"{seed}-{number}").shuffle(cells)
    return cells


def _matrix(campaign: Campaign, configs: Mapping[str, str]) -> Iterator[CampaignCell]:
    """Tests outermost, so that devices are measured side by side."""
    setups = [(dut, setup) for dut in campaign.duts for setup in setups_of(dut, configs)]
    for test in campaign.tests:
        for direction in test.directions or campaign.directions:
            for dut, setup in setups:
                if test.duts and dut.name not in test.duts:
                    continue
                benches = (ANY,) if campaign.spread == ANY else dut.testbeds or campaign.testbeds
                for bench, repeat in product(benches, range(1, (test.repeats or campaign.repeats) + 1)):
                    yield CampaignCell(
                        campaign=campaign.name,
                        bench=bench,
                        setup=setup,
                        test=test.name,
                        command=test.command,
                        flags=test.flags(direction),
                        direction=direction,
                        repeat=repeat,
                        most_s=test.most_s,
                    )


def setups_of(dut: CampaignDut, configs: Mapping[str, str]) -> Iterator[CampaignSetup]:
    """One for each of its queues and descriptors, named after them where there are several."""
    prepare = dut.prepare
    for queues, descriptors in product(prepare.queues or (None,), prepare.descriptors or (None,)):
        words = [dut.name]
        words += [f"q{queues}"] if len(prepare.queues) > 1 else []
        words += [f"d{descriptors}"] if len(prepare.descriptors) > 1 else []
        yield CampaignSetup(
            name="-".join(words),
            mode=prepare.mode,
            queues=queues,
            descriptors=descriptors,
            workers=prepare.workers,
            cli=dut.cli,
            vppcfg=configs[dut.vppcfg] if dut.vppcfg else "",
            program=dut.program,
            version=dut.version,
            before=dut.before,
            by_hand=dut.by_hand.say if dut.by_hand else "",
            expect=dut.by_hand.expect if dut.by_hand else "",
        )
