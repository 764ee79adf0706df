"""Draw docs/pictures/board-*.png: python -m telemetry.rehearsal.pictures [DIRECTORY]

A load test and a soak run in a lab that a Prometheus watches. Each dashboard is drawn from Prometheus's answers.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from telemetry.rehearsal.draw import Times, draw
from telemetry.rehearsal.queries import boards
from telemetry.rehearsal.stage import SCRAPED_EACH_S, WINDOW_S, stage

PICTURES = Path(__file__).resolve().parent.parent.parent / "docs" / "pictures"


def main() -> None:
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    to.mkdir(exist_ok=True)
    with stage() as lab:
        lab.load_test(warmup_s=4, ramp_s=20, hold_s=10, load="100kpps")
        lab.soak(15, load="30kpps")
        times = Times(lab.began_s, time.time(), SCRAPED_EACH_S, WINDOW_S)
        for board in boards():
            draw(board, lab.server, times, to / f"board-{board.name}.png")


if __name__ == "__main__":
    main()
