"""Jumbo frames through wirespeed labs: real packets, from the generator over memif through the router and back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness.programs import run_wirespeed
from joined_lab import joined_lab

from wirespeed.errors import UsageError
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.router.client import ask

MTU = 9000
FRAME_BYTES = MTU + 14
"""Without FCS; they take five buffers of a memif each."""


def loadtest(file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    times = ["-wm", "100pps", "-wd", "0.2", "-rt", "1kpps", "-rd", "0.5", "-hd", "0.5", "--interval", "0.25"]
    return run_wirespeed("loadtest", "-p", "bench", "-o", file, *words, *times)


def assert_nothing_lost(result: Result, directions: int) -> None:
    assert result.ending.status == "complete"
    assert len(result.outcome.channels) == directions
    for channel in result.outcome.channels.values():
        balance = channel.balance
        assert balance.sent == balance.received > 300
        assert (balance.lost, balance.extraneous, balance.missed) == (0, 0, 0)
        assert channel.frame_bytes == channel.received_frame_bytes == FRAME_BYTES + 4


def test_jumbo_frames_go_through_the_router_whole(tmp_path: Path) -> None:
    with joined_lab(mtu=MTU) as lab:
        assert lab.facts.mtu == MTU
        done = loadtest(tmp_path / "jumbo.json", "-s", lab.rpc, "-t", f"size={FRAME_BYTES + 4},vm=var2")
        assert done.returncode == 0, done.stderr
        assert_nothing_lost(read_as(Result, tmp_path / "jumbo.json"), directions=2)
        counted = ask(lab.control_socket, "show interface")
        refused = loadtest(tmp_path / "longer.json", "-s", lab.rpc, "-t", "size=9100")
    rows = [line.split() for line in counted.splitlines()]
    numbers = {(" ".join(row[-3:-1]), int(row[-1])) for row in rows if row and row[-1].isdigit()}
    packets = {name: {count for one, count in numbers if one == name} for name, _ in numbers}
    assert packets["rx packets"] == packets["tx packets"]
    assert packets["rx bytes"] == packets["tx bytes"] == {count * FRAME_BYTES for count in packets["rx packets"]}
    assert "drops" not in counted
    assert refused.returncode != 0
    assert "packet of 9096 bytes; this port takes at most 9022 without FCS (MTU 9000)" in refused.stderr


@pytest.mark.long("a second lab; the other test sends the frames")
def test_one_command_brings_up_a_lab_for_jumbo_frames(tmp_path: Path) -> None:
    done = loadtest(tmp_path / "jumbo.json", "--lab", f"embedded,mtu={MTU}", "-t", "size=9018", "-u")
    assert done.returncode == 0, done.stderr
    result = read_as(Result, tmp_path / "jumbo.json")
    assert_nothing_lost(result, directions=1)
    assert (result.lab.kind, result.lab.mtu) == ("embedded", MTU)


def test_a_lab_without_that_mtu_says_what_to_do(tmp_path: Path) -> None:
    done = loadtest(tmp_path / "jumbo.json", "--lab", "embedded,mtu=65000", "-t", "size=9018")
    assert done.returncode == UsageError.exit_code
    assert "--lab embedded,mtu=65000: mtu is a number from 1500 to 9216, not '65000'" in done.stderr
