"""The explanation names the fault that a test built into a Linux router, with real packets through the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from explained import explained, first_but_the_machine, profile_of
from shared_labs import inside

from wirespeed.lab.linux import GENERATOR_MACS, LinuxLab

NEIGHBOUR = "100.64.2.2 dev e1"


def run_in(lab: LinuxLab, *commands: str) -> None:
    for command in commands:
        inside(lab, *command.split())


@pytest.mark.parametrize(
    ("cause", "broken", "mended", "tunables"),
    [
        (
            "no-next-hop",
            ["ip route del 48.0.0.0/8"],
            ["ip route add 48.0.0.0/8 via 100.64.2.2 proto static"],
            "size=64",
        ),
        (
            "no-next-hop",
            [f"ip neigh del {NEIGHBOUR}"],
            [f"ip neigh replace {NEIGHBOUR} lladdr {GENERATOR_MACS[1]} nud permanent"],
            "size=64",
        ),
        ("mtu", ["ip link set e1 mtu 1300"], ["ip link set e1 mtu 1500"], "size=1400"),
        (
            "firewall",
            [
                "nft add table ip t",
                "nft add chain ip t f { type filter hook forward priority 0 ; }",
                "nft add rule ip t f numgen random mod 10 < 4 drop",
            ],
            ["nft flush ruleset"],
            "size=64",
        ),
        ("tester", [], [], "size=64"),
    ],
    ids=["no route", "no neighbour", "mtu", "nftables", "healthy"],
)
def test_what_was_broken_is_named(
    linux_lab: LinuxLab, tmp_path: Path, cause: str, broken: list[str], mended: list[str], tunables: str
) -> None:
    run_in(linux_lab, *broken)
    try:
        found = explained(
            linux_lab.rpc, tmp_path / "broken.json", dut=f"linux:netns={linux_lab.netns}", tunables=tunables
        )
    finally:
        run_in(linux_lab, *mended)
    named = found.cause if cause == "tester" else first_but_the_machine(found)
    assert named == cause, found.named


def test_packets_whose_ttl_ends_are_off_the_fast_path(linux_lab: LinuxLab, tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "ttl.py", ttl=1)
    dut = f"linux:netns={linux_lab.netns}"
    found = explained(linux_lab.rpc, tmp_path / "ttl.json", dut=dut, profile=profile, tunables="")
    assert found.cause == "slow-path", found.named
