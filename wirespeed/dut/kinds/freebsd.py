"""FreeBSD as a router, and its derivatives: pfSense, OPNsense, BSDRP."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from wirespeed.dut.kinds.bsd import Bsd, grown, losses
from wirespeed.dut.kinds.pf_states import PfStates
from wirespeed.dut.setup import DutSetup
from wirespeed.results.dut import DutFacts
from wirespeed.results.dut_cpu import CpuLoad, MachineLoad


class FreebsdKind(Bsd):
    """Queues and rings are tunables of its loader."""

    name = "freebsd"
    has_nat_rules = True
    states = PfStates("sysctl -n net.pf.states_hashsize")
    texts = (
        "uname -a",
        "sysctl -n hw.model hw.ncpu",
        "ifconfig -a",
        "netstat -Q",
        "netstat -m",
        "vmstat -i",
        "vmstat -z",
        "top -SHPb -d1 20",
        "pfctl -s info",
        "sysctl net.inet.ip net.isr vm.pmap.pti hw.ibrs_disable kern.random.harvest.mask",
        "sysctl dev.ix dev.igb dev.igc dev.cxl",
    )
    sampled: ClassVar[Mapping[str, str]] = {
        "times": "sysctl -n kern.cp_times",
        "interfaces": "netstat -ibn",
        "netisr": "netstat -Q",
        "interrupts": "vmstat -i",
        "temperatures": "sysctl dev.cpu",
    }
    classes = ("user", "nice", "system", "irq", "idle")
    columns = 8
    harmful = "LRO TSO4 TSO6 VLAN_HWTSO"
    joins = "addm"
    sysctl = "sysctl -i"
    queues_refused = (
        "queues and rings of FreeBSD are tunables of its loader (dev.ix.0.iflib.override_nrxqs and _nrxds in "
        "/boot/loader.conf.local) and need a restart: set them by hand"
    )
    others_refused = "FreeBSD has no MPLS, workers, driver, governor or turbo to prepare"

    def wanted(self, setup: DutSetup) -> dict[str, str]:
        # Redirects keep packets off its fast path (tryforward).
        names = ("net.inet.ip.forwarding", "net.inet6.ip6.forwarding", "net.inet.ip.redirect", "net.inet6.ip6.redirect")
        wanted = {} if setup.mode == "l2xc" else {name: "0" if "redirect" in name else "1" for name in names}
        return wanted | {control: "0" for name in setup.names if (control := flow_control(name))}

    def lost(self, links: Mapping[str, Mapping[str, int]], parts: Mapping[str, str]) -> dict[str, int]:
        return losses(links, ("Ierrs", "Idrop", "Oerrs")) | _queue_drops(parts)

    def machine(
        self, old: Mapping[str, str], new: Mapping[str, str], cpus: Sequence[Mapping[str, float]], interval_s: float
    ) -> MachineLoad:
        degrees = re.findall(r"(?m)^dev\.cpu\.(\d+)\.temperature: ([\d.]+)C", new.get("temperatures", ""))
        of_cpus = (
            CpuLoad(number, {kind: share * interval_s for kind, share in cpu.items()})
            for number, cpu in enumerate(cpus)
        )
        return MachineLoad(
            cpus=tuple(of_cpus),
            counters=grown(interrupts(old.get("interrupts", "")), interrupts(new.get("interrupts", ""))),
            temperatures_c={f"cpu{cpu}": float(heat) for cpu, heat in degrees},
        )

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        cpu = texts.get("sysctl -n hw.model hw.ncpu", "").strip().splitlines()
        count = int(cpu[1]) if len(cpu) > 1 and cpu[1].isdigit() else 0
        return self.described(name, texts, count, {"cpu": cpu[0] if cpu else ""})


def flow_control(interface: str) -> str:
    """The sysctl of an interface's flow control, of drivers that have one."""
    match = re.fullmatch(r"(ix|igb|em|igc|ixl)(\d+)", interface)
    return f"dev.{match[1]}.{match[2]}.fc" if match else ""


def interrupts(text: str) -> dict[str, int]:
    """`vmstat -i`: totals by name."""
    rows = re.findall(r"(?m)^(irq\d+: ?\S+|cpu\d+:\S+)\s+(\d+)\s+\d+$", text)
    return {name: int(total) for name, total in rows}


def _queue_drops(parts: Mapping[str, str]) -> dict[str, int]:
    """The workstreams of `netstat -Q`: WSID CPU Name Len WMark Disp'd HDisp'd QDrops Queued Handled."""
    rows = (line.split() for line in parts.get("netisr", "").splitlines())
    drops: dict[str, int] = {}
    for row in rows:
        if len(row) == 10 and row[0].isdigit() and row[7].isdigit():
            name = f"netisr {row[2]} QDrops"
            drops[name] = drops.get(name, 0) + int(row[7])
    return drops
