"""FreeBSD and OpenBSD as routers: ifconfig, route, arp, ndp, sysctl and pfctl, and how their tables read."""

from __future__ import annotations

import ipaddress
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from wirespeed.dut.kinds.linux_load import parts_of
from wirespeed.dut.kinds.pf_filter import pf_questions, pf_steps
from wirespeed.dut.kinds.pf_states import PfStates
from wirespeed.dut.kinds.undone import lacks
from wirespeed.dut.plan import Action, DutPlan, DutStage, DutStep, Facts, text_of
from wirespeed.dut.setup import STATEFUL, DutSetup, check_filter_of, check_table_by
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.dut_cpu import MachineLoad

INTERFACES = "ifconfig -a"
ROUTES4, ROUTES6 = "netstat -rn -f inet", "netstat -rn -f inet6"
ARP, NDP = "arp -an", "ndp -an"
FILTER = "pfctl -s info"
QUESTIONS = (INTERFACES, ROUTES4, ROUTES6, ARP, NDP, FILTER)
BRIDGE = "bridge99"


class Bsd(ABC):
    """The kernel's forwarding, by ifconfig, route and sysctl. A subclass gives what the systems differ in."""

    name: ClassVar[str]
    boot_question = "sysctl -n kern.boottime"
    prefix = ""
    states: ClassVar[PfStates]
    has_nat_rules: ClassVar[bool]
    """True if pf has rules `nat` and `rdr`, or options of `match` rules."""
    texts: ClassVar[tuple[str, ...]]
    sampled: ClassVar[Mapping[str, str]]
    """Commands whose output is compared under load, by name; `times` and `interfaces` are among them."""
    classes: ClassVar[tuple[str, ...]]
    """The classes that `times` counts ticks of, CPU after CPU."""
    columns: ClassVar[int]
    """Counters at the end of a row of `interfaces`."""
    harmful: ClassVar[str]
    """Options of interfaces that a router must not have."""
    joins: ClassVar[str]
    """The word by which a bridge takes a member."""
    sysctl: ClassVar[str]
    """The command that prints settings, without those that the device does not have."""
    queues_refused: ClassVar[str]
    others_refused: ClassVar[str]

    @abstractmethod
    def wanted(self, setup: DutSetup) -> dict[str, str]:
        """Settings that the setup needs in addition to the named ones."""

    @abstractmethod
    def lost(self, links: Mapping[str, Mapping[str, int]], parts: Mapping[str, str]) -> dict[str, int]:
        """Counters of packets that were lost."""

    @abstractmethod
    def machine(
        self, old: Mapping[str, str], new: Mapping[str, str], cpus: Sequence[Mapping[str, float]], interval_s: float
    ) -> MachineLoad:
        """Interrupts and temperatures; `cpus` are shares of time by class."""

    @property
    def sample(self) -> str:
        """The command that prints what each of `sampled` does, under its name (`parts_of` takes it apart)."""
        return "; ".join(f"echo '==> {name} <=='; {command}" for name, command in self.sampled.items())

    def stages(self, setup: DutSetup) -> Sequence[DutStage]:
        table = ("states", "timeout_s") if setup.options.filter.rules in STATEFUL else ()
        check_filter_of(setup, self.name, ("off", *STATEFUL), table)
        options = setup.options
        if options.queues or options.rx_descriptors or options.tx_descriptors:
            raise UsageError(self.queues_refused)
        if setup.mode == "mpls" or options.workers or options.driver or options.governor or options.turbo is not None:
            raise UsageError(self.others_refused)
        wanted = self.wanted(setup) | options.sysctls
        question = f"{self.sysctl} {' '.join(wanted)}"
        asked = (*QUESTIONS, *pf_questions(setup), *([question] if wanted else []))
        return (DutStage(asked, lambda facts: _plan(facts, setup, question, wanted, self)),)

    def load(self, samples: Sequence[str], interval_s: float) -> DutTelemetry:
        """Packets in and out of the links that were there before and after, losses, and the CPUs' time."""
        old, new = parts_of(samples[0]), parts_of(samples[-1])
        before, after = (_link_counters(parts.get("interfaces", ""), self.columns) for parts in (old, new))
        both = [(before[name], counts) for name, counts in after.items() if name in before]
        drops = grown(self.lost(before, old), self.lost(after, new))
        cpus = _shares(old.get("times", ""), new.get("times", ""), self.classes)
        return DutTelemetry(
            interval_s=interval_s,
            in_packets=sum(now["Ipkts"] - was["Ipkts"] for was, now in both),
            out_packets=sum(now["Opkts"] - was["Opkts"] for was, now in both),
            drop_packets=sum(drops.values()),
            drops=drops,
            cpu_percent={kind: sum(cpu[kind] for cpu in cpus) / len(cpus) * 100 for kind in self.classes if cpus},
            machine=self.machine(old, new, cpus, interval_s),
        )

    def described(self, name: str, texts: Mapping[str, str], cpus: int, details: dict[str, str]) -> DutFacts:
        """With what `uname` and `pfctl` told."""
        version = " ".join(texts.get("uname -a", "").split()[:3:2])
        filtered = "on" if "Status: Enabled" in texts.get(FILTER, "") else "off"
        return DutFacts(name, self.name, version, cpus=tuple(range(cpus)), details=details | {"pf": filtered})


