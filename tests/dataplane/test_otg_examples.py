"""The scripts of examples/otg/, as a user runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "otg"
EXPECTED = {
    "two_flows.py": "dns: 500 sent, 500 received, 0 % lost\nweb: 500 sent, 500 received, 0 % lost\n",
}


def test_every_example_is_run() -> None:
    assert {one.name for one in EXAMPLES.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_example_prints_what_its_page_says(served: tuple[str, str], name: str) -> None:
    command = [sys.executable, str(EXAMPLES / name), served[1]]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, EXPECTED[name]), ended.stderr
