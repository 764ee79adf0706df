"""Linux as a router: its queries, and the order of its preparation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wirespeed.dut.kinds.linux_filter import bypass_notes, check_linux_filter, filter_stages
from wirespeed.dut.kinds.linux_load import SAMPLE, TEXTS, linux_load, table_by_cpu
from wirespeed.dut.kinds.linux_machine import (
    INTERRUPT_QUESTIONS,
    MACHINE_QUESTIONS,
    RECORDED,
    interrupt_steps,
    machine_steps,
    nic_questions,
    nic_steps,
    tables_of,
)
from wirespeed.dut.kinds.linux_network import links_of, links_question, network_questions, network_steps
from wirespeed.dut.kinds.linux_states import LinuxStates
from wirespeed.dut.plan import DutPlan, DutStage, DutStep, Facts, text_of
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import UsageError
from wirespeed.results.dut import DutFacts, DutTelemetry

NAMES = "ls /sys/class/net"
_MOST_NAMED = 20


class LinuxKind:
    """The kernel's forwarding, by iproute2, sysctl and ethtool."""

    name = "linux"
    boot_question = "cat /proc/sys/kernel/random/boot_id"
    prefix = ""

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        options = setup.options
        for given, name in ((options.driver, "driver"), (options.devargs, "devargs"), (options.workers, "workers")):
            if given:
                raise UsageError(
                    f"a Linux kernel has no setting {name}; leave it out: it is for VPP and the wirespeed router"
                )
        check_linux_filter(setup)
        below = (NAMES, links_question(setup), *MACHINE_QUESTIONS, *nic_questions(setup))
        return (
            # Rings and queues first: drivers take their links down for them. Interrupts of queues are there once the
            # links are up.
            DutStage(below, lambda facts: _below(facts, setup)),
            DutStage(
                (links_question(setup), *network_questions(setup)), lambda facts: DutPlan(tuple(_network(facts, setup)))
            ),
            *filter_stages(setup),
            DutStage(INTERRUPT_QUESTIONS, lambda facts: DutPlan(tuple(interrupt_steps(facts, setup)))),
        )

    states = LinuxStates()
    texts = (*TEXTS, *RECORDED)
    sample = SAMPLE

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        return linux_load(samples[0], samples[-1], interval_s)

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        model = re.search(r"(?m)^Model name: *(.+)$", texts.get("lscpu", ""))
        forwards = texts.get("cat /proc/sys/net/ipv4/ip_forward", "").strip()
        details = {"ip_forward": forwards, "cpu": model[1] if model else ""}
        rules = tables_of(texts.get("nft list ruleset", ""))
        return DutFacts(
            name=name,
            kind=self.name,
            version=" ".join(texts.get("uname -srvm", "").split()[:2]),
            cpus=tuple(table_by_cpu(texts.get("cat /proc/interrupts", ""))),
            details={key: value for key, value in (details | {"nftables": rules}).items() if value},
        )


def _below(facts: Facts, setup: DutSetup) -> DutPlan:
    """UsageError for an interface that is not there."""
    links = links_of(facts, setup)
    for name in setup.names:
        if name not in links:
            there = text_of(facts, NAMES).split()
            more = f" and {len(there) - _MOST_NAMED} more" if len(there) > _MOST_NAMED else ""
            listed = ", ".join(there[:_MOST_NAMED])
            raise UsageError(f"there is no interface {name} on the DUT; it has {listed}{more}")
    steps, notes = machine_steps(facts, setup)
    if not setup.options.filter.rules:
        notes += bypass_notes(facts, setup)
    return DutPlan((*steps, *(step for name in setup.names for step in nic_steps(facts, setup, name))), tuple(notes))


def _network(facts: Facts, setup: DutSetup) -> list[DutStep]:
    return network_steps(facts, setup, links_of(facts, setup))
