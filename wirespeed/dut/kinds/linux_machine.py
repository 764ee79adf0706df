"""Linux below its network stack: interrupts, queues, rings, offloads, flow control, the packet filter, the clock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wirespeed.cpus import cpu_list
from wirespeed.dut.kinds.undone import no_file, no_interface
from wirespeed.dut.plan import Action, DutStep, Facts, text_of
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import EnvironmentFault

IRQBALANCE = "systemctl is-active irqbalance"
RULESET = "nft list ruleset"
INTERRUPTS = "cat /proc/interrupts"
AFFINITIES = "grep -H . /proc/irq/[0-9]*/smp_affinity_list"
GOVERNORS = "grep -H . /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"
NO_TURBO = "cat /sys/devices/system/cpu/intel_pstate/no_turbo"
BOOST = "cat /sys/devices/system/cpu/cpufreq/boost"
RECORDED = (
    "uname -srvm",
    "cat /proc/sys/net/ipv4/ip_forward",
    "grep -H . /sys/devices/system/cpu/cpu0/cpuidle/state*/name /sys/devices/system/cpu/cpu0/cpuidle/state*/disable",
    "lspci -nn",
)
"""Settings that are recorded with a result and never changed."""

MACHINE_QUESTIONS = (IRQBALANCE, RULESET, GOVERNORS, NO_TURBO, BOOST)
INTERRUPT_QUESTIONS = (INTERRUPTS, AFFINITIES)
MOST_INTERFACES = 64
"""With more, ethtool is asked of those with hardware alone: a process an interface would take seconds for 4 000.
They are found by their devices, since a look at each of 4 000 links takes 0.15 s."""
EACH_INTERFACE = (
    f"nets=$(ls /sys/class/net); [ $(echo $nets | wc -w) -le {MOST_INTERFACES} ] || "
    "nets=$(ls -d /sys/bus/*/devices/*/net/* 2>/dev/null | cut -d/ -f8); for i in $nets; do [ $i = lo ] ||"
)
"""Begin of a shell loop over interfaces `$i`; the collector's own script has other variables."""

_HARMFUL = {"generic-receive-offload": "gro", "large-receive-offload": "lro"}
"""They join packets of a flow before forwarding: work for nothing, and no packets of the size that was sent."""


def machine_steps(facts: Facts, setup: DutSetup) -> tuple[list[DutStep], list[str]]:
    """Steps, and notes on relevant settings that stay unchanged."""
    steps, notes = [], []
    if text_of(facts, IRQBALANCE).strip() == "active":
        do, undo = Action("systemctl stop irqbalance"), Action("systemctl start irqbalance")
        steps.append(DutStep("irqbalance", "running", "stopped", do, undo))
    rules = text_of(facts, RULESET).strip()
    if rules and setup.options.filter.rules == "off":
        steps.append(DutStep("nftables", tables_of(rules), "no rules", Action("nft flush ruleset"), rules_back(rules)))
    elif rules and not setup.options.filter.rules:
        notes.append(
            f"nftables has {tables_of(rules)}, which cost each packet; --filter off removes them during the test"
        )
    steps += _clock_steps(facts, setup)
    return steps, notes


def rules_back(rules: str) -> Action:
    """Replaces all rules of nftables by `rules`, at once."""
    return Action("nft -f -", f"flush ruleset\n{rules}\n")


def tables_of(rules: str) -> str:
    """The names of a ruleset's tables."""
    return ", ".join(re.findall(r"(?m)^table (\S+ \S+)", rules)) or (rules and "rules")


# ---- interrupts


def queue_interrupts(interrupts: str, interface: str) -> tuple[int, ...]:
    """Numbers of the interrupts of an interface's queues, in their order: rows of /proc/interrupts whose last word is
    such as `eth0-TxRx-0` or `eth0-rx-0`. Drivers that name them by the bus (mlx5, virtio) have none that is found."""
    name = re.compile(rf"{re.escape(interface)}-\S*\d+")
    rows = (line.split() for line in interrupts.splitlines())
    return tuple(int(row[0][:-1]) for row in rows if row and row[0][:-1].isdigit() and name.fullmatch(row[-1]))


