"""CPUs of the tests. Where as many test processes run as there are CPUs, each has one CPU, its lane: a router's worker
then polls the CPU of its own test and takes no time from other tests.

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
    """Bind a pytest-xdist process, and its children, to its CPU. Without pytest-xdist, or with more processes than
    CPUs, there is no binding: most processes wait then, and those that work use any CPU."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker.startswith("gw") and int(os.environ["PYTEST_XDIST_WORKER_COUNT"]) <= len(ALL_CPUS):
        os.sched_setaffinity(0, {sorted(ALL_CPUS)[int(worker[2:])]})


@contextmanager
def whole_machine() -> Iterator[frozenset[int]]:
    """All CPUs for processes that are started within the block."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, ALL_CPUS)
    try:
        yield ALL_CPUS
    finally:
        os.sched_setaffinity(0, before)
