"""Tasks that Ray runs on the machine of a testbed: report its identity, run a cell."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from wirespeed import __version__
from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cells import CampaignCell
from wirespeed.campaign.outcome import DONE
from wirespeed.campaign.runner import LocalRunner
from wirespeed.owned import OwnedDirectory

BENCH_VARIABLE = "WIRESPEED_BENCH"
"""Variable in which a node's processes find the name of their testbed."""

_POLL_S = 0.1


def resource(bench: str) -> str:
    """Name of the testbed among Ray's resources, of which there is one."""
    return f"wirespeed-bench:{bench}"


def served_place() -> tuple[dict[str, Any], str]:
    """The bench of this node, and the version of the program here."""
    return json.loads(os.environ[BENCH_VARIABLE]), __version__


def run_cell(document: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Run a cell on this node's bench: how it ended, and its result file, which is empty unless it is done."""
    cell, place = CampaignCell.from_json(document), TestbedPlace(**served_place()[0])
    owned = OwnedDirectory("cell", Path(tempfile.gettempdir()))
    runner = LocalRunner({cell.bench: place}, owned.path)
    try:
        runner.start(cell)
        outcome = None
        try:
            while (outcome := runner.poll()) is None:
                time.sleep(_POLL_S)
        except KeyboardInterrupt:  # how Ray cancels a task
            runner.abandon()
            while (outcome := runner.poll()) is None:
                time.sleep(_POLL_S)
        result = (owned.path / f"{cell.stem}.json").read_bytes() if outcome.status == DONE else b""
        return outcome.to_json(), result
    finally:
        owned.remove()
