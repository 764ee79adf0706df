"""CPUs of the tests. Where several test processes run at a time, each has one CPU, its lane: a router's worker then
polls the CPU of its own test and takes no time from other tests.

A test whose lab needs two CPUs calls `whole_machine`; one that measures rates, lateness or CPU time is also marked
`alone`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ALL_CPUS = frozenset(os.sched_getaffinity(0))
"""The CPUs that this process was started with."""


def enter_lane() -> None:
    """Bind a pytest-xdist process, and its children, to its CPU; without pytest-xdist there is no binding."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker.startswith("gw"):
        cpus = sorted(ALL_CPUS)
        os.sched_setaffinity(0, {cpus[int(worker[2:]) % len(cpus)]})


@contextmanager
def whole_machine() -> Iterator[frozenset[int]]:
    """All CPUs for processes that are started within the block."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, ALL_CPUS)
    try:
        yield ALL_CPUS
    finally:
        os.sched_setaffinity(0, before)
