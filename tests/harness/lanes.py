"""CPUs of the tests: where several test processes run at a time, each has one CPU, its lane.

A router's worker then polls the CPU of its own test and takes nothing from the tests beside it. A test whose lab needs
two CPUs asks for `whole_machine`; one that measures rates, lateness or CPU time is marked `alone` besides.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ALL_CPUS = frozenset(os.sched_getaffinity(0))
"""The CPUs that this process was started with."""


def enter_lane() -> None:
    """Bind a process of pytest-xdist, and what it starts, to its CPU; without pytest-xdist nothing is bound."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker.startswith("gw"):
        cpus = sorted(ALL_CPUS)
        os.sched_setaffinity(0, {cpus[int(worker[2:]) % len(cpus)]})


@contextmanager
def whole_machine() -> Iterator[frozenset[int]]:
    """All CPUs for what is started within it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, ALL_CPUS)
    try:
        yield ALL_CPUS
    finally:
        os.sched_setaffinity(0, before)
