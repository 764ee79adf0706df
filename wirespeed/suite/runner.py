"""Who runs cells: a bench of this machine by a process, one of another by Ray (ray_bench.py)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from wirespeed.bound_child import bound_to_parent
from wirespeed.suite.benches import Place
from wirespeed.suite.cell_process import outcome_file
from wirespeed.suite.cells import Cell
from wirespeed.suite.ledger import Ledger
from wirespeed.suite.outcome import FAILED, Outcome


class Runner(Protocol):
    """A bench that runs one cell at a time; the results lie in the ledger's `running` when `poll` says done."""

    @property
    def place(self) -> Place: ...
    def is_there(self) -> bool:
        """Whether it can be given a cell now."""

    def start(self, cell: Cell) -> None: ...
    def poll(self) -> Outcome | None:
        """How its cell ended, None as long as it runs."""

    def abandon(self) -> None:
        """End its cell; `poll` says how that went."""


class LocalRunner:
    """A bench that this machine reaches itself."""

    def __init__(self, place: Place, ledger: Ledger) -> None:
        self.place = place
        self._ledger = ledger
        self._process: subprocess.Popen[bytes] | None = None
        self._order = Path()

    def is_there(self) -> bool:
        return True

    def start(self, cell: Cell) -> None:
        running = self._ledger.running
        self._order = running / f"{cell.stem}.order"
        outcome_file(self._order).unlink(missing_ok=True)
        order = {"cell": cell.to_json(), "place": self.place.to_json(), "directory": str(running.resolve())}
        self._order.write_text(json.dumps(order))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wirespeed.suite.cell_process", str(self._order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(running / f"{cell.stem}.crash").open("wb"),
            start_new_session=True,  # a terminal's Ctrl-C is ours to pass on
            pass_fds=(self._ledger.lock_descriptor,),
            preexec_fn=bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM),  # noqa: PLW1509 - no threads here
        )

    def poll(self) -> Outcome | None:
        assert self._process is not None
        code = self._process.poll()
        if code is None:
            return None
        self._process = None
        written = outcome_file(self._order)
        try:
            outcome = Outcome.from_json(json.loads(written.read_text()))
        except (OSError, ValueError):
            return Outcome(FAILED, error=f"the process of the cell ended with {code}; see {self._order.parent}")
        for left in (self._order, written, self._order.with_suffix(".crash")):
            with suppress(OSError):
                left.unlink()
        return outcome

    def abandon(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
