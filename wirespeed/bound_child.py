"""Children that do not outlive the program that started them, whatever ends it."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterable

_PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def bound_to_parent(cpus: Iterable[int], number: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn` for a child: it binds the child to these CPUs, and the child gets the signal when its parent
    dies."""
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def settle() -> None:
        os.sched_setaffinity(0, cpus)
        libc.prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os._exit(1)

    return settle
