"""DANOS and the Vyatta that it is of: its configuration by `vcli`, its dataplane by `vplsh`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wirespeed.dut.kinds.linux_load import parts_of
from wirespeed.dut.plan import Action, DutPlan, DutStage, DutStep, Facts, answered, text_of
from wirespeed.dut.setup import DutSetup, check_filter_of
from wirespeed.errors import UsageError
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.dut_cpu import MachineLoad

CONFIGURATION = "/opt/vyatta/sbin/cli-shell-api showCfg --show-cmds"
_CPU, _INTERFACES = "/opt/vyatta/bin/vplsh -l -c cpu", "/opt/vyatta/bin/vplsh -l -c ifconfig"
LOST = ("rx_missed", "rx_nobuffer", "rx_errors", "tx_dropped_txring", "tx_dropped_hwq", "tx_dropped_proto", "tx_errors")


class DanosKind:
    """DANOS. Changes are committed and not saved: a restart discards them."""

    name = "danos"
    states = None
    boot_question = "cat /proc/sys/kernel/random/boot_id"
    prefix = ""
    texts = (_CPU, _INTERFACES, CONFIGURATION, "uname -srvm", "lscpu")
    sample = f"echo '==> interfaces <=='; {_INTERFACES}; echo '==> cpu <=='; {_CPU}"

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        check_filter_of(setup, "DANOS")
        if setup.mode not in ("ip4", "ip6") or setup.table:
            raise UsageError("DANOS can be prepared for ip4 and ip6 only, without a full table")
        options = setup.options
        if options.queues or options.rx_descriptors or options.tx_descriptors or options.workers or options.driver:
            raise UsageError("DANOS takes queues, descriptors and workers from its driver table; leave them out")
        return (DutStage((CONFIGURATION, _INTERFACES), lambda facts: _plan(facts, setup)),)

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        old, new = parts_of(samples[0]), parts_of(samples[-1])
        before, after = interfaces(old.get("interfaces", "")), interfaces(new.get("interfaces", ""))
        both = [(before[name], now) for name, now in after.items() if name in before]
        drops = {
            f"{name} {key}": count - before[name].get(key, 0)
            for name, counts in after.items()
            for key, count in counts.items()
            if key in LOST and name in before and count > before[name].get(key, 0)
        }
        queues = [
            (f"core {core.get('core')} {queue.get('interface')} queue {queue.get('queue')}", queue.get("rate", 0))
            for core in _json(new.get("cpu", "")).get("lcore", [])
            for queue in core.get("rx", [])
        ]
        return DutTelemetry(
            interval_s=interval_s,
            in_packets=sum(now.get("rx_packets", 0) - was.get("rx_packets", 0) for was, now in both),
            out_packets=sum(now.get("tx_packets", 0) - was.get("tx_packets", 0) for was, now in both),
            drop_packets=sum(drops.values()),
            drops=drops,
            machine=MachineLoad(counters={f"{name} rate": int(rate) for name, rate in queues}),
        )

    def describe(self, name: str, texts: Mapping[str, str]) -> DutFacts:
        cores = [int(core["core"]) for core in _json(texts.get(_CPU, "")).get("lcore", []) if core.get("running")]
        return DutFacts(name, self.name, " ".join(texts.get("uname -srvm", "").split()[:2]), cpus=tuple(cores))


def _plan(facts: Facts, setup: DutSetup) -> DutPlan:
    there = interfaces(answered(facts, _INTERFACES, "the dataplane"))
    for name in setup.names:
        if name not in there:
            raise UsageError(f"there is no interface {name} on the DUT; it has {', '.join(sorted(there)) or 'none'}")
    now = {line.replace("'", "").removeprefix("set ") for line in text_of(facts, CONFIGURATION).splitlines()}
    wanted = [line for line in configuration(setup) if line not in now]
    if not wanted:
        return DutPlan(())
    do, undo = (Action("vcli -f /dev/stdin", _script(word, wanted)) for word in ("set", "delete"))
    return DutPlan((DutStep("configuration", "", "; ".join(wanted), do, undo, timeout_s=120.0),))


def _script(word: str, lines: Sequence[str]) -> str:
    return "".join(["configure\n", *(f"{word} {line}\n" for line in lines), "commit\n"])


def configuration(setup: DutSetup) -> Iterator[str]:
    """The lines after `set`."""
    for interface in setup.interfaces:
        for address in interface.addresses:
            yield f"interfaces dataplane {interface.name} address {address}"
    for interface in setup.interfaces:
        for near in interface.neighbours:
            if near.mac and ":" not in near.address:
                yield f"protocols static arp {near.address} hwaddr {near.mac.lower()}"
    for route in setup.routes:
        yield f"protocols static route{'6' if ':' in route.prefix else ''} {route.prefix} next-hop {route.via}"


def interfaces(text: str) -> dict[str, dict[str, int]]:
    """`ifconfig` of vplsh: the statistics of each interface, by their names."""
    return {
        str(row["name"]): {
            key: int(value) for key, value in {**row, **row.get("statistics", {})}.items() if _is_count(key, value)
        }
        for row in _json(text).get("interfaces", [])
        if "name" in row
    }


def _is_count(key: str, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and re.match(r"[rt]x_", key) is not None


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
