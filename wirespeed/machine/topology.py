"""Reading where the CPUs of this machine sit, which of them this process may use, and how much of their time."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from wirespeed.cpus import cpu_list, settled
from wirespeed.results.lab import CpuPlace, Topology

SYS = Path("/sys")
PROC = Path("/proc")
_CPUS = "devices/system/cpu"


def read_topology() -> Topology:
    """This machine as this process may use it: CPUs by its affinity, which holds the cpuset of its control group too,
    and isolated ones that it may still move to."""
    isolated = frozenset(_list_in(SYS / _CPUS / "isolated"))
    mine = frozenset(os.sched_getaffinity(0))
    # A process that was left alone is on all CPUs but the isolated ones; one that was given CPUs is to stay on those.
    if isolated and mine == frozenset(_list_in(SYS / _CPUS / "online")) - isolated:
        mine |= _may_use(isolated)
    model = cpu_model((PROC / "cpuinfo").read_text(errors="replace"))
    quota = cpu_quota(SYS / "fs/cgroup", (PROC / "self/cgroup").read_text())
    return Topology(model, cpu_places(SYS, mine), quota)


def cpu_places(sys: Path, wanted: Collection[int]) -> tuple[CpuPlace, ...]:
    """Places of the `wanted` CPUs that are online."""
    isolated = _list_in(sys / _CPUS / "isolated")
    nodes = {
        cpu: int(node.name.removeprefix("node"))
        for node in (sys / "devices/system/node").glob("node[0-9]*")
        for cpu in _list_in(node / "cpulist")
    }
    return tuple(
        _place(sys / _CPUS / f"cpu{cpu}/topology", cpu, nodes.get(cpu, 0), cpu in isolated)
        for cpu in _list_in(sys / _CPUS / "online")
        if cpu in wanted
    )


def _place(topology: Path, cpu: int, node: int, is_isolated: bool) -> CpuPlace:
    return CpuPlace(
        cpu=cpu,
        core=_number_in(topology / "core_id", cpu),
        package=_number_in(topology / "physical_package_id", 0),
        node=node,
        siblings=_list_in(topology / "thread_siblings_list") or (cpu,),
        is_isolated=is_isolated,
    )


def cpu_model(cpuinfo: str) -> str:
    """The processor's name by /proc/cpuinfo; its part number on Arm."""
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "CPU part"):
            return value.strip()
    return "unknown"


def cpu_quota(root: Path, memberships: str) -> float | None:
    """The CPUs' worth of time that the control groups of /proc/self/cgroup allow at once; None without a limit.

    Of version 2 (cpu.max) and 1 (cpu.cfs_quota_us); the least of a group and those above it, where `root` has them.
    """
    quotas = []
    for line in memberships.splitlines():
        _, controllers, path = line.split(":", maxsplit=2)
        for mount in _mounts(root, controllers):
            group = Path(mount, path.lstrip("/"))
            above = [one for one in group.parents if one.is_relative_to(mount)]
            quotas += [quota for one in (group, *above) if (quota := _quota(one)) is not None]
    return min(quotas, default=None)


def _mounts(root: Path, controllers: str) -> Iterator[Path]:
    if not controllers:
        yield from (root, root / "unified")
    elif "cpu" in controllers.split(","):
        yield from {root / "cpu", root / controllers}


def _quota(group: Path) -> float | None:
    """CPU quota: version 2 has `150000 100000` or `max 100000`, version 1 two files, with -1 for no limit."""
    words = _text(group / "cpu.max").split() or [
        _text(group / "cpu.cfs_quota_us").strip(),
        _text(group / "cpu.cfs_period_us").strip(),
    ]
    return int(words[0]) / int(words[1]) if words[0].isdigit() and words[1].isdigit() else None


def _may_use(cpus: frozenset[int]) -> frozenset[int]:
    """CPUs of `cpus` that this thread may move to; the kernel omits CPUs outside the control group."""
    try:
        with settled(cpus):
            return frozenset(os.sched_getaffinity(0))
    except OSError:
        return frozenset()


def _list_in(path: Path) -> tuple[int, ...]:
    text = _text(path).strip()
    return cpu_list(str(path), text) if text else ()


def _number_in(path: Path, otherwise: int) -> int:
    text = _text(path).strip()
    return int(text) if text.isdigit() else otherwise


def _text(path: Path) -> str:
    """Content of the file; empty if this kernel does not have it."""
    try:
        return path.read_text()
    except OSError:
        return ""
