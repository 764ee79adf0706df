"""Write the dashboards that Grafana reads: python -m telemetry.grafana.generate [--check]

With `--check` nothing is written; exit code 1 means that a file differs from the code's output.
"""

from __future__ import annotations

import sys
from pathlib import Path

from telemetry.grafana import load_test, router, soak, testbed
from telemetry.grafana.board import as_json
from wirespeed.files import write_atomically

DIRECTORY = Path(__file__).parent / "boards"


def texts() -> dict[Path, str]:
    """Contents of all files by path."""
    boards = (router.BOARD, load_test.BOARD, testbed.BOARD, soak.BOARD)
    return {DIRECTORY / f"{board.name}.json": as_json(board) for board in boards}


def main() -> int:
    made = texts()
    if "--check" in sys.argv[1:]:
        stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
        for path in stale:
            print(f"{path} differs from the code; run make boards", file=sys.stderr)
        return 1 if stale else 0
    for path, text in made.items():
        write_atomically(path, text)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
