"""The workers' CPUs: kept free for them, at full clock, on cores of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.doctor.finding import HostFinding, HostPurpose, HostStep, fixable
from wirespeed.explain.worth import FEW_CPUS, few_cpus_text
from wirespeed.inspect.cpu import cpu_of
from wirespeed.inspect.transcript import Transcript, text, tree

_CPU = "/sys/devices/system/cpu"
BUSY_PERCENT = 5.0
"""Average CPU share of a thread above which it is reported."""
OURS = ("wirespeed", "ws_", "eal-")
"""Names of wirespeed's threads: the generator's own worker is not a neighbour of itself."""


def _listed(cpus: list[int]) -> str:
    return ",".join(map(str, cpus))


def enough(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Tester, router and what controls them, each on a CPU of its own."""
    count = len(cpu_of(answers).places)
    if count >= FEW_CPUS:
        yield HostFinding("CPU count", "ok", f"{count} CPUs")
    elif count:
        yield HostFinding("CPU count", "costs", f"{count} CPU{'s' if count > 1 else ''}", few_cpus_text(count))


def isolation(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Isolated CPUs get no process by themselves."""
    places = cpu_of(answers).places
    if not wanted.cpus:
        isolated = [place.cpu for place in places if place.is_isolated]
        yield HostFinding("isolation", "note", f"no worker's CPU was named; isolated are {_listed(isolated) or 'none'}")
        return
    known = {place.cpu: place.is_isolated for place in places}
    absent = [cpu for cpu in wanted.cpus if cpu not in known]
    if absent:
        yield HostFinding(
            "isolation",
            "blocks",
            f"there is no CPU {_listed(absent)} here",
            f"CPUs are {_listed(sorted(known)) or 'unknown'}",
        )
    shared = [cpu for cpu in wanted.cpus if known.get(cpu) is False]
    if not shared:
        if not absent:
            yield HostFinding("isolation", "ok", f"CPUs {_listed(list(wanted.cpus))} are isolated")
        return
    words = f"isolcpus={_listed(shared)} nohz_full={_listed(shared)} rcu_nocbs={_listed(shared)}"
    yield HostFinding(
        "isolation",
        "costs",
        f"CPUs {_listed(shared)} are not isolated",
        "whatever else the kernel puts there takes the worker's place, and packets are lost in that time",
        (f"sed -i 's/^GRUB_CMDLINE_LINUX=\"/&{words} /' /etc/default/grub", "update-grub && reboot"),
    )


def governor(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """The clock under a load that comes in steps."""
    files = tree(text(answers, "cpus"))
    governors = {
        int(match[1]): value
        for path, value in files.items()
        if (match := re.fullmatch(rf"{_CPU}/cpu(\d+)/cpufreq/scaling_governor", path))
    }
    if not governors:
        yield HostFinding("governor", "ok", "the kernel sets no frequencies here")
        return
    slow = {
        cpu: value for cpu, value in governors.items() if value != "performance" and cpu in (wanted.cpus or governors)
    }
    if not slow:
        yield HostFinding("governor", "ok", "performance")
        return
    steps = []
    for cpu, value in sorted(slow.items()):
        path = f"{_CPU}/cpu{cpu}/cpufreq/scaling_governor"
        steps.append(HostStep(f"echo performance >{path}", f"echo {value} >{path}"))
    yield fixable(
        "governor",
        "spoils",
        f"{', '.join(sorted(set(slow.values())))} on CPUs {_listed(sorted(slow))}",
        "the clock follows the load, so the first seconds of each step are measured at another speed",
        steps,
    )


def smt(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Two workers on the threads of one core."""
    places = {place.cpu: place for place in cpu_of(answers).places}
    workers = [cpu for cpu in wanted.cpus if cpu in places]
    if not any(len(place.siblings) > 1 for place in places.values()):
        yield HostFinding("smt", "ok", "no core has two threads")
        return
    pairs = [(cpu, other) for cpu in workers for other in workers if cpu < other and other in places[cpu].siblings]
    if pairs:
        shared = ", ".join(f"{cpu} and {other}" for cpu, other in pairs)
        yield HostFinding(
            "smt",
            "spoils",
            f"workers {shared} share a core",
            "each gets some two thirds of it, and how much depends on the other",
            ("# give workers CPUs of different cores: /sys/devices/system/cpu/cpu*/topology/thread_siblings_list",),
        )
        return
    beside = sorted({other for cpu in workers for other in places[cpu].siblings if other != cpu})
    if beside:
        yield HostFinding(
            "smt",
            "costs",
            f"CPUs {_listed(beside)} are the other threads of the workers' cores, and on",
            "what runs there slows the worker down",
            tuple(f"echo 0 >{_CPU}/cpu{cpu}/online" for cpu in beside),
        )
    else:
        yield HostFinding("smt", "ok", "no two workers share a core")


def neighbours(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Threads of others on the workers' CPUs. Without named CPUs all are looked at; where there are few, a lab uses
    them all."""
    every = [place.cpu for place in cpu_of(answers).places]
    watched = wanted.cpus or every
    busy = []
    for line in text(answers, "threads").splitlines():
        words = line.split(None, 3)
        if len(words) < 4 or not words[0].isdigit() or int(words[0]) not in watched:
            continue
        if float(words[1]) >= BUSY_PERCENT and not words[3].startswith(OURS):
            busy.append(f"{words[3]} ({words[2]}, {float(words[1]):.0f} %) on {words[0]}")
    slice_ns = text(answers, "slice").strip()
    for_long = f" for {int(slice_ns) / 1e6:g} ms at a time" if slice_ns.isdigit() else ""
    if busy:
        yield HostFinding(
            "neighbours",
            "spoils" if wanted.cpus or len(every) < FEW_CPUS else "note",
            f"{', '.join(busy[:4])}{f' and {len(busy) - 4} more' if len(busy) > 4 else ''}",
            f"they take a worker's CPU{for_long}, and packets wait or are lost in that time",
            ("taskset -cp OTHER_CPUS PID  # or stop them for the test",),
        )
    else:
        where = "the workers' CPUs" if wanted.cpus else "any CPU"
        yield HostFinding("neighbours", "ok", f"no other program is busy on {where}")
