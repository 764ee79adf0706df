"""Stages of the test suite. Each test belongs to exactly one, by its folder and its markers `alone` and `long`."""

from __future__ import annotations

import os
from dataclasses import dataclass

TEST, REST = "test", "rest"
"""Tiers: `make test` runs the stages of TEST, `make test-all` those of both."""

FOLDERS = ("unit", "services", "dataplane", "system", "vm")


@dataclass(frozen=True)
class Stage:
    """A run of pytest over `folders`. `alone` and `long` select tests by their markers; None: both with and without.
    `processes` is the number of parallel test processes; 0: this process alone.
    """

    name: str
    tier: str
    folders: tuple[str, ...]
    alone: bool | None
    long: bool | None
    processes: int = 0

    def takes(self, folder: str, *, alone: bool, long: bool) -> bool:
        return folder in self.folders and self.alone in (None, alone) and self.long in (None, long)

    def arguments(self) -> list[str]:
        """Arguments of pytest, from the root of the checkout."""
        wanted = [
            word if value else f"not {word}"
            for word, value in (("alone", self.alone), ("long", self.long))
            if value is not None
        ]
        options = ["-m", " and ".join(wanted)] if wanted else []
        if self.processes:
            # By file, so that fixtures shared by tests of a file are made once; in the order of the folders.
            options += ["-n", str(self.processes), "--dist", "loadfile", "--no-loadscope-reorder"]
        return ["-q", *options, *(f"tests/{folder}" for folder in self.folders)]


_CPUS = len(os.sched_getaffinity(0))
# Folders with the longest files come first: a long file that is begun last keeps one process busy, the others idle.
_QUICK, _TRAFFIC = ("services", "unit"), ("system", "dataplane")

# Tests that send traffic but measure no rates wait for part of their time; the long ones wait less.
_BESIDE, _LONG = 2 * _CPUS, _CPUS + 1

STAGES = (
    Stage("data plane and systems", TEST, _TRAFFIC, False, False, _BESIDE),
    # These tests mostly wait.
    Stage("unit and services", TEST, _QUICK, None, False, 3 * _CPUS),
    Stage("data plane and systems, alone", TEST, _TRAFFIC, True, False),
    Stage("long", REST, (*_QUICK, *_TRAFFIC), False, True, _LONG),
    Stage("long, alone", REST, (*_QUICK, *_TRAFFIC), True, True),
    Stage("guests", REST, ("vm",), None, None),
)
