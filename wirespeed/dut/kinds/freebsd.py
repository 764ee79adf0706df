"""FreeBSD as a router, and what is made of it: pfSense, OPNsense, BSDRP."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wirespeed.dut.kinds.bsd import (
    QUESTIONS,
    System,
    bsd_load,
    bsd_plan,
    described,
    grown,
    link_counters,
    losses,
    sampled,
    shares,
)
from wirespeed.dut.kinds.linux_load import parts_of
from wirespeed.dut.plan import Stage
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import UsageError
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.dut_cpu import CpuLoad, MachineLoad

_SYSTEM = System("LRO TSO4 TSO6 VLAN_HWTSO", "addm")
_SAMPLED = {
    "times": "sysctl -n kern.cp_times",
    "interfaces": "netstat -ibn",
    "netisr": "netstat -Q",
    "interrupts": "vmstat -i",
    "temperatures": "sysctl dev.cpu",
}
_CLASSES = ("user", "nice", "system", "irq", "idle")
_LOST = ("Ierrs", "Idrop", "Oerrs")


class FreebsdKind:
    """The kernel's forwarding, by ifconfig, route and sysctl. Queues and rings are tunables of its loader."""

    name = "freebsd"
    boot_question = "sysctl -n kern.boottime"
    prefix = ""
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
    sample = sampled(_SAMPLED)

    def stages(self, setup: DutSetup) -> Sequence[Stage]:
        options = setup.options
        if options.queues or options.rx_descriptors or options.tx_descriptors:
            raise UsageError(
                "queues and rings of FreeBSD are tunables of its loader (dev.ix.0.iflib.override_nrxqs and _nrxds in "
                "/boot/loader.conf.local) and need a restart: set them by hand"
            )
        if setup.mode == "mpls" or options.workers or options.driver or options.governor or options.turbo is not None:
            raise UsageError("FreeBSD has no MPLS, workers, driver, governor or turbo to prepare")
        # Redirects keep packets off its fast path (tryforward).
        wanted = {"net.inet.ip.forwarding": "1", "net.inet6.ip6.forwarding": "1", "net.inet.ip.redirect": "0"}
        wanted = {} if setup.mode == "l2xc" else wanted | {"net.inet6.ip6.redirect": "0"}
        wanted |= {control: "0" for name in setup.names if (control := flow_control(name))}
        wanted |= setup.options.sysctls
        question = f"sysctl -i {' '.join(wanted)}"
        return (Stage((*QUESTIONS, question), lambda facts: bsd_plan(facts, setup, question, wanted, _SYSTEM)),)

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        old, new = parts_of(samples[0]), parts_of(samples[-1])
        before, after = (link_counters(parts.get("interfaces", ""), 8) for parts in (old, new))
        drops = grown(losses(before, _LOST), losses(after, _LOST)) | grown(_queue_drops(old), _queue_drops(new))
        cpus = shares(old.get("times", ""), new.get("times", ""), _CLASSES)
        degrees = re.findall(r"(?m)^dev\.cpu\.(\d+)\.temperature: ([\d.]+)C", new.get("temperatures", ""))
        of_cpus = (
            CpuLoad(number, {kind: share * interval_s for kind, share in cpu.items()})
            for number, cpu in enumerate(cpus)
        )
        machine = MachineLoad(
            cpus=tuple(of_cpus),
            counters=grown(interrupts(old.get("interrupts", "")), interrupts(new.get("interrupts", ""))),
            temperatures_c={f"cpu{cpu}": float(heat) for cpu, heat in degrees},
        )
        percent = {kind: sum(cpu[kind] for cpu in cpus) / len(cpus) * 100 for kind in _CLASSES} if cpus else {}
        return bsd_load((before, after), drops, percent, machine, interval_s)

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        cpu = texts.get("sysctl -n hw.model hw.ncpu", "").strip().splitlines()
        count = int(cpu[1]) if len(cpu) > 1 and cpu[1].isdigit() else 0
        return described(self.name, name, texts, count, {"cpu": cpu[0] if cpu else ""})


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
    found: dict[str, int] = {}
    for row in rows:
        if len(row) == 10 and row[0].isdigit() and row[7].isdigit():
            name = f"netisr {row[2]} QDrops"
            found[name] = found.get(name, 0) + int(row[7])
    return found
