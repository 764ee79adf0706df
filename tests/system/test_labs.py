"""Labs under difficult conditions: two at once, a generator killed under load, Ctrl-C in the middle."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from harness.programs import wirespeed
from joined_lab import joined_lab
from shared_labs import connected

from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.router.client import ask


@pytest.fixture
def own_lab() -> Iterator[EmbeddedLab]:
    """A lab that a test may end."""
    with joined_lab() as one:
        yield one


def start_loadtest(lab: EmbeddedLab, output: Path, *extra: str) -> subprocess.Popen[str]:
    words = ["-wm", "10kpps", "-wd", "1", "-rd", "20", "-hd", "5", "--interval", "0.25", "-rt", "5", *extra]
    command = wirespeed("loadtest", "-s", lab.rpc, "-p", "bench", "-o", output, *words)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_samples(process: subprocess.Popen[str], lines: int) -> None:
    """Let it print some progress lines, so that the test is running."""
    assert process.stderr is not None
    for _ in range(lines):
        assert process.stderr.readline()


def forwarded(lab: EmbeddedLab) -> int:
    """Packets that the generator of `lab` has received on port 1."""
    with connected(lab.rpc) as client:
        return client.snapshot([1]).ports[1].ipackets


def test_its_programs_are_process_groups_of_the_callers_session(lab: EmbeddedLab) -> None:
    """Ctrl-C on a terminal does not reach them, and the kernel does not schedule them as sessions of their own."""
    for pid in (lab.router.pid, lab.generator.pid):
        assert os.getpgid(pid) == pid
        assert os.getsid(pid) == os.getsid(0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_hangup_keep_the_samples_and_release_the_ports(lab, tmp_path, number):
    output = tmp_path / "result.json"
    process = start_loadtest(lab, output)
    wait_for_samples(process, 2)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    result = read_as(Result, output)
    assert result.ending.status == "interrupted"
    assert result.samples
    with connected(lab.rpc) as client:
        assert {status.owner for status in client.port_status([0, 1]).values()} == {""}
        before = client.snapshot([0]).ports[0].opackets
        time.sleep(0.3)
        assert client.snapshot([0]).ports[0].opackets == before


@pytest.mark.long("two load tests with a lab of their own")
def test_the_router_outlives_its_tester_and_serves_the_next(own_lab, tmp_path):
    os.kill(own_lab.generator.pid, signal.SIGKILL)
    own_lab.restart_generator()
    output = tmp_path / "result.json"
    process = start_loadtest(own_lab, output, "-rd", "2", "-hd", "1")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert forwarded(own_lab) > 0


@pytest.mark.long("two load tests; labs that start at once and a generator that dies are tested by themselves")
def test_two_labs_at_once_of_which_one_loses_its_generator(lab, own_lab, tmp_path):
    """The test of the killed generator ends with its samples; the other lab's test is complete."""
    assert own_lab.rpc != lab.rpc
    outputs = [tmp_path / "killed.json", tmp_path / "whole.json"]
    killed = start_loadtest(own_lab, outputs[0], "-rt", "1")
    wait_for_samples(killed, 2)
    whole = start_loadtest(lab, outputs[1], "-wd", "0.2", "-rd", "1", "-hd", "0.5", "-rt", "1")
    wait_for_samples(whole, 2)
    os.kill(own_lab.generator.pid, signal.SIGKILL)
    said = [process.communicate(timeout=120)[1] for process in (killed, whole)]
    assert [process.returncode for process in (killed, whole)] == [4, 0], said
    assert "Traceback" not in "".join(said)
    results = [read_as(Result, output) for output in outputs]
    assert [result.ending.status for result in results] == ["failed", "complete"]
    assert all(result.samples for result in results)
    for one in (lab, own_lab):
        assert "e0" in ask(one.control_socket, "show interface")


_LAB = """
import sys
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.machine.placement import choose_cpus
lab = EmbeddedLab(choose_cpus(), ring_slots=1024)
try:
    lab.start()
    print(lab.rpc, lab.control_socket, lab.router.pid, lab.generator.pid, flush=True)
    sys.stdin.read()
finally:
    lab.stop()
"""


def test_labs_that_start_at_the_same_moment_all_come_up_and_leave_nothing_behind():
    with ExitStack() as running:
        processes = [
            running.enter_context(
                subprocess.Popen([sys.executable, "-c", _LAB], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            for _ in range(3)
        ]
        said = [process.stdout.readline().split() for process in processes]
        assert all(said), "a lab did not start"
        assert len({rpc for rpc, *_ in said}) == len({path for _, path, *_ in said}) == 3
        assert all("e0" in ask(Path(path), "show interface") for _, path, *_ in said)
        for process in processes:
            process.stdin.close()
    assert not any(Path(path).parent.exists() for _, path, *_ in said)
    assert not any(Path(f"/proc/{pid}").exists() for _, _, *pids in said for pid in pids)
