"""`python -m wirespeed.campaign.cell_process FILE`: one cell in a separate process, which restores the DUT even if the
campaign is killed. FILE names cell, place and directory; `FILE.outcome` has the outcome."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from wirespeed.campaign.benches import TestbedPlace
from wirespeed.campaign.cells import CampaignCell
from wirespeed.campaign.execute import execute
from wirespeed.campaign.outcome import ABANDONED, CellOutcome
from wirespeed.ending_signals import leave_on_signals
from wirespeed.files import write_atomically


def main() -> int:
    """0 whenever there is an outcome to read."""
    file = Path(sys.argv[1])
    order = json.loads(file.read_text())
    try:
        with leave_on_signals(KeyboardInterrupt):
            outcome = execute(
                CampaignCell.from_json(order["cell"]), TestbedPlace(**order["place"]), Path(order["directory"])
            )
    except KeyboardInterrupt:
        outcome = CellOutcome(ABANDONED, error="abandoned", exit_code=130)
    write_atomically(outcome_file(file), json.dumps(outcome.to_json()))
    return 0


def outcome_file(order: Path) -> Path:
    return order.with_name(f"{order.name}.outcome")


if __name__ == "__main__":
    sys.exit(main())
