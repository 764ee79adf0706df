"""Labs ended by kill -9, with all their processes: the next lab removes what they left, and nothing else."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.waiting import wait_for
from sandbox import needs

from wirespeed.lab.leftovers import sweep_namespaces
from wirespeed.router.client import ask

_LABS = """
import sys
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.machine.placement import choose_cpus
from wirespeed.lab.linux import LinuxLab
labs = [EmbeddedLab(choose_cpus()), LinuxLab(choose_cpus()), LinuxLab(choose_cpus())]
for lab in labs:
    lab.start()
print(labs[0].control_socket, labs[0].router.pid, flush=True)
sys.stdin.read()
for lab in labs:
    lab.stop()
"""
_PAIR = """
import os
from pyroute2 import IPRoute
with IPRoute() as host:
    name = f"ws{os.getpid()}"
    host.link("add", ifname=f"{name}g0", kind="veth", peer={"ifname": f"{name}d0"})
os.kill(os.getpid(), 9)
"""


@dataclass
class Labs:
    """An embedded lab and two Linux labs in one process."""

    process: subprocess.Popen[str]
    control_socket: Path
    pids: tuple[int, ...]

    def kill(self) -> None:
        for pid in (self.process.pid, *self.pids):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def traces(self) -> set[str]:
        return {trace for pid in (self.process.pid, *self.pids) for trace in traces(pid)}


def traces(pid: int) -> set[str]:
    """Files, folders and links whose names contain the process number."""
    directories = (Path(tempfile.gettempdir()), Path("/dev/shm"), Path("/run/netns"))
    patterns = (f"wirespeed-*-{pid}-*", f"ws{pid}-*")
    named = {str(path) for directory in directories for pattern in patterns for path in directory.glob(pattern)}
    return named | {str(path) for path in Path("/sys/class/net").glob(f"ws{pid}[gdn]*")}


def children(pid: int) -> tuple[int, ...]:
    return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@contextmanager
def labs() -> Iterator[Labs]:
    process = subprocess.Popen([sys.executable, "-c", _LABS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdin is not None
    try:
        said = process.stdout.readline().split()
        assert said, "the labs did not start"
        yield Labs(process, Path(said[0]), children(process.pid))
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


@needs()
@pytest.mark.long("three labs at once")
def test_the_next_lab_sweeps_what_a_killed_one_left_and_nothing_of_a_living_one() -> None:
    with labs() as killed, labs() as living:
        own = living.traces()
        killed.kill()
        left = killed.traces()
        assert {str(Path(trace).parent) for trace in left} >= {tempfile.gettempdir(), "/run/netns", "/sys/class/net"}
        with labs() as following:
            wait_for(lambda: not killed.traces(), "the end of what was left")  # the kernel's part appears later
            assert living.traces() == own
            assert "e0" in ask(living.control_socket, "show interface")
            assert "e0" in ask(following.control_socket, "show interface")
    assert not living.traces() and not following.traces()


@needs()
def test_a_pair_whose_lab_died_before_it_had_a_namespace_goes() -> None:
    with subprocess.Popen([sys.executable, "-c", _PAIR]) as process:
        process.wait()
    assert len(traces(process.pid)) == 2
    sweep_namespaces()
    wait_for(lambda: not traces(process.pid), "the end of the pair")
