"""The router at its limits: 64 workers, each with a TX queue on all of 256 ports; and with fewer of both."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("many_workers.py")


@pytest.mark.alone
@pytest.mark.parametrize(
    ("workers", "ports"), [(8, 32), pytest.param(64, 256, marks=pytest.mark.long("64 workers take turns on few CPUs"))]
)
def test_many_workers_serve_many_ports(workers: int, ports: int) -> None:
    """On few CPUs workers take turns; none is left out, and each port sends what its partner received."""
    done = subprocess.run(
        [sys.executable, CHILD, str(workers), str(ports)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert len(seen["sent"]) == ports
    assert min(seen["sent"]) > 0
    assert len(seen["loops"]) == workers
    assert min(seen["loops"]) > 0
