"""Instructions per packet do not exceed the baseline: by 1 % in the router, by 5 % in the generator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_COMPARABLE = 3


@pytest.mark.parametrize(
    "rows", [["--quick"], pytest.param([], marks=pytest.mark.long("callgrind starts router or generator 14 times"))]
)
def test_no_path_takes_more_instructions_than_its_baseline(rows: list[str]) -> None:
    script = str(ROOT / "bench" / "instructions.py")
    counted = subprocess.run([sys.executable, script, *rows], check=False, capture_output=True, text=True, timeout=300)
    if counted.returncode == NOT_COMPARABLE:
        pytest.skip(counted.stderr.strip())
    assert counted.returncode == 0, counted.stdout + counted.stderr