@dataclass(frozen=True)
class BsdInterface:
    """An interface as `ifconfig` shows it: its flags, its options (LRO and such), its addresses with their lengths."""

    flags: frozenset[str]
    options: frozenset[str]
    addresses: frozenset[str]


def links(text: str) -> dict[str, BsdInterface]:
    """`ifconfig -a`."""
    blocks = re.split(r"(?m)^(?=\S+: flags=)", text)
    interfaces = {}
    for block in blocks:
        head = re.match(r"(\S+): flags=\w+<([^>]*)>", block)
        if head:
            options = re.search(r"(?m)^\s+options=\w+<([^>]*)>", block)
            interfaces[head[1]] = BsdInterface(
                frozenset(head[2].split(",")),
                frozenset(options[1].split(",")) if options else frozenset(),
                frozenset(_addresses(block)),
            )
    return interfaces


def _addresses(block: str) -> Iterator[str]:
    for address, mask in re.findall(r"(?m)^\s+inet (\S+) netmask 0x([0-9a-f]{8})", block):
        yield f"{address}/{int(mask, 16).bit_count()}"
    for address, length in re.findall(r"(?m)^\s+inet6 ([0-9a-f:]+)\S* prefixlen (\d+)", block):
        yield f"{ipaddress.ip_address(address)}/{length}"


def routes(text: str) -> dict[str, str]:
    """`netstat -rn`: the gateway of each prefix; 16/8 is 16.0.0.0/8."""
    gateways = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 3 and "/" in words[0]:
            address, _, length = words[0].partition("/")
            if ":" not in address:
                address += ".0" * (3 - address.count("."))
            try:
                gateways[str(ipaddress.ip_network(f"{address}/{length}", strict=False))] = words[1]
            except ValueError:
                continue
    return gateways


def settings(text: str) -> dict[str, str]:
    """`sysctl NAME …`, which prints `name: value` or `name=value`."""
    return dict(re.findall(r"(?m)^([\w.]+)(?:: |=)(.*)$", text))


