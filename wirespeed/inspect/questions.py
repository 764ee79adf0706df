"""Questions to a machine: the name of each answer, and the shell command for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Final

_CPU = "/sys/devices/system/cpu"
_PCI = "/sys/bus/pci/devices/*"

QUESTIONS: Final = {
    "uname": "uname -srm",
    "cpuinfo": "sed -n '1,/^$/p' /proc/cpuinfo; grep 'cpu MHz' /proc/cpuinfo",
    "lscpu": "lscpu",
    "cpus": f"tree {_CPU}/online {_CPU}/isolated {_CPU}/smt/active {_CPU}/cpu[0-9]*/topology/core_id "
    f"{_CPU}/cpu[0-9]*/topology/physical_package_id {_CPU}/cpu[0-9]*/topology/thread_siblings_list "
    f"{_CPU}/cpu[0-9]*/cache/index[0-9]/level {_CPU}/cpu[0-9]*/cache/index[0-9]/type "
    f"{_CPU}/cpu[0-9]*/cache/index[0-9]/size {_CPU}/cpu[0-9]*/cache/index[0-9]/shared_cpu_list "
    f"{_CPU}/cpu[0-9]*/cpufreq/base_frequency {_CPU}/cpu[0-9]*/cpufreq/cpuinfo_min_freq "
    f"{_CPU}/cpu[0-9]*/cpufreq/cpuinfo_max_freq {_CPU}/cpu[0-9]*/cpufreq/scaling_cur_freq "
    f"{_CPU}/cpu[0-9]*/cpufreq/scaling_governor {_CPU}/cpu0/cpufreq/scaling_driver "
    f"{_CPU}/intel_pstate/no_turbo {_CPU}/cpufreq/boost /sys/devices/system/node/node[0-9]*/cpulist",
    "meminfo": "grep -E '^(MemTotal|MemAvailable|HugePages_|Hugepagesize)' /proc/meminfo",
    "dmidecode": "dmidecode",
    "dmi": "tree /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name /sys/class/dmi/id/board_vendor "
    "/sys/class/dmi/id/board_name /sys/class/dmi/id/bios_version /sys/class/dmi/id/bios_date",
    "lspci": "lspci -Dvvnn",
    "pci": f"tree {_PCI} {_PCI}/class {_PCI}/vendor {_PCI}/device {_PCI}/current_link_speed "
    f"{_PCI}/current_link_width {_PCI}/max_link_speed {_PCI}/max_link_width {_PCI}/numa_node {_PCI}/driver "
    f"{_PCI}/iommu_group; ls -d {_PCI}/net/* {_PCI}/virtio*/net/* 2>/dev/null; true",
    "dmesg": "dmesg | grep -E 'PCIe bandwidth|PCIe link at|DMAR|AMD-Vi|IOMMU' | head -200; true",
    "nets": "ls -d /sys/class/net/*/device 2>/dev/null; true",
    "block": "tree /sys/block/*/size /sys/block/*/queue/rotational /sys/block/*/device/model",
}
"""Answers are facts about the current state of the machine; no question changes it."""


_OF_A_NIC = {"": "", "-i": "", "-l": "", "-g": "", "-k": "", "-m": "hex on"}


def nic_questions(names: Iterable[str]) -> dict[str, str]:
    """Questions about each of the kernel's interfaces, given by `ethtool -i eth0`; modules are dumped if the driver
    can."""
    asked = ((name, option, more) for name in names for option, more in _OF_A_NIC.items())
    return {question(name, option): f"ethtool {option} {shlex.quote(name)} {more}" for name, option, more in asked}


def question(name: str, option: str) -> str:
    """Name of the answer of `ethtool OPTION NAME`."""
    return " ".join(word for word in ("ethtool", option, name) if word)
