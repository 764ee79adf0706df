"""Telemetry of Linux: files and commands of a sample, and the evaluation of two samples. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from wirespeed.dut.kinds.linux_machine import EACH_INTERFACE
from wirespeed.dut.linux import linux_telemetry
from wirespeed.dut.linux_counters import (
    LinuxCounters,
    began_anew,
    cpu_ticks,
    interfaces,
    ip_drops,
    softnet,
    softnet_by_cpu,
)
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.dut_cpu import CpuLoad, MachineLoad

_FILES = (
    "/proc/stat",
    "/proc/net/softnet_stat",
    "/proc/softirqs",
    "/proc/interrupts",
    "/proc/net/dev",
    "/proc/net/snmp",
    "/proc/net/netstat",
    "/proc/net/snmp6",
)
_SENSORS = (
    "/sys/class/thermal/thermal_zone*/temp",
    "/sys/class/hwmon/hwmon*/temp*_input",
    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq",
)
SAMPLE = f"""tail -n +1 {" ".join(_FILES)}
echo; echo '==> sensors <=='; grep -H . {" ".join(_SENSORS)}
{EACH_INTERFACE} {{ echo; echo "==> ethtool $i <=="; ethtool -S $i; }}; done"""
"""One `tail`, one `grep` and an `ethtool` an interface; in a sample as it is kept each part has a head."""

TEXTS = (
    "cat /proc/interrupts",
    "cat /proc/softirqs",
    "cat /proc/net/softnet_stat",
    "ip -s -s link | head -2000",
    "nstat -az",
    "tc -s qdisc",
    f'{EACH_INTERFACE} {{ echo "$i:"; ethtool -S $i; }}; done',
    "nft list ruleset",
    "ip addr | head -1000",
    "ip route | head -100",
    "ip neigh | head -1000",
    "lscpu",
    "cat /proc/cmdline",
    "grep -H . /sys/devices/system/cpu/vulnerabilities/*",
)
"""Kept as they are, from before and after the load."""

_TICKS_S = 0.01
"""USER_HZ is 100 on every architecture that has a /proc/stat."""


def parts_of(sample: str) -> dict[str, str]:
    """A sample by its heads."""
    pieces = re.split(r"(?m)^==> (.+) <==\n", f"\n{sample}")
    return dict(zip(pieces[1::2], pieces[2::2], strict=False))


def linux_load(before: str, after: str, interval_s: float) -> DutTelemetry:
    """Telemetry between two samples."""
    old, new = parts_of(before), parts_of(after)
    first, last = _counters(old), _counters(new)
    renewed = began_anew(first, last)
    if renewed is not None:
        return DutTelemetry(error=f"the counters of {renewed} began again at 0 in between")
    machine = MachineLoad(
        cpus=_cpus(old, new),
        nics=_nics(old, new),
        counters=_grown(_stack(old), _stack(new)),
        temperatures_c=_temperatures(new.get("sensors", "")),
        frequencies_hz=_frequencies(new.get("sensors", "")),
    )
    return replace(linux_telemetry(first, last, interval_s), machine=machine)


def _counters(parts: Mapping[str, str]) -> LinuxCounters:
    return LinuxCounters(
        cpu_ticks=cpu_ticks(parts.get("/proc/stat", ""), ()),
        softnet=softnet(parts.get("/proc/net/softnet_stat", "").strip(), ()),
        interfaces=interfaces(parts.get("/proc/net/dev", "")),
        ip_drops=ip_drops(
            parts.get("/proc/net/snmp", ""), parts.get("/proc/net/netstat", ""), parts.get("/proc/net/snmp6", "")
        ),
    )


def _grown(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    pairs = ((name, count - before.get(name, 0)) for name, count in after.items())
    return {name: count for name, count in pairs if count > 0}


# ---- CPU by CPU


def _cpus(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[CpuLoad, ...]:
    ticks = [cpu_ticks(parts.get("/proc/stat", ""), ()) for parts in (old, new)]
    softirqs = [table_by_cpu(parts.get("/proc/softirqs", "")) for parts in (old, new)]
    interrupts = [table_by_cpu(parts.get("/proc/interrupts", "")) for parts in (old, new)]
    packets = [softnet_by_cpu(parts.get("/proc/net/softnet_stat", "")) for parts in (old, new)]

    def grown(pair: list[dict[int, dict[str, int]]], cpu: int) -> dict[str, int]:
        return _grown(pair[0].get(cpu, {}), pair[1].get(cpu, {}))

    return tuple(
        CpuLoad(
            cpu=cpu,
            seconds={kind: round(count * _TICKS_S, 2) for kind, count in grown(ticks, cpu).items()},
            softirqs=grown(softirqs, cpu),
            softnet=grown(packets, cpu),
            interrupts=grown(interrupts, cpu),
        )
        for cpu in sorted(ticks[1])
    )


def table_by_cpu(text: str) -> dict[int, dict[str, int]]:
    """/proc/softirqs and /proc/interrupts: a head with the CPUs, a row a kind. Interrupts bear the name of their
    device, and the number where several have one."""
    head, *rows = text.strip().splitlines() or [""]
    cpus = [int(cpu) for cpu in re.findall(r"CPU(\d+)", head)]
    table: dict[int, dict[str, int]] = {cpu: {} for cpu in cpus}
    for row in rows:
        key, colon, rest = row.partition(":")
        words = rest.split()
        numbers = words[: len(cpus)]
        if not colon or len(numbers) < len(cpus) or not all(word.isdigit() for word in numbers):
            continue
        key = key.strip()
        name = words[-1] if key.isdigit() and len(words) > len(cpus) else key
        for cpu, count in zip(cpus, numbers, strict=True):
            known = f"{name} {key}" if name in table[cpu] else name
            table[cpu][known] = int(count)
    return table


# ---- NICs, stack, sensors


def nic_counters(text: str) -> dict[str, int]:
    """`ethtool -S`; counters of queues are there by their names. Names that a driver repeats for each queue are summed:
    vmxnet3 has a block for each queue."""
    found: dict[str, int] = {}
    for key, count in re.findall(r"(?m)^ +(\S.*?): +(\d+)$", text):
        found[key.strip()] = found.get(key.strip(), 0) + int(count)
    return found


def _nics(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, dict[str, int]]:
    grown = {
        head.removeprefix("ethtool "): _grown(nic_counters(old.get(head, "")), nic_counters(text))
        for head, text in new.items()
        if head.startswith("ethtool ") and head in old
    }
    return {name: counters for name, counters in grown.items() if counters}


def _stack(parts: Mapping[str, str]) -> dict[str, int]:
    """All that `nstat` tells: /proc/net/snmp and netstat (a row of names, a row of numbers), and snmp6."""
    counters: dict[str, int] = {}
    rows = [line.split() for path in ("snmp", "netstat") for line in parts.get(f"/proc/net/{path}", "").splitlines()]
    for names, numbers in zip(rows, rows[1:], strict=False):
        if names and numbers and names[0] == numbers[0] and numbers[1:2] and numbers[1].lstrip("-").isdigit():
            prefix = names[0].rstrip(":")
            counters |= {f"{prefix}{name}": int(count) for name, count in zip(names[1:], numbers[1:], strict=False)}
    return counters | {
        name: int(count) for name, count in re.findall(r"(?m)^(\w+)\s+(\d+)$", parts.get("/proc/net/snmp6", ""))
    }


def _temperatures(text: str) -> dict[str, float]:
    rows = re.findall(r"(?m)^/sys/class/\w+/(\S+?)(?:/temp|/(temp\d+)_input):(-?\d+)$", text)
    return {" ".join(filter(None, (place, sensor))): int(milli) / 1000 for place, sensor, milli in rows}


def _frequencies(text: str) -> dict[str, float]:
    return {
        cpu: float(khz) * 1000 for cpu, khz in re.findall(r"(?m)^\S+/cpu(\d+)/cpufreq/scaling_cur_freq:(\d+)$", text)
    }
