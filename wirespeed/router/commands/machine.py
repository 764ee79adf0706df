"""Machine: version, CPU, clock, PCI devices, memory, plugins.

- `show plugins` lists the parts of this router that correspond to VPP's plugins. `show memory` and `show unix files`
  are of the process, from Linux.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed import __version__
from wirespeed.router.columns import fixed
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.pci import PCI_DEVICES, fact, pci_link

if TYPE_CHECKING:
    from wirespeed.router.console import Console

# VPP's and Linux's names of CPU features that matter to packets.
_FLAGS = {
    "sse3": "pni",
    "pclmulqdq": "pclmulqdq",
    "ssse3": "ssse3",
    "sse41": "sse4_1",
    "sse42": "sse4_2",
    "avx": "avx",
    "rdrand": "rdrand",
    "avx2": "avx2",
    "bmi2": "bmi2",
    "rtm": "rtm",
    "pqm": "cqm",
    "pqe": "rdt_a",
    "avx512f": "avx512f",
    "rdseed": "rdseed",
    "aes": "aes",
    "sha": "sha_ni",
    "vaes": "vaes",
    "vpclmulqdq": "vpclmulqdq",
    "avx512_vnni": "avx512_vnni",
    "avx512_bitalg": "avx512_bitalg",
    "avx512_vpopcntdq": "avx512_vpopcntdq",
    "invariant_tsc": "nonstop_tsc",
}
_NETWORK_CLASS = "0x02"
_PLUGINS = {
    "acl": "Access control lists, with sessions",
    "af_packet": "Host interfaces (af_packet)",
    "af_xdp": "AF_XDP interfaces",
    "dpdk": "Data plane development kit",
    "lacp": "Link aggregation control protocol",
    "linux_cp": "Linux control plane: interface mirror",
    "linux_nl": "Linux control plane: netlink listener",
    "memif": "Packet memory interface",
    "ping": "Ping",
    "sflow": "sFlow packet sampling",
    "tap": "TAP interfaces",
    "urpf": "Unicast reverse path forwarding",
    "vxlan": "VXLAN tunnels",
}
"""The plugins of VPP whose work this router does."""
_MEMORY = {"VmRSS": "resident", "VmHWM": "resident at most", "HugetlbPages": "hugepages", "VmSize": "address space"}


@command("show version [verbose]")
def show_version(console: Console, words: Match) -> Iterable[str]:
    """Version of the router."""
    march = console.core.march()
    code = f"x86-64-v{march}" if march > 1 else os.uname().machine
    if "verbose" not in words:
        return [f"wirespeed v{__version__} ({code} code)"]
    return [
        f"{'Version:':<26}v{__version__}",
        f"{'Hot code:':<26}{code}",
        f"{'Kernel:':<26}{os.uname().sysname} {os.uname().release} {os.uname().machine}",
        f"{'Current PID:':<26}{os.getpid()}",
    ]


@command("show cpu")
def show_cpu(console: Console, words: Match) -> Iterable[str]:
    """Model, features and clock of the CPU."""
    return cpu_lines(Path("/proc/cpuinfo").read_text(), console.core.tsc_hz())


def cpu_lines(cpuinfo: str, tsc_hz: int) -> Iterator[str]:
    """The first CPU of a /proc/cpuinfo; the base frequency is the TSC's, which does not scale."""
    facts = {}
    for line in cpuinfo.split("\n\n", maxsplit=1)[0].splitlines():
        key, _, value = line.partition(":")
        facts[key.strip()] = value.strip()
    have = set(facts.get("flags", facts.get("Features", "")).split())
    flags = [name for name, linux in _FLAGS.items() if linux in have]
    model = facts.get("model name", facts.get("CPU part", "unknown"))
    yield f"{'Model name:':<26}{model}"
    if "cpu family" in facts:
        family, number = int(facts["cpu family"]), int(facts.get("model", "0"))
        yield f"{'Microarch model (family):':<26}[{family:#x}] ([{number:#x}]) stepping {facts.get('stepping', '?')}"
    yield f"{'Flags:':<26}{''.join(flag + ' ' for flag in flags)}"
    yield f"{'Base frequency:':<26}{fixed(tsc_hz / 1e9)} GHz"


@command("show clock")
def show_clock(console: Console, words: Match) -> Iterable[str]:
    """Seconds since the start, and the time of day."""
    since = (console.core.tsc() - console.started_tsc) / console.core.tsc_hz()
    return [f"Time now {since:.6f}, {time.strftime('%a, %d %b %Y %H:%M:%S GMT', time.gmtime())}"]


@command("show memory [verbose] [main-heap|stats-segment|api-segment]")
def show_memory(console: Console, words: Match) -> Iterator[str]:
    """Memory of the process and of its packet buffers; /mem/ of the statistics has DPDK's heap."""
    facts = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    yield f"Process {os.getpid()}"
    yield from (f"  {label:<18}{facts[key].strip():>14}" for key, label in _MEMORY.items() if key in facts)
    for pool in console.core.pools():
        size_kb = pool.total * pool.buffer_size // 1024
        yield f"  pool {pool.name}: {pool.total} buffers of {pool.buffer_size} bytes, {size_kb} kB"


@command("show plugins")
def show_plugins(console: Console, words: Match) -> Iterator[str]:
    """VPP's plugins that correspond to parts of this router."""
    yield f" {'':>3} {'Plugin':<28}{'Version':<20}Description"
    for number, (name, what) in enumerate(_PLUGINS.items(), 1):
        yield f" {number:>2}. {name + '_plugin.so':<28}{'v' + __version__:<20}{what}"


@command("show unix files")
def show_files(console: Console, words: Match) -> Iterator[str]:
    """Open files of the process."""
    yield f"{'FD':>4}  File Name"
    for path in sorted(Path("/proc/self/fd").iterdir(), key=lambda path: int(path.name)):
        with contextlib.suppress(OSError):  # the listing's own is closed by now
            yield f"{path.name:>4}  {path.readlink()}"


@command("show pci [all]")
def show_pci(console: Console, words: Match) -> Iterable[str]:
    """PCI network devices with link and driver; all: every PCI device."""
    return pci_lines(PCI_DEVICES, "all" in words)


def pci_lines(devices: Path, every: bool) -> Iterator[str]:
    heads = f"{'Address':<13}{'Sock':<5}{'VID:PID':<12}{'Link Speed':<14}{'Driver':<16}"
    yield f"{heads}{'Product Name':<32}Vital Product Data"
    for device in sorted(devices.iterdir()) if devices.is_dir() else []:
        if not every and not fact(device / "class").startswith(_NETWORK_CLASS):
            continue
        node = max(0, int(fact(device / "numa_node") or 0))
        ids = f"{fact(device / 'vendor')[2:]}:{fact(device / 'device')[2:]}"
        link = device / "driver"
        driver = link.resolve().name if link.exists() else ""
        speed, label = pci_link(device, "current"), fact(device / "label")
        yield f"{device.name:<13}{f'  {node}':<5}{ids:<12}{speed:<14}{driver:<16}{label:<32}"
