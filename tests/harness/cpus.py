"""CPUs of the tests."""

from __future__ import annotations

import os

ALL_CPUS = frozenset(os.sched_getaffinity(0))
"""The CPUs of this process. Every test leaves them as they were (`conftest.py`)."""
