"""OpenBSD as a router."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from wirespeed.dut.kinds.bsd import Bsd, grown, losses
from wirespeed.dut.kinds.pf_states import PfStates
from wirespeed.dut.setup import DutSetup
from wirespeed.results.dut import DutFacts
from wirespeed.results.dut_cpu import MachineLoad

_HARDWARE = "sysctl hw.model hw.ncpuonline hw.setperf hw.smt"


class OpenbsdKind(Bsd):
    name = "openbsd"
    has_nat_rules = False
    states = PfStates()
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
    sampled: ClassVar[Mapping[str, str]] = {
        "times": "sysctl -n kern.cp_time",
        "interfaces": "netstat -in",
        "queue": "sysctl net.inet.ip.ifq.drops net.inet6.ip6.ifq.drops",
        "interrupts": "vmstat -i",
        "filter": "pfctl -s info",
        "temperatures": "sysctl hw.sensors",
    }
    classes = ("user", "nice", "system", "spin", "irq", "idle")
    columns = 5
    harmful = ""
    joins = "add"
    sysctl = "sysctl"
    queues_refused = "OpenBSD's drivers choose queues and rings by themselves; leave them out"
    others_refused = "MPLS, workers, driver, governor and turbo are not prepared on OpenBSD"

    def wanted(self, setup: DutSetup) -> dict[str, str]:
        return {} if setup.mode == "l2xc" else {"net.inet.ip.forwarding": "1", "net.inet6.ip6.forwarding": "1"}

    def lost(self, links: Mapping[str, Mapping[str, int]], parts: Mapping[str, str]) -> dict[str, int]:
        lost = losses(links, ("Ifail", "Ofail"))
        queues = re.findall(r"(?m)^net\.(inet6?)\.ip6?\.ifq\.drops=(\d+)$", parts.get("queue", ""))
        congestion = re.findall(r"(?m)^\s+(congestion)\s+(\d+)\s", parts.get("filter", ""))
        lost |= {f"{name} queue": int(count) for name, count in queues}
        return lost | {f"pf {name}": int(count) for name, count in congestion}

    def machine(
        self, old: Mapping[str, str], new: Mapping[str, str], cpus: Sequence[Mapping[str, float]], interval_s: float
    ) -> MachineLoad:
        heat = re.findall(r"(?m)^hw\.sensors\.(\S+?)\.temp\d+=([\d.]+) degC", new.get("temperatures", ""))
        return MachineLoad(
            counters=grown(_interrupts(old), _interrupts(new)),
            temperatures_c={place: float(degrees) for place, degrees in heat},
        )

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        told = dict(re.findall(r"(?m)^hw\.(\w+)=(.*)$", texts.get(_HARDWARE, "")))
        return self.described(name, texts, int(told.get("ncpuonline", "0")), told)


def _interrupts(parts: Mapping[str, str]) -> dict[str, int]:
    rows = re.findall(r"(?m)^(irq\d+/\S+)\s+(\d+)\s+\d+$", parts.get("interrupts", ""))
    return {name: int(total) for name, total in rows}
