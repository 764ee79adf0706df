"""Runners of test cases: this machine by a process per case, others by Ray (ray_runner.py)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from wirespeed.bound_child import bound_to_parent
from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cell_process import outcome_file
from wirespeed.campaign.cells import ANY, CampaignCell
from wirespeed.campaign.outcome import FAILED, CellOutcome


class Runner(Protocol):
    """Runs one cell at a time, on one of its `places`; a cell's result lies in the ledger's `running` when `poll` says
    that it is done."""

    @property
    def places(self) -> Mapping[str, TestbedPlace]: ...
    def is_there(self) -> bool:
        """True if it can be given a cell now."""

    def start(self, cell: CampaignCell) -> None: ...
    def poll(self) -> CellOutcome | None:
        """Outcome of its cell; None while it runs."""

    def abandon(self) -> None:
        """End its cell; `poll` says how that went."""


def place_for(cell: CampaignCell, places: Mapping[str, TestbedPlace]) -> TestbedPlace:
    return next(iter(places.values())) if cell.bench == ANY else places[cell.bench]


class LocalRunner:
    """Benches that this machine reaches itself, one at a time: they share its CPUs. Cells write into `running`; their
    processes hold the descriptor `held`, if there is one, until they have ended."""

    def __init__(self, places: Mapping[str, TestbedPlace], running: Path, held: int | None = None) -> None:
        self.places = places
        self._running, self._held = running, held
        self._process: subprocess.Popen[bytes] | None = None
        self._order = Path()

    def is_there(self) -> bool:
        return True

    def start(self, cell: CampaignCell) -> None:
        self._order = self._running / f"{cell.stem}.order"
        outcome_file(self._order).unlink(missing_ok=True)
        place = place_for(cell, self.places)
        order = {"cell": cell.to_json(), "place": place.to_json(), "directory": str(self._running.resolve())}
        self._order.write_text(json.dumps(order))
        with self._crash.open("wb") as crash:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wirespeed.campaign.cell_process", str(self._order)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=crash,
                start_new_session=True,  # a terminal's Ctrl-C is ours to pass on
                pass_fds=() if self._held is None else (self._held,),
                preexec_fn=bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM),  # noqa: PLW1509
            )

    @property
    def _crash(self) -> Path:
        return self._order.with_suffix(".crash")

    def poll(self) -> CellOutcome | None:
        assert self._process is not None
        code = self._process.poll()
        if code is None:
            return None
        self._process = None
        written = outcome_file(self._order)
        try:
            outcome = CellOutcome.from_json(json.loads(written.read_text()))
        except (OSError, ValueError):
            return CellOutcome(FAILED, error=f"the process of the test case ended with {code}; see {self._crash}")
        for left in (self._order, written, self._crash):
            with suppress(OSError):
                left.unlink()
        return outcome

    def abandon(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
