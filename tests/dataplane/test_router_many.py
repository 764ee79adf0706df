"""The router at its limits: 64 workers, each with a TX queue on all of 256 ports."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("many_workers.py")


@pytest.mark.alone
def test_sixty_four_workers_serve_256_ports() -> None:
    """On few CPUs workers take turns; none is left out, and each port sends what its partner received."""
    done = subprocess.run([sys.executable, CHILD, "64", "256"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert len(seen["sent"]) == 256
    assert min(seen["sent"]) > 0
    assert len(seen["loops"]) == 64
    assert min(seen["loops"]) > 0
