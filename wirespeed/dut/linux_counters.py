"""Counters of Linux, from the text of its files under /proc. Pure; unknown rows are ignored.

A dropped packet is counted once: by an interface (`drop`, `errs`) or by IP. Counts of `softnet_stat` are included in
the interfaces' drops, so they are events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

_SHARES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""The columns of a cpu row of /proc/stat that sum to its time (proc(5)); guests are in user and nice already."""

_IP_DROPS = {
    "Ip": (
        "InHdrErrors",
        "InAddrErrors",
        "InUnknownProtos",
        "InDiscards",
        "OutDiscards",
        "OutNoRoutes",
        "ReasmFails",
        "FragFails",
    ),
    "IpExt": ("InNoRoutes", "InTruncatedPkts"),
}
_IP6_DROPS = (
    "InHdrErrors",
    "InTooBigErrors",
    "InNoRoutes",
    "InAddrErrors",
    "InUnknownProtos",
    "InTruncatedPkts",
    "InDiscards",
    "OutDiscards",
    "OutNoRoutes",
    "ReasmFails",
    "FragFails",
)
_SOFTNET_CPU = 12


@dataclass(frozen=True)
class LinuxInterfaceCounters:
    """One interface: packets in and out, and those that it lost, by reason (`rx drop`)."""

    rx_packets: int
    tx_packets: int
    losses: dict[str, int]


@dataclass(frozen=True)
class LinuxCounters:
    """A network namespace and the CPUs that forward for it: ticks by kind and CPU, `softnet` events of those CPUs, and
    what IP dropped, by reason (`Ip InNoRoutes`)."""

    cpu_ticks: dict[int, dict[str, int]]
    softnet: dict[str, int]
    interfaces: dict[str, LinuxInterfaceCounters]
    ip_drops: dict[str, int]


def cpu_ticks(stat: str, cpus: Collection[int]) -> dict[int, dict[str, int]]:
    """/proc/stat of `cpus`, or of all when there are none."""
    rows = (row for row in re.findall(r"(?m)^cpu(\d+) (.*)$", stat) if not cpus or int(row[0]) in cpus)
    return {int(cpu): dict(zip(_SHARES, map(int, ticks.split()), strict=False)) for cpu, ticks in rows}


def softnet(text: str, cpus: Collection[int]) -> dict[str, int]:
    """Events of /proc/net/softnet_stat of `cpus`, or of all."""
    rows = [row for cpu, row in softnet_by_cpu(text).items() if not cpus or cpu in cpus]
    return {name: sum(row[name] for row in rows) for name in ("dropped", "time_squeeze")}


def softnet_by_cpu(text: str) -> dict[int, dict[str, int]]:
    """/proc/net/softnet_stat: packets taken up and events of each CPU, in hexadecimal rows; kernels before 5.10 do not
    name the CPU."""
    by_cpu = {}
    for index, row in enumerate(text.strip().splitlines()):
        words = [int(word, 16) for word in row.split()]
        cpu = words[_SOFTNET_CPU] if len(words) > _SOFTNET_CPU else index
        by_cpu[cpu] = {"processed": words[0], "dropped": words[1], "time_squeeze": words[2]}
    return by_cpu


@lru_cache(maxsize=2)
def interfaces(dev: str) -> dict[str, LinuxInterfaceCounters]:
    """/proc/net/dev without the loopback; not to be changed. The last sample of an interval is the first of the next,
    and has a row for each of maybe thousands of interfaces."""
    counters = {}
    for name, row in re.findall(r"(?m)^ *([^\s|]+): *([\d ]+)$", dev):
        words = row.split()
        if name == "lo" or len(words) < 12:
            continue
        losses = {
            "rx errs": int(words[2]),
            "rx drop": int(words[3]),
            "tx errs": int(words[10]),
            "tx drop": int(words[11]),
        }
        counters[name] = LinuxInterfaceCounters(int(words[1]), int(words[9]), losses)
    return counters


def ip_drops(snmp: str, netstat: str, snmp6: str) -> dict[str, int]:
    """Drops of IP, from /proc/net/snmp and /proc/net/netstat (a row of names, a row of numbers), and
    /proc/net/snmp6."""
    drops: dict[str, int] = {}
    for head, names in _IP_DROPS.items():
        numbers = _table(snmp if head == "Ip" else netstat, head)
        drops |= {f"{head} {name}": numbers[name] for name in names if name in numbers}
    numbers = {name: int(count) for name, count in re.findall(r"(?m)^Ip6(\w+)\s+(\d+)$", snmp6)}
    return drops | {f"Ip6 {name}": numbers[name] for name in _IP6_DROPS if name in numbers}


def _table(text: str, head: str) -> dict[str, int]:
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith(f"{head}:")]
    return dict(zip(rows[0], map(int, rows[1]), strict=False)) if len(rows) == 2 else {}


def cpu_percent(before: Mapping[int, Mapping[str, int]], after: Mapping[int, Mapping[str, int]]) -> dict[str, float]:
    """Shares of the time of all CPUs that both have; {} when none had a tick."""
    both = before.keys() & after.keys()
    # Idle and iowait may step back by a tick, as the kernel corrects them.
    ticks = {kind: sum(max(0, after[cpu].get(kind, 0) - before[cpu].get(kind, 0)) for cpu in both) for kind in _SHARES}
    total = sum(ticks.values())
    return {kind: count / total * 100 for kind, count in ticks.items()} if total else {}


def began_anew(before: LinuxCounters, after: LinuxCounters) -> str | None:
    """An interface whose counters decreased, since it was created again; None without one."""
    for name, old in before.interfaces.items():
        new = after.interfaces.get(name)
        if new is not None and (new.rx_packets < old.rx_packets or new.tx_packets < old.tx_packets):
            return name
    return None


def losses(before: LinuxCounters, after: LinuxCounters) -> Iterator[tuple[str, int]]:
    """Every reason for which packets were dropped in between, with its count."""
    for name, new in after.interfaces.items():
        old = before.interfaces.get(name)
        if old is not None and old.losses == new.losses:
            continue  # most of thousands of interfaces
        for reason, count in new.losses.items():
            yield f"{name} {reason}", count - (old.losses.get(reason, 0) if old is not None else 0)
    for reason, count in after.ip_drops.items():
        yield reason, count - before.ip_drops.get(reason, 0)
