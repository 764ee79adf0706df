"""Meters that a program asks: a server's own by IPMI, any by a command that prints watts; and a figure by hand."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Sequence

from wirespeed.power.meter import WHOLE, MeterFault

PATIENCE_S = 5.0
_DCMI = re.compile(r"(?:Instantaneous power reading|Current Power)\s*:\s*(\d+)\s*Watts", re.IGNORECASE)
_WATTS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:w|watts?)?\s*", re.IGNORECASE)
_IPMI = (("ipmitool", "dcmi", "power", "reading"), ("ipmi-dcmi", "--get-system-power-statistics"))


class Ipmi:
    """The board management controller, by ipmitool or FreeIPMI, whichever is installed."""

    name = "ipmi"
    of = WHOLE

    def __init__(self, programs: Sequence[Sequence[str]] = _IPMI) -> None:
        self._programs = programs

    def watts(self) -> float:
        for words in self._programs:
            try:
                return dcmi_watts(_said(words))
            except FileNotFoundError:
                continue
        raise MeterFault("neither ipmitool nor ipmi-dcmi is installed; apt-get install ipmitool")


def dcmi_watts(printed: str) -> float:
    """Present reading of the controller. A zero counts only if the reading is reported as active: many boards offer
    DCMI and measure nothing."""
    match = _DCMI.search(printed)
    if match is None:
        raise MeterFault(f"its output has no power reading: {(printed.strip().splitlines() or ['nothing'])[0][:80]}")
    watts = float(match[1])
    if watts == 0 and not re.search(
        r"(?:reading state is|Power Measurement)\s*:\s*(?:activated|active)", printed, re.I
    ):
        raise MeterFault("it reads 0 W and its power measurement is not active")
    return watts


class MeterCommand:
    """A command for the shell that prints one number."""

    of = WHOLE

    def __init__(self, command: str) -> None:
        self.name = f"command:{command}"
        self._command = command

    def watts(self) -> float:
        printed = _said(("/bin/sh", "-c", self._command))
        match = _WATTS.fullmatch(printed)
        if match is None:
            raise MeterFault(f"it printed {printed.strip()[:40]!r}, not watts")
        return float(match[1])


class Constant:
    """A value that the user read off a meter."""

    of = f"{WHOLE}, by hand"

    def __init__(self, watts: float) -> None:
        if not (math.isfinite(watts) and watts >= 0):
            raise ValueError
        self.name = f"constant:{watts:g}"
        self._watts = watts

    def watts(self) -> float:
        return self._watts


def _said(words: Sequence[str]) -> str:
    """Output of a program; FileNotFoundError if there is no such program."""
    try:
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        raise MeterFault(f"{words[0]} did not answer within {PATIENCE_S:g} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"code {done.returncode}"]
        raise MeterFault(f"{words[0]} failed: {said[-1][:80]}")
    return done.stdout.decode(errors="replace")
