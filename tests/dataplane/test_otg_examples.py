"""The scripts of examples/otg/, as a user runs them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "otg"
EXPECTED = {
    "hello.py": "hello: 200 received, 200 captured, 12 pairs of ports\n",
    "imix.py": "mix: 0 % lost, 354 bytes per frame\nclass 8: 0 % lost\nclass 46: 0 % lost\n",
    "neighbors.py": (
        "e1: 10.0.0.2 is at 02:11:00:00:00:02\ne2: 10.0.0.1 is at 02:11:00:00:00:01\n"
        "e1: 2001:db8::2 is at 02:11:00:00:00:02\ne2: 2001:db8::1 is at 02:11:00:00:00:01\n"
        "four: 300 of 300 received\nsix: 300 of 300 received\n"
    ),
    "two_flows.py": re.findall(
        r"^\$ python examples/otg/two_flows\.py \S+\n(.+?)^```", (ROOT / "docs" / "otg.md").read_text(), re.M | re.S
    )[0],
}


SHORT = ("hello.py", "two_flows.py")


def test_every_example_is_run() -> None:
    behind_a_router = {"convergence.py"}  # test_otg_router.py
    assert {one.name for one in EXAMPLES.glob("*.py")} == set(EXPECTED) | behind_a_router


@pytest.mark.parametrize(
    "name",
    [
        name if name in SHORT else pytest.param(name, marks=pytest.mark.long("a flow as in hello.py"))
        for name in EXPECTED
    ],
)
def test_the_example_prints_what_its_page_says(served: tuple[str, str], name: str) -> None:
    command = [sys.executable, str(EXAMPLES / name), served[1]]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, EXPECTED[name]), ended.stderr
