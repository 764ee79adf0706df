"""What is broken in the lab on purpose is what the explanation names: real packets through our router.

Loads are low, so that a busy machine carries them as well, and so much is lost that CPUs which are away for a third of
the time do not explain it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from joined_lab import joined_lab

from wirespeed.cli.main import main
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.files import read_cases
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.router.client import ask

STEPS = "2kpps,4kpps,6kpps,8kpps,10kpps"


@pytest.fixture(scope="module")
def lab() -> Iterator[EmbeddedLab]:
    with joined_lab() as one:
        yield one


def explained(lab: EmbeddedLab, file: Path, tunables: str = "size=64", *, asked: bool = True) -> Explanation:
    options = ["-s", lab.rpc, "-p", "bench", "-t", tunables, "-u", "-q", "--steps", STEPS, "-wd", "0.2", "-hd", "0.5"]
    options += ["--interval", "0.25", "-o", str(file)]
    if asked:
        options += ["--dut", f"router:{lab.control_socket}"]
    assert main(["loadtest", *options]) in (0, 5)  # 5: nothing came back at all
    (case,) = read_cases([file])
    return explain(case)


@pytest.mark.parametrize(
    ("cause", "broken", "mended", "tunables"),
    [
        ("no-next-hop", "ip route del 48.0.0.0/8 via 100.64.2.2", "ip route add 48.0.0.0/8 via 100.64.2.2", "size=64"),
        (
            "no-next-hop",
            "set ip neighbor del e1 100.64.2.2 02:ee:00:00:00:01",
            "set ip neighbor e1 100.64.2.2 02:ee:00:00:00:01",
            "size=64",
        ),
        ("mtu", "set interface mtu packet 1280 e1", "set interface mtu packet 1500 e1", "size=1400,ip=6"),
        ("impairment", "set interface impairment e1 loss 0.4 seed 3", "set interface impairment e1 off", "size=64"),
    ],
    ids=["no route", "no neighbour", "mtu", "impairment"],
)
def test_what_was_broken_is_named(
    lab: EmbeddedLab, tmp_path: Path, cause: str, broken: str, mended: str, tunables: str
) -> None:
    ask(lab.control_socket, broken)
    try:
        found = explained(lab, tmp_path / "broken.json", tunables)
    finally:
        ask(lab.control_socket, mended)
    assert found.cause == cause, [(one.cause, one.evidence) for one in found.named + found.likely]


def test_a_wire_that_loses_at_all_loads_is_named_where_nobody_counted(lab: EmbeddedLab, tmp_path: Path) -> None:
    ask(lab.control_socket, "set interface impairment e1 loss 0.4 seed 5")
    try:
        found = explained(lab, tmp_path / "wire.json", asked=False)
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    assert found.cause == "bad-wire", [(one.cause, one.evidence) for one in found.named + found.likely]


def test_a_healthy_device_may_carry_more(lab: EmbeddedLab, tmp_path: Path) -> None:
    found = explained(lab, tmp_path / "healthy.json")
    named = {finding.cause for finding in found.named}
    assert named <= {"tester", "steal"}, [(one.cause, one.evidence) for one in found.named]
    assert named


def test_the_command_explains_the_file(lab: EmbeddedLab, tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    explained(lab, file)
    command = [sys.executable, "-m", "wirespeed.cli.main", "explain", str(file), "--format", "md"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("### one")
