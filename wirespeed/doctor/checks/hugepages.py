"""Memory of packets: hugepages that are free."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.doctor.finding import Grade, HostFinding, HostPurpose, HostStep, fixable
from wirespeed.inspect.transcript import Transcript, text, tree

WANTED_MB = 512
"""Memory of a generator with two ports and default pools, plus half as much."""
_FOLDER = "/sys/kernel/mm/hugepages/hugepages-{kb}kB"
_WHY = "without hugepages a tester is slower, and NICs under vfio get no memory that they may write to"


def hugepages(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    files = tree(text(answers, "hugepages"))
    sizes = sorted(int(match[1]) for path in files if (match := re.search(r"hugepages-(\d+)kB/nr_hugepages", path)))
    if not sizes:
        yield HostFinding(
            "hugepages", "unknown", "this kernel shows none", "it is built without them, or /sys is hidden"
        )
        return
    free_mb = sum(_count(files, kb, "free_hugepages") * kb / 1024 for kb in sizes)
    free = ", ".join(f"{_count(files, kb, 'free_hugepages')} of {kb / 1024:g} MB free" for kb in sizes)
    if free_mb >= WANTED_MB:
        yield HostFinding("hugepages", "ok", free)
        return
    size = 2048 if 2048 in sizes else sizes[0]
    before = _count(files, size, "nr_hugepages")
    more = -(-int((WANTED_MB - free_mb) * 1024) // size)
    spare_mb = _spare_mb(text(answers, "meminfo"))
    grade: Grade = "blocks" if wanted.nics else "costs"
    if spare_mb is not None and spare_mb / 2 < WANTED_MB - free_mb:
        is_ = f"{free}; only {spare_mb:.0f} MB of memory are free"
        yield HostFinding("hugepages", grade, is_, _WHY, ("# free memory first: half of what is free is to stay so",))
        return
    path = f"{_FOLDER.format(kb=size)}/nr_hugepages"
    # Asked for once the kernel may give fewer: it makes room while it looks.
    do = f"for i in 1 2 3 4 5; do echo {before + more} >{path}; done; [ $(cat {path}) -ge {before + more} ]"
    yield fixable("hugepages", grade, free, _WHY, [HostStep(do, f"echo {before} >{path}")])


def _count(files: dict[str, str], kb: int, name: str) -> int:
    value = files.get(f"{_FOLDER.format(kb=kb)}/{name}", "0")
    return int(value) if value.isdigit() else 0


def _spare_mb(meminfo: str) -> float | None:
    match = re.search(r"MemAvailable:\s+(\d+) kB", meminfo)
    return int(match[1]) / 1024 if match else None
