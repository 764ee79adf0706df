"""OpenBSD as a router."""

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
from wirespeed.results.dut_cpu import MachineLoad

_SYSTEM = System("", "add")
_SAMPLED = {
    "times": "sysctl -n kern.cp_time",
    "interfaces": "netstat -in",
    "queue": "sysctl net.inet.ip.ifq.drops net.inet6.ip6.ifq.drops",
    "interrupts": "vmstat -i",
    "filter": "pfctl -s info",
    "temperatures": "sysctl hw.sensors",
}
_HARDWARE = "sysctl hw.model hw.ncpuonline hw.setperf hw.smt"
_CLASSES = ("user", "nice", "system", "spin", "irq", "idle")


class OpenbsdKind:
    """The kernel's forwarding, by ifconfig, route and sysctl."""

    name = "openbsd"
    boot_question = "sysctl -n kern.boottime"
    prefix = ""
    texts = (
        "uname -a",
        _HARDWARE,
        "ifconfig -a",
        "netstat -m",
        "vmstat -i",
        "systat -b mbufs",
        "top -bSH -d1 20",
        "pfctl -s info",
        "kstat",
    )
    sample = sampled(_SAMPLED)

    def stages(self, setup: DutSetup) -> Sequence[Stage]:
        options = setup.options
        if options.queues or options.rx_descriptors or options.tx_descriptors:
            raise UsageError("OpenBSD's drivers choose queues and rings by themselves; leave them out")
        if setup.mode == "mpls" or options.workers or options.driver or options.governor or options.turbo is not None:
            raise UsageError("MPLS, workers, driver, governor and turbo are not prepared on OpenBSD")
        wanted = {} if setup.mode == "l2xc" else {"net.inet.ip.forwarding": "1", "net.inet6.ip6.forwarding": "1"}
        wanted |= options.sysctls
        question = f"sysctl {' '.join(wanted)}"
        asked = (*QUESTIONS, question) if wanted else QUESTIONS
        return (Stage(asked, lambda facts: bsd_plan(facts, setup, question, wanted, _SYSTEM)),)

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        old, new = parts_of(samples[0]), parts_of(samples[-1])
        before, after = (link_counters(parts.get("interfaces", ""), 5) for parts in (old, new))
        drops = grown(_lost(before, old), _lost(after, new))
        cpu = next(iter(shares(old.get("times", ""), new.get("times", ""), _CLASSES)), {})
        heat = re.findall(r"(?m)^hw\.sensors\.(\S+?)\.temp\d+=([\d.]+) degC", new.get("temperatures", ""))
        machine = MachineLoad(
            counters=grown(_interrupts(old), _interrupts(new)),
            temperatures_c={place: float(degrees) for place, degrees in heat},
        )
        percent = {kind: share * 100 for kind, share in cpu.items()}
        return bsd_load((before, after), drops, percent, machine, interval_s)

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        told = dict(re.findall(r"(?m)^hw\.(\w+)=(.*)$", texts.get(_HARDWARE, "")))
        return described(self.name, name, texts, int(told.get("ncpuonline", "0")), told)


def _lost(links: Mapping[str, Mapping[str, int]], parts: Mapping[str, str]) -> dict[str, int]:
    lost = losses(links, ("Ifail", "Ofail"))
    queues = re.findall(r"(?m)^net\.(inet6?)\.ip6?\.ifq\.drops=(\d+)$", parts.get("queue", ""))
    congestion = re.findall(r"(?m)^\s+(congestion)\s+(\d+)\s", parts.get("filter", ""))
    lost |= {f"{name} queue": int(count) for name, count in queues}
    return lost | {f"pf {name}": int(count) for name, count in congestion}


def _interrupts(parts: Mapping[str, str]) -> dict[str, int]:
    rows = re.findall(r"(?m)^(irq\d+/\S+)\s+(\d+)\s+\d+$", parts.get("interrupts", ""))
    return {name: int(total) for name, total in rows}
