"""`--lab vm` ends with the process that started it and leaves nothing behind, however that ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from harness.programs import run_wirespeed, wirespeed
from harness.waiting import wait_for

from wirespeed.dut.dut import states_of
from wirespeed.errors import EnvironmentFault
from wirespeed.lab.chosen import chosen_lab
from wirespeed.owned import sweep_directories
from wirespeed.vm.debian import debian_disk
from wirespeed.vm.packages import KERNEL, QEMU, SYSTEM, cache_folder, fetch
from wirespeed.vm.qemu import check_architecture

LIMIT = Path("/proc/sys/net/netfilter/nf_conntrack_max")
LOAD = ("-p", "bench", "-hd", "1", "-o", "-")


@pytest.fixture(autouse=True, scope="module")
def guests() -> None:
    try:
        check_architecture()
        fetch(cache_folder(), QEMU, KERNEL, SYSTEM, say=print)
        debian_disk(cache_folder(), print)
    except EnvironmentFault as reason:
        pytest.skip(f"NO guest could be made: {reason}")


def qemus(folder: Path) -> list[int]:
    """The processes whose command line has the folder of the lab in it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"{folder}/qmp".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.timeout(600)
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_lab_that_was_ended(end: signal.Signals) -> None:
    with subprocess.Popen(
        wirespeed("loadtest", "--lab", "vm", *LOAD), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if line.startswith("the guest boots"):
                break
        found = re.search(r"its console: (\S+)/console.sock", said)
        assert found is not None, said
        folder = Path(found[1])
        assert re.search(r"\(TCG\): |runs by KVM", said)
        assert len(qemus(folder)) == 1
        process.send_signal(end)
        rest = process.stderr.read()
        assert "Traceback" not in rest, rest
        assert process.wait() == (130 if end == signal.SIGINT else -signal.SIGKILL), said + rest
    wait_for(lambda: not qemus(folder), "the end of QEMU")
    if end == signal.SIGKILL:
        assert folder.exists()

        def is_swept() -> bool:
            sweep_directories("wirespeed-lab-", folder.parent)
            return not folder.exists()

        wait_for(is_swept, "a folder that no program uses any more")  # its generator may be about to end
    assert not folder.exists()


@pytest.mark.parametrize(
    ("lab", "code", "message"),
    [
        ("vm:/nowhere/r.img", 6, "disk image /nowhere/r.img cannot be read"),
        ("vm,qemu=-device nonsense", 3, "QEMU ended with code 1: "),
        ("vm,memory=lots", 2, "memory=lots is not a size; give 64M or more"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(lab: str, code: int, message: str) -> None:
    done = run_wirespeed("loadtest", "--lab", lab, *LOAD, env={**os.environ, "COLUMNS": "200"})
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == code, done.stderr
    assert message in last and last.startswith("wirespeed: "), done.stderr


@pytest.mark.timeout(600)
def test_a_guest_has_nat_with_limits_of_its_own() -> None:
    """Its kernel loads connection tracking with the rules, in the first namespace of its machine."""
    before = LIMIT.read_text()
    with chosen_lab("vm,filter=nat,states=400000,buckets=65536,timeout=300") as lab:
        states = states_of(lab.dut)
        assert states is not None and lab.facts.filter == "nat"
        table = states.read()
        assert (table.used, table.limit, table.buckets, table.timeout_s("udp")) == (0, 400_000, 65_536, 300.0)
        assert table.nat_ports == 64_512 and states.tear_down().left == 0
        assert "states=9000000 in --lab" in (states.why_not(9_000_000, table) or "")
        with states.without_filter():
            assert states.read().rules == {}
        assert states.read().rules.keys() == table.rules.keys()
    assert LIMIT.read_text() == before