def interrupt_steps(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    """Queue n of each interface on the n-th of the CPUs."""
    text = text_of(facts, INTERRUPTS)
    cpus = setup.options.cpus or tuple(int(cpu) for cpu in re.findall(r"CPU(\d+)", text.partition("\n")[0]))
    now = dict(re.findall(r"(?m)^/proc/irq/(\d+)/smp_affinity_list:(\S+)$", text_of(facts, AFFINITIES)))
    for name in setup.names:
        for place, irq in enumerate(queue_interrupts(text, name)):
            wanted = cpus[place % len(cpus)]
            before = now.get(str(irq))
            if before is None or cpu_list("affinity", before) == (wanted,):
                continue
            path = f"/proc/irq/{irq}/smp_affinity_list"
            do, undo = Action(f"echo {wanted} > {path}"), Action(f"echo {before} > {path}")
            what, gone = f"interrupt {irq} of {name}", no_file(path)
            yield DutStep(what, f"CPU {before}", f"CPU {wanted}", do, undo, undone_if=gone)


# ---- the clock


def _clock_steps(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    governor, turbo = setup.options.governor, setup.options.turbo
    paths = dict(line.split(":", 1) for line in text_of(facts, GOVERNORS).splitlines())
    if governor and not paths:
        raise EnvironmentFault("the DUT has no CPU governor (no cpufreq); leave --governor out")
    for path, now in paths.items():
        if governor and now != governor:
            cpu = re.search(r"cpu\d+", path.removeprefix("/sys/devices/system/cpu/"))
            yield _written(f"governor of {cpu[0] if cpu else path}", path, now, governor)
    if turbo is None:
        return
    for question, on in ((NO_TURBO, "0"), (BOOST, "1")):
        now, off = text_of(facts, question).strip(), "1" if on == "0" else "0"
        if now:
            wanted = on if turbo else off
            if now != wanted:
                yield _written("turbo", question.removeprefix("cat "), now, wanted)
            return
    raise EnvironmentFault("the DUT has no turbo setting; leave --turbo out")


def _written(what: str, path: str, now: str, wanted: str) -> DutStep:
    do, undo = (Action(f"echo {value} > {path}") for value in (wanted, now))
    return DutStep(what, now, wanted, do, undo, undone_if=no_file(path))


# ---- a NIC


def nic_questions(setup: DutSetup) -> tuple[str, ...]:
    return tuple(
        f"ethtool {flag} {name}{tail}"
        for name in setup.names
        for flag, tail in (("-i", ""), ("-k", ""), ("-l", ""), ("-g", ""), ("-a", ""), ("-n", " rx-flow-hash udp4"))
    )


def nic_steps(facts: Facts, setup: DutSetup, name: str) -> Iterator[DutStep]:
    """Offloads that harm and flow control off; queues and rings as asked for, ports in the hash of several queues."""
    options = setup.options
    features = settings(text_of(facts, f"ethtool -k {name}"))
    for long, short in _HARMFUL.items():
        if features.get(long) == "on":
            do, undo = Action(f"ethtool -K {name} {short} off"), Action(f"ethtool -K {name} {short} on")
            yield DutStep(f"{short} of {name}", "on", "off", do, undo, undone_if=no_interface(name))
    yield from _flow_control(facts, name)
    yield from _queues(facts, name, options.queues)
    yield from _rings(facts, name, options.rx_descriptors, options.tx_descriptors)
    hashed = text_of(facts, f"ethtool -n {name} rx-flow-hash udp4")
    if (options.queues or 0) > 1 and "IP SA" in hashed and "L4 bytes" not in hashed:
        do, undo = (Action(f"ethtool -N {name} rx-flow-hash udp4 {fields}") for fields in ("sdfn", "sd"))
        gone = no_interface(name)
        yield DutStep(f"hash of UDP of {name}", "addresses", "addresses and ports", do, undo, undone_if=gone)


def _flow_control(facts: Facts, name: str) -> Iterator[DutStep]:
    now = settings(text_of(facts, f"ethtool -a {name}"))
    words = {"autoneg": now.get("Autonegotiate", "off"), "rx": now.get("RX", "off"), "tx": now.get("TX", "off")}
    if "on" in (words["rx"], words["tx"]):
        back = " ".join(f"{key} {value}" for key, value in words.items())
        do, undo = Action(f"ethtool -A {name} autoneg off rx off tx off"), Action(f"ethtool -A {name} {back}")
        yield DutStep(f"flow control of {name}", back, "off", do, undo, undone_if=no_interface(name))


def _queues(facts: Facts, name: str, wanted: int | None) -> Iterator[DutStep]:
    if wanted is None:
        return
    most, now = current_and_most(text_of(facts, f"ethtool -l {name}"))
    key = "Combined" if most.get("Combined", "0").isdigit() and int(most.get("Combined", "0")) else "RX"
    _allow(f"queues of {name}", wanted, most.get(key))
    if now.get(key) == str(wanted):
        return
    keys = ["combined"] if key == "Combined" else ["rx", "tx"]
    do, undo = (
        Action(f"ethtool -L {name} {' '.join(f'{one} {value}' for one, value in zip(keys, values, strict=False))}")
        for values in ([wanted] * 2, [now.get("Combined")] if key == "Combined" else [now.get("RX"), now.get("TX")])
    )
    yield DutStep(f"queues of {name}", now.get(key, ""), str(wanted), do, undo, undone_if=no_interface(name))


def _rings(facts: Facts, name: str, rx: int | None, tx: int | None) -> Iterator[DutStep]:
    if rx is None and tx is None:
        return
    most, now = current_and_most(text_of(facts, f"ethtool -g {name}"))
    for key, wanted in (("RX", rx), ("TX", tx)):
        if wanted is None:
            continue
        _allow(f"{key} descriptors of {name}", wanted, most.get(key))
        if now.get(key) != str(wanted):
            do, undo = (Action(f"ethtool -G {name} {key.lower()} {count}") for count in (wanted, now[key]))
            gone = no_interface(name)
            yield DutStep(f"{key} descriptors of {name}", now[key], str(wanted), do, undo, undone_if=gone)


def _allow(what: str, wanted: int, most: str | None) -> None:
    if most is None or not most.isdigit() or int(most) == 0:
        raise EnvironmentFault(f"{what} cannot be set: the driver does not support it; leave it out")
    if wanted > int(most):
        raise EnvironmentFault(f"{what}: {wanted} requested; the driver has at most {most}")


def settings(text: str) -> dict[str, str]:
    """`key: value` rows of ethtool; of a value the first word, `[fixed]` ones left out."""
    rows = (line.strip().partition(":") for line in text.splitlines() if "[fixed]" not in line)
    return {key.strip(): value.split()[0] for key, _, value in rows if value.split()}


def current_and_most(text: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The maximums and the current settings of `ethtool -l` and `-g`."""
    most, _, now = text.partition("Current hardware settings:")
    return settings(most), settings(now)
