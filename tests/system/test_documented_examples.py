"""The examples of docs/router.md, docs/linux-control-plane.md and docs/from-trex.md are run unchanged."""

import os
import re
import shlex
import struct
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from sandbox import Sandbox, needs, router, sandbox
from trex_library import need_trex_library

pytestmark = needs()

DOCS = Path(__file__).parents[2] / "docs"
SHELL = re.compile(r"(wirespeed|ip netns) ")
RINGS = ("e0=ring:documented", "e1=ring:documented")


def examples(name: str) -> list[str]:
    """The indented blocks of a document."""
    lines = (DOCS / name).read_text().splitlines()
    groups = groupby(lines, key=lambda line: line.startswith("    "))
    return ["".join(f"{line[4:]}\n" for line in group) for indented, group in groups if indented]


def commands(block: str) -> list[str]:
    """Without the comments at the right."""
    return [re.split(r" {2,}", line)[0] for line in block.splitlines()]


NO_PACKETS = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
"""The header of a pcap file of Ethernet frames."""

ROUTER = examples("router.md")
START, LAB = ROUTER[:2]
OTHERS = ROUTER[2:]
CONTRARY = ("create loopback", "set interface l2 xconnect", "create bond", "ip route add 10.0.0.0/8")
"""Starts of blocks that use ports in other roles, so that each needs a router of its own."""


def shell(box: Sandbox, script: str) -> str:
    """Run a block like a user, with `wirespeed` in the path, and end the router that it starts."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
    ending = f"cd {box.directory}; trap 'kill $!; wait $!' EXIT"
    return box.run("env", f"PATH={path}", "bash", "-ec", f"{ending}\n{script}")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Sandbox]:
    """With separate directories for the examples' sockets, no namespaces yet, and the CPUs that they name."""
    with sandbox(tmp_path) as made:
        for place in ("/run/wirespeed", "/run/lab"):
            made.run("mkdir", "-p", place)
            made.run("mount", "-t", "tmpfs", "none", place)
        yield made


def test_the_first_example_starts_a_router(empty):
    assert SHELL.match(START)
    (empty.directory / "lab.conf").write_text(LAB)
    started = f"{START.rstrip()} &\nuntil wirespeed ctl show version >/dev/null 2>&1; do sleep 1; done\n"
    shown = shell(empty, f"{started}wirespeed ctl show ip fib 48.0.0.1")
    assert "100.64.2.2" in shown
    assert "\nready: " in shown


def take(box, *blocks: str) -> None:
    """Run these lines on a router with the configuration of the first examples."""
    with router(box, RINGS, LAB) as running:
        for block in blocks:
            for line in preparation(box, block) + commands(block):
                running.ask(line)


@pytest.mark.parametrize(
    "block", [block for block in OTHERS if block.startswith(CONTRARY)], ids=lambda block: " ".join(block.split()[:4])
)
def test_commands_are_taken(box, block, monkeypatch):
    monkeypatch.chdir(box.directory)
    take(box, block)


def test_commands_are_taken_one_block_after_the_other(box, monkeypatch):
    monkeypatch.chdir(box.directory)
    blocks = [block for block in OTHERS if not block.startswith(CONTRARY)]
    assert len(blocks) > 10
    take(box, *blocks)


def preparation(box, block: str) -> list[str]:
    """Setup that a block requires."""
    box.run("mkdir", "-p", "/run/lab")
    if "create pcap" in block:
        (box.directory / "in.pcap").write_bytes(NO_PACKETS)
    if "e0.100" in block and "create sub-interfaces" not in block:
        return ["create sub-interfaces e0 100", "create loopback interface"]
    if "table e1 7" in block:
        return ["set interface ip address del e1 100.64.2.1/30"]
    if "bond add" in block:
        return ["set interface ip address del e0 100.64.1.1/30"]
    if "lookup-in-table 7" in block:
        return ["ip table add 7"]
    return []


def test_the_worked_example_of_the_linux_control_plane(empty):
    (script,) = (block for block in examples("linux-control-plane.md") if SHELL.match(block))
    shown = shell(empty, script)
    # The first ones may be lost while route and neighbor are not known yet.
    assert re.search(r" [1-3] received", shown)
    assert "itf-pair: [0] e0 tap0 e0 2 type tap netns dataplane" in shown


@pytest.mark.long("three load tests at T-Rex's defaults; test_trex_client.py talks to a generator in the same words")
def test_what_an_owner_of_a_trex_reads(empty):
    need_trex_library()
    start, load, scripts, *_ = examples("from-trex.md")  # the rest requires certain NICs
    shown = shell(
        empty,
        f"ln -s {shlex.quote(str(DOCS.parent))}/examples .\nip link set lo up\n{start.rstrip()} &\n"
        f"until wirespeed console -r stats >/dev/null 2>&1; do sleep 1; done\n{load}{scripts}",
    )
    assert (empty.directory / "ring.html").exists()
    assert re.search(r"^1 to 0: \d+ sent, \d+ received, 0 lost$", shown, re.MULTILINE)
    assert "sequence: no errors" in shown
