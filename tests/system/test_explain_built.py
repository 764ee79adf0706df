"""Causes that take a router of a certain make: workers and rings. Real packets, through our own router.

The machine may take CPUs away meanwhile. Where it did, that is a cause as well, and the only one that may be named
before what was built in.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from built_lab import built_lab
from explained import explained, first_but_the_machine, profile_of

BUSY_PORTS = 30
"""Null ports hand out frames without end, so many times more than the tester sends: the worker never rests, and has
time for one in thirty of its looks at the tester's port."""


def busy(worker: int = 0) -> dict[str, list[str]]:
    """Other traffic that takes the time of `worker`."""
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


def test_the_only_worker_without_time_is_named(tmp_path: Path) -> None:
    with built_lab(**busy()) as lab:
        found = explained(lab.rpc, tmp_path / "one.json", dut=lab.dut, steps="500kpps,1mpps,2mpps")
    assert first_but_the_machine(found) == "worker", found


def test_two_queues_of_which_one_has_all_packets(tmp_path: Path) -> None:
    with built_lab(workers=2, rx_queues=2, **busy()) as lab:
        found = explained(lab.rpc, tmp_path / "two.json", dut=lab.dut, steps="500kpps,1mpps,2mpps")
    assert first_but_the_machine(found) == "queues", found
    assert "one flow" in next(one.sentence for one in found.named if one.cause == "queues")


@pytest.mark.parametrize(("cause", "slots"), [("rx-overrun", (64, 8192)), ("tx-ring", (8192, 64))])
def test_bursts_that_a_ring_of_64_slots_does_not_hold(tmp_path: Path, cause: str, slots: tuple[int, int]) -> None:
    profile = profile_of(tmp_path / "salvo.py", at_once=200)
    with built_lab(slots=slots) as lab:
        file = tmp_path / "bursts.json"
        found = explained(lab.rpc, file, dut=lab.dut, profile=profile, tunables="", steps="20kpps,50kpps")
    assert first_but_the_machine(found) == cause, found
