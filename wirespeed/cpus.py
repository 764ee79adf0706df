"""CPUs as the command line names them, checked against this machine and this process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from wirespeed.errors import EnvironmentFault, UsageError

MAX_WORKERS = 64
_MOST_CPUS = 4096
_MOST_DIGITS = 6


def parse_cpus(text: str) -> tuple[int, ...]:
    """`1`, `1,3`, `2-4`: the CPUs of the workers, in order; empty means the last CPU that this process may use.

    UsageError for an invalid list, EnvironmentFault for a CPU that does not exist or may not be used.
    """
    if not text:
        return (max(os.sched_getaffinity(0)),)
    spans = [_span("--cpu", part, text) for part in text.split(",")]
    count = sum(len(span) for span in spans)
    if not 1 <= count <= MAX_WORKERS:  # before each is looked at: a range may name a million
        raise UsageError(f"--cpu {text} names {count} CPUs; 1 to {MAX_WORKERS} workers are possible")
    cpus = listed_cpus("--cpu", text)
    if len(set(cpus)) < len(cpus):
        raise UsageError(f"--cpu {text} names a CPU twice; each worker needs its own")
    return cpus


def parse_worker_cpus(text: str, ports: int) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The CPUs of a generator's workers, and for each port which of the workers serve it.

    `2-5/6-9` has a list for each pair of ports, all of whose workers serve both of them; a list with a slash behind it
    is that of a single pair. Without a slash each port has a worker of its own, or several where there are more workers
    than ports; ports share workers where there are fewer. Errors as of parse_cpus.
    """
    if "/" not in text:
        cpus = parse_cpus(text)
        count = len(cpus)
        step = max(ports, 1)
        return cpus, tuple(tuple(range(port, count, step)) or (port % count,) for port in range(ports))
    lists = text.removesuffix("/").split("/")
    pairs = (ports + 1) // 2
    if len(lists) != pairs:
        raise UsageError(
            f"--cpu {text} has {len(lists)} lists of CPUs for {ports} ports; give one for each pair of ports, "
            f"{pairs} in all, such as 2-5/6-9"
        )
    cpus = parse_cpus(",".join(lists)) if all(lists) else ()
    if not cpus:
        raise UsageError(f"--cpu {text} has an empty list; each pair of ports needs a CPU")
    workers: list[tuple[int, ...]] = []
    first = 0
    for one in lists:
        count = len(cpu_list("--cpu", one))
        workers += [tuple(range(first, first + count))] * 2
        first += count
    return cpus, tuple(workers[:ports])


def settle_main(text: str) -> None:
    """Keep this thread, and those it starts, on the CPUs that `text` names as parse_cpus does; nothing: anywhere."""
    if text:
        os.sched_setaffinity(0, listed_cpus("--main-cpu", text))


@contextmanager
def settled(cpus: Iterable[int]) -> Iterator[None]:
    """Keep this thread, and those it starts, on `cpus` within the block."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def listed_cpus(option: str, text: str) -> tuple[int, ...]:
    """The CPUs of a list that is not empty; errors as of parse_cpus, `option` being what the user wrote it for."""
    usable = sorted(os.sched_getaffinity(0))
    cpus = cpu_list(option, text)
    for cpu in cpus:
        check_cpu(cpu, usable)
    return cpus


def cpu_list(option: str, text: str) -> tuple[int, ...]:
    """CPUs in a list that this process need not be allowed to use, e.g. those of another program or of /sys."""
    spans = [_span(option, part, text) for part in text.split(",")]
    if sum(len(span) for span in spans) > _MOST_CPUS:  # before each is looked at: a range may name a million
        raise UsageError(f"{option} {text} names more CPUs than a machine has")
    return tuple(cpu for span in spans for cpu in span)


def cpu_mask(cpus: Iterable[int]) -> str:
    """The mask that the kernel takes for these CPUs (rps_cpus, smp_affinity): words of 32 bits, the highest first."""
    mask = sum(1 << cpu for cpu in set(cpus))
    words = [mask >> shift & 0xFFFFFFFF for shift in range(0, max(1, mask.bit_length()), 32)]
    return ",".join(f"{word:08x}" for word in reversed(words))


def check_cpu(cpu: int, usable: list[int]) -> None:
    """EnvironmentFault if the machine does not have the CPU, or if it is not in `usable`."""
    if cpu in usable:  # numbers may have gaps, so this says more than how many there are
        return
    count = os.cpu_count() or 1
    if cpu >= count:
        raise EnvironmentFault(f"CPU {cpu} does not exist; this machine has CPUs 0 to {count - 1}")
    allowed = ", ".join(str(number) for number in usable)
    raise EnvironmentFault(f"CPU {cpu} may not be used by this process; it may use {allowed} (see taskset)")


def _span(option: str, part: str, text: str) -> range:
    first, dash, last = part.partition("-")
    numbers = (first, last) if dash else (first, first)
    if not all(number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS for number in numbers):
        raise UsageError(f"{option} {text} cannot be read; give CPU numbers such as 1 or 2,3 or 2-5")
    return range(int(numbers[0]), int(numbers[1]) + 1)
