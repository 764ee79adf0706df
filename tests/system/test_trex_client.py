"""T-Rex's own client, unchanged, against our generator: looped on a ring, and through our router."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from joined_lab import joined_lab
from trex_library import need_trex_library

from wirespeed.lab.lab import free_rpc_port
from wirespeed.lab.process import Child

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
need_trex_library()

SESSION = Path(__file__).with_name("trex_client_session.py")
EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = re.findall(r"^@case\ndef (\w+)", SESSION.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """RPC port of a generator whose two ports are the ends of one ring."""
    number = str(free_rpc_port())
    ports = ["--port", "ring:loop,speed=10G"] * 2
    arguments = ["generator", *ports, "--hugepages", "never", "--rpc", f"127.0.0.1:{number}"]
    with Child("generator", arguments, tmp_path_factory.mktemp("ring") / "log").start():
        yield number


@pytest.fixture(scope="module")
def router() -> Iterator[str]:
    """RPC port of a generator whose ports our router joins."""
    with joined_lab(hugepages="never") as lab:
        yield lab.rpc.rpartition(":")[2]


def run(*words: str) -> str:
    """What a script printed; it must have ended well."""
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", CASES)
def test_on_a_ring(ring: str, name: str) -> None:
    run(str(SESSION), ring, name)


@pytest.mark.parametrize("name", CASES)
def test_through_the_router(router: str, name: str) -> None:
    run(str(SESSION), router, name)


def test_example_two_ways(router: str) -> None:
    printed = run(str(EXAMPLES / "two_ways.py"), "--port", router, "--rate", "2kpps", "--duration", "1")
    assert re.findall(r"^(\d) to (\d): (\d+) sent, \3 received, 0 lost$", printed, re.MULTILINE)[1][:2] == ("1", "0")


def test_example_climb(router: str) -> None:
    steps = ["--steps", "1kpps,2kpps,4kpps", "--hold", "0.5"]
    printed = run(str(EXAMPLES / "climb.py"), "--port", router, *steps, "-t", "size=imix,flows=10")
    assert re.findall(r"^ +(\w+): +[\d.-]+ % lost", printed, re.MULTILINE) == ["1kpps", "2kpps", "4kpps"]


def test_example_latency(router: str) -> None:
    printed = run(str(EXAMPLES / "latency.py"), "--port", router, "--rate", "3kpps", "--duration", "1")
    assert re.search(r"group 7: (\d+) sent, \1 received\ngroup 8: (\d+) sent, \2 received\n", printed), printed
    assert "sequence: no errors" in printed
