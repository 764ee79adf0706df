"""A function of many things at once, by processes on all CPUs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

from wirespeed.bound_child import bound_to_parent

Given = TypeVar("Given")
Made = TypeVar("Made")


@contextmanager
def on_all_cpus(
    make: Callable[[Given], Made], *, are_many: bool, chunk: int
) -> Iterator[Callable[[Iterable[Given]], Iterator[Made]]]:
    """Results of `make` for each item, in order: by a process per CPU, `chunk` items at a time, or in this process if
    starting others is not worth the time. The processes are forks: start them before opening connections, which they
    would share."""
    if not are_many:
        yield partial(map, make)
        return
    cpus = os.sched_getaffinity(0)
    settle = bound_to_parent(cpus, signal.SIGKILL)
    with ProcessPoolExecutor(len(cpus), get_context("fork"), initializer=settle) as processes:
        yield partial(processes.map, make, chunksize=chunk)
