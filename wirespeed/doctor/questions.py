"""Questions to a machine in addition to those of `wirespeed host show`: its settings, which may change at any time."""

from __future__ import annotations

from typing import Final

from wirespeed.inspect.questions import QUESTIONS as HARDWARE

_HUGE = "/sys/kernel/mm/hugepages/hugepages-*"

QUESTIONS: Final = {
    **{name: HARDWARE[name] for name in ("cpuinfo", "cpus", "pci", "meminfo")},
    "uid": "id -u",
    "cmdline": "cat /proc/cmdline",
    "hugepages": f"tree {_HUGE}/nr_hugepages {_HUGE}/free_hugepages",
    "iommu": "ls /sys/kernel/iommu_groups",
    "modules": "ls -d /sys/module/vfio_pci /sys/bus/pci/drivers/vfio-pci 2>/dev/null; "
    "tree /sys/module/vfio/parameters/enable_unsafe_noiommu_mode "
    "/sys/module/mlx4_core/parameters/log_num_mgm_entry_size; modprobe -n vfio-pci >/dev/null 2>&1 && "
    "echo modprobe; true",
    "addresses": "ip -o addr show",
    "links": "ip -o link show",
    "routes": "ip -o route show default; ip -6 -o route show default",
    "memlock": "ulimit -l",
    "dpdk": "ldconfig -p | grep -m1 librte_eal",
    "programs": "for p in ethtool lspci dmidecode; do command -v $p >/dev/null || echo $p; done",
    "listening": "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null",
    "netns": "ls /run/netns 2>/dev/null; true",
    "folders": "ls -d /tmp/wirespeed-* /dev/shm/wirespeed-* /run/wirespeed-* 2>/dev/null; true",
    "ends": "ls -d /sys/class/net/ws[0-9]* 2>/dev/null; true",
    "running": "for p in /proc/[0-9]*; do echo ${p#/proc/}; done",
    "clock": "tree /sys/devices/system/clocksource/clocksource0/current_clocksource "
    "/sys/devices/system/clocksource/clocksource0/available_clocksource",
    "steal": "grep '^cpu ' /proc/stat; sleep 1; grep '^cpu ' /proc/stat",
    # Younger programs are left out: ps gives their share since their start, and the check itself is one of them.
    "threads": "ps -eLo etimes=,psr=,pcpu=,pid=,comm= | awk '$1 >= 10 { $1 = \"\"; print }'",
    "slice": "cd /sys/kernel/debug/sched && cat base_slice_ns min_granularity_ns 2>/dev/null | head -1",
}