def _plan(facts: Facts, setup: DutSetup, question: str, wanted: Mapping[str, str], system: Bsd) -> DutPlan:
    """`wanted` are sysctls that `question` asked for."""
    check_table_by(setup, "`route`")
    there = links(text_of(facts, INTERFACES))
    for name in setup.names:
        if name not in there:
            raise UsageError(f"there is no interface {name} on the DUT; it has {', '.join(sorted(there)) or 'none'}")
    steps, notes = [*_filter(facts, setup), *pf_steps(facts, setup, system.has_nat_rules)], []
    if "Status: Enabled" in text_of(facts, FILTER) and not setup.options.filter.rules:
        notes.append("pf is on, which costs each packet; --filter off removes it during the test")
    steps += _settings(text_of(facts, question), wanted)
    for name in setup.names:
        steps += _link(name, there[name], system.harmful)
    if setup.mode == "l2xc":
        return DutPlan((*steps, *_bridge(setup, there, system.joins)), tuple(notes))
    steps += [step for one in setup.interfaces for step in _addressed(one.name, one.addresses, there[one.name])]
    steps += _neighbours(facts, setup)
    steps += _routes(facts, setup)
    return DutPlan((*steps, *_table(setup)), tuple(notes))


def _filter(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    if "Status: Enabled" in text_of(facts, FILTER) and setup.options.filter.rules == "off":
        yield DutStep("pf", "on", "off", Action("pfctl -d"), Action("pfctl -e"))


def _settings(answer: str, wanted: Mapping[str, str]) -> Iterator[DutStep]:
    now = settings(answer)
    for name, value in wanted.items():
        if name not in now:
            raise EnvironmentFault(f"the DUT has no sysctl {name}")
        if now[name] != value:
            do, undo = Action(f"sysctl {name}={value}"), Action(f"sysctl {name}={now[name]}")
            yield DutStep(name, now[name], value, do, undo)


def _link(name: str, link: BsdInterface, harmful: str) -> Iterator[DutStep]:
    on = [option for option in harmful.split() if option in link.options]
    gone = _no_interface(name)
    if on:
        words = [option.lower().replace("_", "") for option in on]
        do = Action(f"ifconfig {name} {' '.join(f'-{word}' for word in words)}")
        undo = Action(f"ifconfig {name} {' '.join(words)}")
        yield DutStep(f"offloads of {name}", " ".join(words), "off", do, undo, undone_if=gone)
    if "UP" not in link.flags:
        do, undo = (Action(f"ifconfig {name} {word}") for word in ("up", "down"))
        yield DutStep(f"link {name}", "down", "up", do, undo, undone_if=gone)


def _no_interface(name: str) -> str:
    return lacks(INTERFACES, f"{name}: flags")


def _family(address: str) -> str:
    return "inet6" if ":" in address else "inet"


def _addressed(name: str, addresses: tuple[str, ...], link: BsdInterface) -> Iterator[DutStep]:
    for address in addresses:
        if address not in link.addresses:
            do = Action(f"ifconfig {name} {_family(address)} {address} alias")
            bare = f"{_family(address)} {address.partition('/')[0]}"
            undo, gone = Action(f"ifconfig {name} {bare} -alias"), lacks(INTERFACES, bare)
            yield DutStep(f"address {address} of {name}", "", "there", do, undo, undone_if=gone)


def _neighbours(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    known = dict(re.findall(r"(?m)^\? \((\S+)\) at ([0-9a-f:]{17}) .*permanent", text_of(facts, ARP)))
    # OpenBSD's table has columns: host, address, interface, expiry.
    known |= dict(re.findall(r"(?m)^([0-9.]+)\s+([0-9a-f:]{17})\s+\S+\s+permanent", text_of(facts, ARP)))
    known |= dict(re.findall(r"(?m)^([0-9a-f:]+)(?:%\S+)?\s+([0-9a-f:]{17})\s+\S+\s+permanent", text_of(facts, NDP)))
    for interface in setup.interfaces:
        for near in interface.neighbours:
            now, mac = known.get(near.address, ""), near.mac.lower()
            if mac and now != mac:
                tool = "ndp" if ":" in near.address else "arp"
                do = Action(f"{tool} -s {near.address} {mac}")
                undo = Action(f"{tool} -s {near.address} {now}" if now else f"{tool} -d {near.address}")
                gone = _no_interface(interface.name) if now else lacks(NDP if tool == "ndp" else ARP, near.address)
                yield DutStep(f"neighbour {near.address} on {interface.name}", now, mac, do, undo, undone_if=gone)


def _routes(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    there = routes(text_of(facts, ROUTES4)) | routes(text_of(facts, ROUTES6))
    for route in setup.routes:
        now = there.get(route.prefix, "")
        if now and now != route.via:
            raise EnvironmentFault(f"the DUT has a route to {route.prefix} by {now} already; remove it first")
        if not now:
            family = _family(route.prefix)
            do, undo = (Action(f"route -n {word} -{family} {route.prefix} {route.via}") for word in ("add", "delete"))
            gone = _no_route(f"-{family} {route.prefix}", route.via)
            yield DutStep(f"route {route.prefix}", "", f"via {route.via}", do, undo, undone_if=gone)


def _no_route(prefix: str, gateway: str) -> str:
    """`route get` of a prefix without a route prints that of a shorter one, or an error."""
    return f"! route -n get {prefix} 2>/dev/null | grep -qwF 'gateway: '{gateway}"


def _table(setup: DutSetup) -> Iterator[DutStep]:
    """One `route` command per prefix. The routes cannot be distinguished from others, so the step is repeated each
    time."""
    dealt = setup.dealt_table()
    if dealt:
        lines = "".join(f"-{_family(prefix)} {prefix} {way.via}\n" for prefix, way in dealt)
        do = Action("while read f p n; do route -qn add $f $p $n > /dev/null || exit 1; done", lines)
        delete = f"route -qn delete $f $p $n > /dev/null || {_no_route('$f $p', '$n')} || exit 1"
        undo = Action(f"while read f p n; do {delete}; done", lines)
        yield DutStep("table", "", f"{len(dealt)} routes", do, undo, timeout_s=3600.0)


def _bridge(setup: DutSetup, there: Mapping[str, BsdInterface], verb: str) -> Iterator[DutStep]:
    if BRIDGE in there:
        return
    members = " ".join(f"{verb} {name}" for name in setup.names)
    make = f"ifconfig {BRIDGE} create && ifconfig {BRIDGE} {members} up"
    undo, gone = Action(f"ifconfig {BRIDGE} destroy"), _no_interface(BRIDGE)
    yield DutStep(f"bridge of {' and '.join(setup.names)}", "", BRIDGE, Action(make), undo, undone_if=gone)


# ---- under load


def _link_counters(text: str, columns: int) -> dict[str, dict[str, int]]:
    """`netstat -in` and `-ibn`: the rows of links; the header names only their last columns."""
    rows = [line.split() for line in text.splitlines()]
    names = rows[0][-columns:] if rows else []
    of_links = [row for row in rows[1:] if len(row) > columns and row[2].startswith("<Link") and row[0][:2] != "lo"]
    return {
        row[0].rstrip("*"): dict(zip(names, map(int, row[-columns:]), strict=True))
        for row in of_links
        if all(map(str.isdigit, row[-columns:]))
    }


def losses(links: Mapping[str, Mapping[str, int]], keys: tuple[str, ...]) -> dict[str, int]:
    return {f"{name} {key}": counters.get(key, 0) for name, counters in links.items() for key in keys}


def grown(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Growth of each counter."""
    return {name: count - before.get(name, 0) for name, count in after.items() if count > before.get(name, 0)}


def _shares(before: str, after: str, classes: tuple[str, ...]) -> list[dict[str, float]]:
    """Ticks by class, CPU after CPU: what share of each one's time was of which class."""
    old, new = ([int(word) for word in re.findall(r"\d+", text)] for text in (before, after))
    shares = []
    for at in range(0, min(len(old), len(new)) - len(classes) + 1, len(classes)):
        ticks = [max(0, now - was) for was, now in zip(old[at : at + len(classes)], new[at:], strict=False)]
        if whole := sum(ticks):
            shares.append({kind: tick / whole for kind, tick in zip(classes, ticks, strict=True)})
    return shares
