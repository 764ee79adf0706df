"""Linux's own forwarding as a device under test: a network namespace of this machine, or the machine as it is.

Its files under /proc/net are opened once, inside the namespace, and remain those of the namespace, so a reading does
not have to enter it.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.dut.dut import DutReading
from wirespeed.dut.kinds.linux_machine import tables_of
from wirespeed.dut.kinds.linux_states import LinuxStates
from wirespeed.dut.linux_counters import (
    LinuxCounters,
    began_anew,
    cpu_percent,
    cpu_ticks,
    interfaces,
    ip_drops,
    losses,
    softnet,
)
from wirespeed.dut.reach.local import LocalReach
from wirespeed.dut.states import DutStates
from wirespeed.errors import EnvironmentFault
from wirespeed.results.dut import DutFacts, DutTelemetry

_OF_NAMESPACE = ("/proc/net/dev", "/proc/net/snmp", "/proc/net/netstat", "/proc/net/snmp6")
_OF_MACHINE = ("/proc/stat", "/proc/net/softnet_stat")
TEXTS = ("/proc/softirqs", "/proc/interrupts")
"""Worth keeping, and too long to read at each sample."""

_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
_PIECE = 1 << 20


@dataclass(frozen=True)
class LinuxReading(DutReading):
    """The files' texts by path, not yet looked at; None with an error."""

    texts: dict[str, bytes] | None = None


class LinuxDut:
    """The kernel's forwarding in the namespace `netns` (a name of `ip netns`, none: where this process is) on `cpus`,
    by default on all. Reading another namespace needs root. `is_of_lab`: the filtered DUT of a lab."""

    name = "Linux"

    def __init__(self, netns: str = "", cpus: Sequence[int] = (), *, is_of_lab: bool = False) -> None:
        self._netns = netns
        self._is_of_lab = is_of_lab
        self._cpus = tuple(cpus)
        self._files: dict[str, int] = {}
        self._forwards = ""
        self._filter: dict[str, str] = {}

    def prepare(self) -> None:
        self.close()
        self._inside(self._open)
        for path in _OF_MACHINE:
            self._files[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def describe(self) -> DutFacts:
        kernel = os.uname()
        cpus = self._cpus or tuple(sorted(cpu_ticks(Path("/proc/stat").read_text(), ())))
        return DutFacts(
            name=self.name,
            kind="linux",
            version=f"{kernel.sysname} {kernel.release}",
            cpus=cpus,
            details={"build": kernel.version, "machine": kernel.machine, "ip_forward": self._forwards} | self._filter,
        )

    def reading(self) -> LinuxReading:
        try:
            return LinuxReading(time.monotonic(), texts={path: _whole(file) for path, file in self._files.items()})
        except OSError as error:
            return LinuxReading(time.monotonic(), f"the counters of {self._where} cannot be read: {error.strerror}")

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        old, new = self._counters(before), self._counters(after)
        if before is None or after is None or old is None or new is None:
            errors = [reading.error for reading in (before, after) if reading is not None and reading.error]
            return DutTelemetry(error=errors[0] if errors else f"{self._where} was not read")
        renewed = began_anew(old, new)
        if renewed is not None:
            return DutTelemetry(error=f"the counters of {renewed} began again at 0 in between")
        return linux_telemetry(old, new, after.at_s - before.at_s)

    def collect(self) -> dict[str, str]:
        texts = {path: content.decode(errors="replace") for path, content in (self.reading().texts or {}).items()}
        return texts | {path: Path(path).read_text(errors="replace") for path in TEXTS}

    def states(self) -> DutStates:
        return DutStates(LinuxStates(), LocalReach(self._netns), is_of_lab=self._is_of_lab)

    def close(self) -> None:
        for file in self._files.values():
            os.close(file)
        self._files = {}

    @property
    def _where(self) -> str:
        return f"namespace {self._netns}" if self._netns else "this host"

    def _counters(self, reading: DutReading | None) -> LinuxCounters | None:
        if not isinstance(reading, LinuxReading) or not reading.texts:
            return None
        text = {path: content.decode(errors="replace") for path, content in reading.texts.items()}
        return LinuxCounters(
            cpu_ticks=cpu_ticks(text["/proc/stat"], self._cpus),
            softnet=softnet(text["/proc/net/softnet_stat"], self._cpus),
            interfaces=interfaces(text["/proc/net/dev"]),
            ip_drops=ip_drops(text["/proc/net/snmp"], text["/proc/net/netstat"], text.get("/proc/net/snmp6", "")),
        )

    def _open(self) -> None:
        for path in _OF_NAMESPACE:
            if Path(path).exists():  # no snmp6 where the kernel has no IPv6
                self._files[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._forwards = _FORWARDING.read_text().strip()
        tables = tables_of(_ruleset())
        self._filter = {"nftables": tables} if tables else {}

    def _inside(self, act: Callable[[], None]) -> None:
        if not self._netns:
            act()
            return
        from pyroute2 import netns  # noqa: PLC0415 - a slow import, needed for namespaces alone

        try:
            if self._netns not in netns.listnetns():
                raise EnvironmentFault(f"there is no network namespace {self._netns}: ip netns lists those there are")
            netns.pushns(self._netns)
        except OSError as error:
            raise EnvironmentFault(
                f"network namespace {self._netns} cannot be entered: {error.strerror}; it needs root"
            ) from None
        try:
            act()
        finally:
            netns.popns()


def linux_telemetry(before: LinuxCounters, after: LinuxCounters, interval_s: float) -> DutTelemetry:
    """Telemetry of Linux over `interval_s`; packets are those of all interfaces together."""
    drops = {reason: count for reason, count in losses(before, after) if count > 0}
    events = {f"softnet {name}": count - before.softnet.get(name, 0) for name, count in after.softnet.items()}
    names = before.interfaces.keys() & after.interfaces.keys()
    pairs = [(before.interfaces[name], after.interfaces[name]) for name in names]
    return DutTelemetry(
        interval_s=interval_s,
        in_packets=sum(new.rx_packets - old.rx_packets for old, new in pairs),
        out_packets=sum(new.tx_packets - old.tx_packets for old, new in pairs),
        drop_packets=sum(drops.values()),
        drops=drops,
        events={name: count for name, count in events.items() if count > 0},
        cpu_percent=cpu_percent(before.cpu_ticks, after.cpu_ticks),
    )


def _ruleset() -> str:
    """The tables of nftables here; empty without `nft` or without permission."""
    try:
        return subprocess.run(["nft", "list", "tables"], capture_output=True, text=True, timeout=5, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _whole(file: int) -> bytes:
    """A file of /proc from its beginning; the kernel hands it out in pieces of whole rows."""
    pieces: list[bytes] = []
    at = 0
    while piece := os.pread(file, _PIECE, at):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)
