"""CPUs of the tests."""

from __future__ import annotations

import os

ALL_CPUS = frozenset(os.sched_getaffinity(0))
"""The CPUs that this process was started with: DPDK later binds the thread that initialises it to one."""
