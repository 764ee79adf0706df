"""A campaign with all that its file names: benches, configurations, builds; and from it the cells that can run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed import __version__
from wirespeed.campaign.benches import TestbedPlace, place_of, unfit
from wirespeed.campaign.cells import ANY, CampaignCell, cells_of, check_count
from wirespeed.campaign.file import read_campaign
from wirespeed.campaign.model import Campaign, CampaignDut
from wirespeed.errors import FileFault, UsageError
from wirespeed.files import read_text_file

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Loaded:
    """`places` by the names that cells call them; `unfit` are those that cannot be run, with the reason."""

    campaign: Campaign
    places: Mapping[str, TestbedPlace]
    cells: tuple[CampaignCell, ...]
    unfit: tuple[tuple[CampaignCell, str], ...]


def load(path: Path, served: Sequence[TestbedPlace] = (), yes: bool = False) -> Loaded:
    """The campaign in the file at `path`, on the testbeds that it names or on those in `served`. FileFault or
    UsageError for an invalid file, and for a matrix that is too large without `yes`."""
    directory = path.parent
    campaign = _settled(read_campaign(path), directory)
    if served:
        names = tuple(place.name for place in served)
        duts = tuple(dut.model_copy(update={"testbeds": _among(dut, names)}) for dut in campaign.duts)
        campaign = campaign.model_copy(update={"testbeds": names, "duts": duts})
        places = {place.name: place for place in served}
    else:
        places = {word: place_of(word, directory) for word in campaign.testbeds}
    check_count(campaign, yes)
    configs = {dut.vppcfg: _config(directory / dut.vppcfg) for dut in campaign.duts if dut.vppcfg}
    identities = {name: place.identity for name, place in places.items()}
    cells = cells_of(campaign, identities, configs, __version__)
    reasons = {cell.key: _unfit(cell, places) for cell in cells}
    return Loaded(
        campaign,
        places,
        tuple(cell for cell in cells if not reasons[cell.key]),
        tuple((cell, reasons[cell.key]) for cell in cells if reasons[cell.key]),
    )


def _unfit(cell: CampaignCell, places: Mapping[str, TestbedPlace]) -> str:
    """Why a cell cannot run. If any testbed may run the cell, all of them must fit."""
    asked = places.values() if cell.bench == ANY else (places[cell.bench],)
    found = (unfit(place, cell.setup, cell.flags) for place in asked)
    return next((reason for reason in found if reason), "")


def _among(dut: CampaignDut, names: tuple[str, ...]) -> tuple[str, ...]:
    if missing := [name for name in dut.testbeds if name not in names]:
        raise UsageError(f"--testbeds leaves out {missing[0]}, a testbed of DUT {dut.name}; add it")
    return dut.testbeds


def _settled(campaign: Campaign, directory: Path) -> Campaign:
    """With the variables of builds in place, and their programs found."""
    duts = []
    for dut in campaign.duts:
        program = _filled(dut.program, f"program of {dut.name}")
        if program:
            executable = directory / program
            if not (executable.is_file() and os.access(executable, os.X_OK)):
                raise FileFault(
                    f"program of {dut.name}: {executable} is not a program; give the `wirespeed` of another build"
                )
            program = str(executable.resolve())
        version = _filled(dut.version, f"version of {dut.name}")
        duts.append(dut.model_copy(update={"program": program, "version": version}))
    return campaign.model_copy(update={"duts": tuple(duts)})


def _filled(text: str, what: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in os.environ:
            raise UsageError(f"{what}: the environment has no variable {name}; set it")
        return os.environ[name]

    return _VARIABLE.sub(value, text)


def _config(path: Path) -> str:
    return read_text_file(path, "vppcfg file", _MOST_BYTES).decode(errors="replace")
