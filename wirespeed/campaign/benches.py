"""Testbeds of a campaign: labs of this machine, and testbed files; and the cells that each can run."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.campaign.cells import CampaignSetup
from wirespeed.errors import FileFault
from wirespeed.files import read_text_file
from wirespeed.lab.chosen import LABS, parse_lab
from wirespeed.testbed.file import parse_bench
from wirespeed.testbed.model import Bench

_VM = re.compile(r"vm([:,]|$)")
_MOST_BYTES = 1 << 20
_LATER = ("filter", "states", "buckets", "state_timeout")
"""Options of a DUT that count if they are given, so that cells from before there were any stay done."""


@dataclass(frozen=True)
class TestbedPlace:
    """A bench by its name: `lab` as --lab has it, or the `text` of a bench file, which lies at `file`."""

    name: str
    lab: str = ""
    file: str = ""
    text: str = ""

    @property
    def bench(self) -> Bench | None:
        return parse_bench(self.text, self.file) if self.file else None

    @property
    def identity(self) -> str:
        """The part of a testbed that decides outcomes: a file's values, without comments and description."""
        bench = self.bench
        if bench is None:
            return self.lab
        values = bench.model_dump(mode="json", exclude={"description"})
        values["wires"] = values.pop("links")  # the former key, so that cells that are done stay done
        options = values["dut"]["options"]
        values["dut"]["options"] = {name: value for name, value in options.items() if value or name not in _LATER}
        return json.dumps(values, sort_keys=True)

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "lab": self.lab, "file": self.file, "text": self.text}


def place_of(word: str, directory: Path, name: str = "") -> TestbedPlace:
    """The bench that a campaign file in `directory` calls `word`. UsageError for a wrong lab, FileFault for a file that
    is not a bench."""
    if _VM.match(word):
        return TestbedPlace(name or word, lab=word)
    if word.partition(",")[0] in LABS:
        parse_lab(word)
        return TestbedPlace(name or word, lab=word)
    path = directory / word
    if not path.exists():
        raise FileFault(f"there is no testbed {word}: give a testbed file or a lab: {', '.join(LABS)} and vm")
    text = read_text_file(path, "testbed file", _MOST_BYTES).decode(errors="replace")
    parse_bench(text, str(path))
    return TestbedPlace(name or word, file=str(path.resolve()), text=text)


def unfit(place: TestbedPlace, setup: CampaignSetup, flags: tuple[str, ...]) -> str:
    """Why the bench cannot run such a cell; empty where it can."""
    bench = place.bench
    if bench is not None:
        return _unfit_bench(bench, setup)
    if place.lab.startswith("embedded"):
        return "the embedded lab's router has one worker" if (setup.workers or 1) > 1 else ""
    asked = {
        "a mode other than ip4": setup.mode not in (None, "ip4"),
        "queues or descriptors": setup.queues is not None or setup.descriptors is not None,
        "workers": setup.workers is not None,
        "cli lines": bool(setup.cli),
        "a vppcfg file": bool(setup.vppcfg),
        "another program": bool(setup.program),
        "MPLS": "mpls" in flags,
    }
    found = [what for what, is_asked in asked.items() if is_asked]
    return f"the lab {place.lab} takes no {', no '.join(found)}" if found else ""


def _unfit_bench(bench: Bench, setup: CampaignSetup) -> str:
    if setup.program:
        return "`program` is of the embedded lab; give `before` the command that installs it on the DUT"
    if setup.is_prepared and bench.dut.kind == "none":
        return "the testbed file does not name the kind of the DUT (dut: kind), so the DUT cannot be prepared"
    if (setup.cli or setup.vppcfg) and not (bench.dut.kind == "wirespeed" and bench.dut.socket):
        return "cli and vppcfg need a device of kind wirespeed with `socket`; give `before` the commands"
    return ""
