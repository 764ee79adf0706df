"""Causes that require a certain setup of a wirespeed router, such as workers and rings, with real packets.

The machine may preempt CPUs in the meantime. That is then a cause as well, and the only one that may precede the
built-in cause.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from built_lab import BuiltLab, built_lab
from explained import explained, first_but_the_machine, preempted_share, profile_of

from wirespeed.explain.ranking import Explanation
from wirespeed.machine.placement import choose_cpus

BUSY_PORTS = 30
"""Null ports produce endless frames, so many times more than the tester sends: the worker never rests and serves only
one in thirty of its polls of the tester's port.
"""


LEAST_PPS = 150_000
"""256 slots hold less than 2 ms of it, and a scheduler's time slices are 3 ms and more."""


def busy(worker: int = 0) -> dict[str, list[str]]:
    """Further traffic that uses the time of `worker`."""
    numbers = range(BUSY_PORTS)
    return {
        "others": [f"n{number}=null" for number in numbers],
        "commands": [
            line
            for number in numbers
            for line in (
                f"set interface state n{number} up",
                f"set interface l2 xconnect n{number} n{number ^ 1}",
                f"set interface rx-placement n{number} queue 0 worker {worker}",
            )
        ],
    }


def overloaded(lab: BuiltLab, folder: Path) -> Explanation:
    """True from the first load at which a tenth is lost: the capacity of a busy worker differs between machines."""
    for top in ("2mpps", "4mpps", "8mpps"):
        found = explained(lab.rpc, folder / f"{top}.json", dut=lab.dut, steps=f"500kpps,1mpps,{top}")
        load = found.case.load
        if (load.received_pps or 0.0) < 0.9 * (load.offered_pps or 0.0):
            break
    return found


@contextmanager
def nuisance(cpu: int) -> Iterator[None]:
    """A busy loop on that CPU."""
    words = [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass"]
    with subprocess.Popen(words, start_new_session=True) as program:
        try:
            yield
        finally:
            program.kill()


@pytest.mark.alone
def test_the_only_worker_without_time_is_named(tmp_path: Path) -> None:
    with built_lab(**busy()) as lab:
        found = overloaded(lab, tmp_path)
    assert first_but_the_machine(found) == "worker", found


@pytest.mark.alone
@pytest.mark.long("a router of two workers; test_explain_causes.py has the cause from its counters")
def test_two_queues_of_which_one_has_all_packets(tmp_path: Path) -> None:
    with built_lab(workers=2, rx_queues=2, **busy()) as lab:
        found = overloaded(lab, tmp_path)
    assert first_but_the_machine(found) == "queues", found
    assert "one flow" in next(one.sentence for one in found.named if one.cause == "queues")


@pytest.mark.alone
@pytest.mark.long("a router beside a busy loop; test_explain_causes.py has the cause from its counters")
def test_a_router_that_shares_its_cpu(tmp_path: Path) -> None:
    with built_lab(slots=(256, 256)) as lab, nuisance(choose_cpus().dut):
        for turn in range(4):  # the tester has its CPU in most of them, on a shared machine
            found = explained(lab.rpc, tmp_path / f"{turn}.json", dut=lab.dut, steps="50kpps,100kpps,200kpps,400kpps")
            if (found.case.load.offered_pps or 0.0) >= LEAST_PPS:
                break
    assert next(one.cause for one in found.named if one.cause != "tester") == "preemption", found


@pytest.mark.alone
def test_a_tester_that_cannot_send_as_much(tmp_path: Path) -> None:
    with built_lab() as lab, nuisance(choose_cpus().generator):
        found = explained(lab.rpc, tmp_path / "tester.json", dut=lab.dut, steps="1mpps,100%,100%")
    # A router without its CPU loses packets, too, and then the tester is not the limit.
    named = {finding.cause for finding in found.named}
    assert "tester" in named or (preempted_share(found) > 0.05 and "preemption" in named), found
    assert found.cause in ("tester", "preemption")


@pytest.mark.alone
@pytest.mark.parametrize(("cause", "slots"), [("rx-overrun", (64, 8192)), ("tx-ring", (8192, 64))])
def test_bursts_that_a_ring_of_64_slots_does_not_hold(tmp_path: Path, cause: str, slots: tuple[int, int]) -> None:
    profile = profile_of(tmp_path / "salvo.py", at_once=200)
    with built_lab(slots=slots) as lab:
        file = tmp_path / "bursts.json"
        found = explained(lab.rpc, file, dut=lab.dut, profile=profile, tunables="", steps="20kpps,50kpps")
    if cause == "rx-overrun" and preempted_share(found) > 0.05:
        # A worker that is preempted for so long finds as many packets as after a burst: the two cannot be
        # distinguished.
        assert {"preemption", "tester", cause} >= {finding.cause for finding in found.named}
        assert cause in {finding.cause for finding in (*found.named, *found.likely)}, found
        return
    assert first_but_the_machine(found) == cause, found
