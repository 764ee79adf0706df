"""Part of `make vm`: a guest as a router over SSH that is reset in the middle of each command, and an image that boots
by its own boot loader in `--lab vm`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import boot_disk
import pytest
from harness.programs import run_wirespeed
from ssh_guest import Router, router

from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.vm.packages import cache_folder

pytestmark = pytest.mark.timeout(3600)

LOAD = ("-p", "bench", "-t", "size=64,vm=var2", "-wd", "0.5", "-rd", "0", "-rt", "20kpps")
CASES: dict[str, tuple[tuple[str, ...], Callable[[str], bool]]] = {
    "check": (("testbed", "check"), lambda said: " device " in said),
    "prepare": (("dut", "prepare"), lambda said: "\n2/" in said),
    "load": (("loadtest", *LOAD, "-hd", "30"), lambda said: " hold " in said),
    "collect": (("dut", "collect", "--duration", "8"), lambda said: "collecting from" in said),
    "restore": (("dut", "restore"), lambda said: "restored" in said),
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    with router(tmp_path_factory.mktemp("guest")) as made:
        yield made


def test_tens_of_kpps_go_through_it(box: Router, tmp_path: Path) -> None:
    output = tmp_path / "result.json"
    box.done("dut", "prepare", "--testbed", str(box.bench))
    box.done("loadtest", "--testbed", str(box.bench), *LOAD, "-hd", "5", "-q", "-o", str(output))
    for channel in read_as(Result, output).outcome.channels.values():
        print(channel.balance)
        assert channel.balance.test_frames > 0
    box.done("dut", "restore", "--testbed", str(box.bench))
    assert box.state() == box.state_at_first


@pytest.mark.parametrize("case", CASES)
def test_a_reset_in_the_middle_leaves_nothing_changed(box: Router, tmp_path: Path, case: str) -> None:
    words, begun = CASES[case]
    bench = [str(box.bench)] if case == "check" else ["--testbed", str(box.bench)]
    output = ["-o", str(tmp_path / "out.json")] if case in ("load", "collect") else []
    if case != "prepare":
        box.done("dut", "prepare", "--testbed", str(box.bench))
    code, said = box.reset_during([*words, *bench, *output], begun)
    print(f"{case}: {code}: {said.strip().splitlines()[-1]}")
    # A failed check prints its failures line by line; a command that finished before the reset took effect must have
    # succeeded.
    assert code in (0, 3, 4, 5), said
    assert code == 0 or "FAIL" in said or "wirespeed: " in said, said
    assert box.state() == box.state_at_first
    box.done("dut", "restore", "--testbed", str(box.bench))
    assert box.state() == box.state_at_first
    assert not list((box.directory / "home/.local/state/wirespeed/dut").glob("*"))


@pytest.mark.parametrize("kind", ["linux", "none"])
def test_an_image_boots_by_its_own_loader_and_forwards(tmp_path: Path, kind: str) -> None:
    image, output = tmp_path / "router.img", tmp_path / "result.json"
    boot_disk.make(image, configured=kind == "none")
    lab = f"vm:{image},kind={kind},key={cache_folder() / 'id_ed25519'}"
    words = ["loadtest", "--lab", lab, *LOAD, "-hd", "3", "-q", "-o", str(output)]
    done = run_wirespeed(*words)
    assert done.returncode == 0, done.stderr
    assert [channel.balance.test_frames > 0 for channel in read_as(Result, output).outcome.channels.values()] == [
        True,
        True,
    ]
