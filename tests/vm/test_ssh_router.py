"""A testbed whose DUT is a separate machine: prepared, checked, loaded, reset under load, restored."""

from __future__ import annotations

from pathlib import Path

import pytest
from ssh_guest import router

from wirespeed.errors import EnvironmentFault
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.vm.qemu import check_architecture

LOAD = ("-p", "bench", "-t", "size=64,vm=var2", "-wd", "0.5", "-rd", "0", "-rt", "5kpps", "-q")


@pytest.mark.timeout(1800)
def test_a_guest_is_prepared_proved_loaded_and_reset(tmp_path: Path) -> None:
    try:
        check_architecture()
        with router(tmp_path) as box:
            bench = ("--testbed", str(box.bench))
            before = box.state_at_first
            said = box.done("dut", "prepare", *bench)
            assert "steps done" in said
            assert box.state() != before
            said = box.done("testbed", "check", str(box.bench))
            assert all(line.startswith("ok ") for line in said.splitlines()), said
            output = tmp_path / "result.json"
            box.done("loadtest", *bench, *LOAD, "-hd", "4", "-o", str(output))
            result = read_as(Result, output)
            assert [channel.balance.test_frames > 0 for channel in result.outcome.channels.values()] == [True, True]
            collected = tmp_path / "collected.json"
            box.done("dut", "collect", *bench, "--duration", "2", "-o", str(collected))
            assert "Linux" in box.done("dut", "show", str(collected), "uname -srvm")
            words = ["loadtest", *bench, *(word for word in LOAD if word != "-q"), "-hd", "60", "-o", f"{tmp_path}/cut"]
            code, said = box.reset_during(words, lambda said: " hold " in said)
            assert code == 4 and "port 0 lost its link during the test" in said, said
            assert box.state() == before
            assert "gone with a restart" in box.done("dut", "restore", *bench)
            assert box.state() == before
    except EnvironmentFault as reason:
        pytest.skip(f"NO guest was a router here: {reason}")
