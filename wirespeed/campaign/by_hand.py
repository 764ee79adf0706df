"""Steps that somebody does by hand before a device is as its cells need it: told, waited for, checked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TextIO

from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cells import CampaignSetup


def is_as_expected(setup: CampaignSetup, place: TestbedPlace) -> bool:
    """True if `wirespeed host show` of the testbed's device, or of this machine for a lab, prints the expected text."""
    where = ["--testbed", place.file] if place.file else []
    said = subprocess.run(
        [sys.executable, "-m", "wirespeed", "host", "show", *where],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.returncode == 0 and setup.expect.lower() in said.stdout.lower()


def done_by_hand(setup: CampaignSetup, place: TestbedPlace, say: Callable[[str], None], asked: TextIO) -> bool:
    """True if a manual step is done: the inspection shows it, at once or after the user has confirmed it on a terminal.
    False if there is no terminal, or if the user gives up (end of file)."""
    if setup.expect and is_as_expected(setup, place):
        say(f"by hand: {setup.by_hand}: done, {setup.expect!r} is there")
        return True
    say(f"by hand: {setup.by_hand}")
    if not asked.isatty():
        return False
    while True:
        say("press Enter when it is done, Ctrl-D to stop here")
        if not asked.readline():
            return False
        if not setup.expect or is_as_expected(setup, place):
            return True
        say(f"`wirespeed host show` does not print {setup.expect!r} yet")
