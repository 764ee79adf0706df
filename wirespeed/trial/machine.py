"""Preemption and steal during an interval, as differences of two readings. Pure, except `stolen_here` and
`is_virtual_here`, which read this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.renamed import present_keys
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.sample import Preemption
from wirespeed.stolen_time import read_stolen_time

_HYPERVISORS = ("kvm", "qemu", "vmware", "virtualbox", "xen", "bochs", "parallels", "bhyve", "virtual machine", "ec2")
_DMI = Path("/sys/class/dmi/id")
_LOCAL = ("127.", "localhost", "[::1]")


@dataclass(frozen=True)
class WorkerPreemption:
    """Preemption of one worker since it began: `count` times, `preempted_s` together, the longest for `longest_s`."""

    preempted_s: float
    count: int
    longest_s: float


@dataclass(frozen=True)
class MachineReading:
    """Reading of the tester's machine: the steal of all its `cpus` together, and the preemption of its workers; None
    and () if it does not report them."""

    steal_s: float | None = None
    cpus: int | None = None
    workers: tuple[WorkerPreemption, ...] = ()


def machine_reading(raw: Mapping[str, Any] | None) -> MachineReading:
    """Reading from `machine` in a wirespeed generator's reply to get_global_stats; empty for T-Rex."""
    if not raw:
        return MachineReading()
    workers = (
        WorkerPreemption(float(one["preempted_s"]), int(one["preemptions"]), float(one["longest_preemption_s"]))
        for one in map(present_keys, raw.get("workers", ()))
    )
    steal_s = raw.get("steal_s")
    return MachineReading(None if steal_s is None else float(steal_s), raw.get("cpus"), tuple(workers))


def preemption_between(
    before: MachineReading, after: MachineReading, dut: DutTelemetry | None = None
) -> Preemption | None:
    """Preemption of tester and DUT between two readings; None if neither reports it."""
    pairs = list(zip(before.workers, after.workers, strict=False))
    workers = [worker for worker in dut.workers if worker.preempted_s is not None] if dut is not None else []
    steal_s = None if before.steal_s is None or after.steal_s is None else max(0.0, after.steal_s - before.steal_s)
    preemption = Preemption(
        steal_s=steal_s,
        cpus=None if steal_s is None else after.cpus,
        tester_preempted_s=max((max(0.0, new.preempted_s - old.preempted_s) for old, new in pairs), default=None),
        tester_longest_preemption_s=max((_longest(old, new) for old, new in pairs), default=None),
        dut_preempted_s=max((worker.preempted_s or 0.0 for worker in workers), default=None),
        dut_longest_preemption_s=max((worker.longest_preemption_s or 0.0 for worker in workers), default=None),
    )
    return None if preemption == Preemption() else preemption


def _longest(old: WorkerPreemption, new: WorkerPreemption) -> float:
    """The longest preemption between two readings: exact if it is a new record or the only one, otherwise an upper
    bound."""
    preempted_s = max(0.0, new.preempted_s - old.preempted_s)
    return new.longest_s if new.longest_s > old.longest_s else min(preempted_s, new.longest_s)


def is_local(server: str) -> bool:
    """True if HOST:PORT is certainly on this machine."""
    return server.startswith(_LOCAL)


def stolen_here() -> MachineReading:
    """Steal of this machine, for a generator on it that does not report steal."""
    told = read_stolen_time()
    return MachineReading(told.steal_s, told.cpus)


def is_virtual(cpuinfo: str, *dmi: str) -> bool:
    """True if a machine is a guest of a hypervisor, by the CPU's flag in /proc/cpuinfo or by names of vendor and
    product."""
    flags = next((line.partition(":")[2].split() for line in cpuinfo.splitlines() if line.startswith("flags")), [])
    names = " ".join(dmi).lower()
    return "hypervisor" in flags or any(name in names for name in _HYPERVISORS)


def is_virtual_here() -> bool:
    dmi = (_text(_DMI / name) for name in ("sys_vendor", "product_name", "board_vendor"))
    return is_virtual(_text(Path("/proc/cpuinfo")), *dmi)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
