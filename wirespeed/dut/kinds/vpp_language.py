"""Commands that VPP and wirespeed's router share: states, addresses, neighbours, routes, labels, cross connects."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from wirespeed.dut.counter_meanings import meaning
from wirespeed.dut.errors import ErrorCount, parse_errors
from wirespeed.dut.kinds.undone import either, lacks
from wirespeed.dut.plan import Action, DutPlan, DutStep, Facts, answered, text_of
from wirespeed.dut.runtime import ThreadRuntime, node_costs, parse_runtime
from wirespeed.dut.setup import DutRoute, DutSetup, check_table_by
from wirespeed.errors import UsageError
from wirespeed.results.dut import DutTelemetry, NodeCost, WorkerCost

Ask = Callable[[str], str]
"""The shell's command for one of theirs."""

_ROW = re.compile(r"(?P<name>\S+) +\d+ +(?P<state>up|down) ")
SHOWN = (
    "show threads",
    "show runtime",
    "show errors",
    "show hardware-interfaces",
    "show interface",
    "show interface rx-placement",
    "show buffers",
)
"""Commands whose output is kept in a result."""
LOST = ("drops", "rx-miss", "rx-error", "tx-error", "rx-no-buf")
"""Counters of interfaces that are packets gone; the nodes' reasons say why of most of `drops`."""


def boot_question(socket: str) -> str:
    """Identity of the process, by the socket that each process creates. A new process has lost all settings."""
    return f"cat /proc/sys/kernel/random/boot_id; stat -c '%i %Z' {shlex.quote(socket)}"


def questions(ask: Ask, setup: DutSetup) -> tuple[str, ...]:
    check_table_by(setup, "`exec`")
    routes = [_route_question(route.prefix) for route in setup.routes]
    more = ["show mpls fib"] if setup.mode == "mpls" else ["show mode"] if setup.mode == "l2xc" else []
    shows = ["show interface", "show interface addr", "show ip neighbors", *routes, *more]
    return tuple(ask(show) for show in shows)


def quiet(ask: Ask, *commands: str) -> Action:
    """Commands that say nothing when they did what they were told, whatever their exit code."""
    lines = [f'o=$({ask(command)} 2>&1) && [ -z "$o" ] || {{ echo "$o" >&2; exit 1; }}' for command in commands]
    return Action("\n".join(lines))


def plan(ask: Ask, facts: Facts, setup: DutSetup, who: str) -> DutPlan:
    """UsageError for an interface that is not there, EnvironmentFault where `who` does not answer."""
    shown = answered(facts, ask("show interface"), who, ask(""))
    states = {row["name"]: row["state"] for row in map(_ROW.match, shown.splitlines()) if row}
    for name in setup.names:
        if name not in states:
            known = ", ".join(sorted(states)) or "none"
            raise UsageError(f"there is no interface {name} on the DUT; it has {known}")
    steps = []
    for name in setup.names:
        if states[name] != "up":
            do, undo = quiet(ask, f"set interface state {name} up"), quiet(ask, f"set interface state {name} down")
            steps.append(DutStep(f"interface {name}", "down", "up", do, undo))
    if setup.mode == "l2xc":
        return DutPlan(checked(ask, setup, [*steps, *_cross_connect(ask, facts, setup)]))
    steps += [*_addresses(ask, facts, setup), *_neighbours(ask, facts, setup)]
    steps += [step for route in setup.routes for step in _route(ask, facts, route)]
    steps += [*table(ask, setup)]
    return DutPlan(checked(ask, setup, [*steps, *(_labels(ask, facts, setup) if setup.mode == "mpls" else ())]))


def checked(ask: Ask, setup: DutSetup, steps: Sequence[DutStep]) -> tuple[DutStep, ...]:
    """The steps with `undone_if`, by what they change; the messages of the API make the same steps."""
    checks: dict[str, str] = {}
    for interface in setup.interfaces:
        name, gone = interface.name, lacks(ask("show interface"), interface.name)
        checks |= {f"{what} {name}": gone for what in ("interface", "MPLS of", "cross connect of")}
        for address in interface.addresses:
            checks[f"address {address} of {name}"] = lacks(ask("show interface addr"), f"L3 {address}")
        for near in interface.neighbours:
            checks[f"neighbour {near.address} on {name}"] = either(gone, lacks(ask("show ip neighbors"), near.address))
    for route in setup.routes:
        path = f"{route.via} {route.interface}"
        checks[f"route {route.prefix}"] = lacks(ask(_route_question(route.prefix)), path)
    checks |= {f"label {label.label}": lacks(ask("show mpls fib"), f"{label.label}:eos") for label in setup.labels}
    return tuple(replace(step, undone_if=checks.get(step.what, "")) for step in steps)


def _addresses(ask: Ask, facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    there = set()
    name = ""
    for line in text_of(facts, ask("show interface addr")).splitlines():
        head = re.match(r"(\S+) \((?:up|dn)\):", line)
        name = head[1] if head else name
        there |= {(name, address) for address in re.findall(r"^\s+L3 (\S+)", line)}
    for interface in setup.interfaces:
        for address in interface.addresses:
            if (interface.name, address) not in there:
                do = quiet(ask, f"set interface ip address {interface.name} {address}")
                undo = quiet(ask, f"set interface ip address del {interface.name} {address}")
                yield DutStep(f"address {address} of {interface.name}", "", "there", do, undo)


def _neighbours(ask: Ask, facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    rows = re.findall(
        r"(?m)^\s*[\d.]+\s+(\S+)\s+(\w+)\s+([0-9a-f:]{17})\s+(\S+)", text_of(facts, ask("show ip neighbors"))
    )
    static = {(name, address): mac for address, flags, mac, name in rows if "S" in flags}
    for interface in setup.interfaces:
        for near in interface.neighbours:
            now, mac = static.get((interface.name, near.address), ""), near.mac.lower()
            if not mac or now == mac:
                continue
            do = quiet(ask, f"set ip neighbor {interface.name} {near.address} {mac} static")
            back = f"set ip neighbor {interface.name} {near.address} {now} static"
            undo = quiet(ask, back if now else f"set ip neighbor del {interface.name} {near.address} {mac}")
            yield DutStep(f"neighbour {near.address} on {interface.name}", now, mac, do, undo)


def _route_question(prefix: str) -> str:
    return f"show ip{'6' if ':' in prefix else ''} fib {prefix}"


def _route(ask: Ask, facts: Facts, route: DutRoute) -> Iterator[DutStep]:
    shown = text_of(facts, ask(_route_question(route.prefix)))
    path = f"via {route.via} {route.interface}"
    entry = re.search(rf"(?ms)^{re.escape(route.prefix)} .*?(?=^\S|\Z)", shown)
    if entry and re.search(rf"\b{re.escape(route.via)} {re.escape(route.interface)}\b", entry[0]):
        return
    do, undo = (quiet(ask, f"ip route {word} {route.prefix} {path}") for word in ("add", "del"))
    yield DutStep(f"route {route.prefix}", "", path, do, undo)


def table(ask: Ask, setup: DutSetup) -> Iterator[DutStep]:
    """By a file on the device that `exec` reads. The routes cannot be distinguished from others, so the step is
    repeated each time."""
    dealt = setup.dealt_table()
    if not dealt:
        return
    file = "/tmp/wirespeed-table"
    lines = [f"{prefix} via {way.via} {way.interface}" for prefix, way in dealt]
    add = "".join(f"ip route add {line}\n" for line in lines)
    run = f"cat > {file}; {{ {ask(f'exec {file}')}; }} > /dev/null; r=$?; rm -f {file}; exit $r"
    remove = "".join(f"ip route del {line}\n" for line in lines)
    yield DutStep("table", "", f"{len(lines)} routes", Action(run, add), Action(run, remove), timeout_s=600.0)


def _labels(ask: Ask, facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    fib = text_of(facts, ask("show mpls fib"))
    if not fib.strip():
        yield DutStep("MPLS table", "", "there", quiet(ask, "mpls table add 0"), quiet(ask, "mpls table del 0"))
    for name in setup.names:
        do, undo = (quiet(ask, f"set interface mpls {name} {word}") for word in ("enable", "disable"))
        if not any(re.search(rf"(?m)^{label.label}:eos", fib) for label in setup.labels):
            yield DutStep(f"MPLS of {name}", "", "on", do, undo)
    for label in setup.labels:
        if re.search(rf"(?m)^{label.label}:eos", fib):
            continue
        path = f"{label.label} eos via {label.via} {label.interface}"
        do, undo = (quiet(ask, f"mpls local-label {word} {path}") for word in ("add", "del"))
        yield DutStep(f"label {label.label}", "", path, do, undo)


def _cross_connect(ask: Ask, facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    mode = text_of(facts, ask("show mode"))
    for here, there in zip(setup.names[::2], setup.names[1::2], strict=True):
        for one, other in ((here, there), (there, here)):
            if not re.search(rf"(?m)^l2 xconnect {re.escape(one)}\b.*\b{re.escape(other)}\b", mode):
                do, undo = quiet(ask, f"set interface l2 xconnect {one} {other}"), quiet(ask, f"set interface l3 {one}")
                yield DutStep(f"cross connect of {one}", "", f"to {other}", do, undo)


# ---- under load


def interface_counters(text: str) -> dict[str, int]:
    """`show interface`: counters by `INTERFACE COUNTER`."""
    counters: dict[str, int] = {}
    name = ""
    for line in text.splitlines():
        row = _ROW.match(line)
        name = row["name"] if row else name
        counter = re.search(r"(?:^|\s)((?:[a-z][\w-]*)(?: [a-z]+)*) {2,}(\d+)\s*$", line)
        if name and counter:
            counters[f"{name} {counter[1]}"] = int(counter[2])
    return counters


def telemetry(
    runtimes: list[str], errors: tuple[str, str], interfaces: tuple[str, str], tsc_hz: int, interval_s: float
) -> DutTelemetry:
    """`runtimes` are each of a time of its own, one after the other; errors and interfaces are counted on."""
    old, new = (interface_counters(text) for text in interfaces)
    grown = {name: count - old.get(name, 0) for name, count in new.items() if count > old.get(name, 0)}
    first, last = ({(row.node, row.reason): row for row in parse_errors(text)} for text in errors)
    reasons = [(row, row.count - (first[key].count if key in first else 0)) for key, row in last.items()]
    lost = {name: count for name, count in grown.items() if name.endswith(LOST)}
    return DutTelemetry(
        interval_s=interval_s,
        workers=_workers([parse_runtime(text) for text in runtimes], tsc_hz, interval_s),
        in_packets=sum(count for name, count in grown.items() if name.endswith(" rx packets")),
        out_packets=sum(count for name, count in grown.items() if name.endswith(" tx packets")),
        drop_packets=sum(lost.values()),
        drops=_named(reasons, are_drops=True) | lost,
        events=_named(reasons, are_drops=False),
    )


def _named(reasons: list[tuple[ErrorCount, int]], *, are_drops: bool) -> dict[str, int]:
    """Counters of nodes by `node: reason`: packets that they dropped, or processed in another special way."""
    return {
        f"{row.node}: {row.reason}": count
        for row, count in reasons
        if count > 0 and (meaning(row) == "drop") == are_drops
    }


def _workers(rounds: list[tuple[ThreadRuntime, ...]], tsc_hz: int, interval_s: float) -> tuple[WorkerCost, ...]:
    """Each worker's nodes, summed over the rounds; the main thread forwards nothing."""
    names = dict.fromkeys(thread.name for threads in rounds for thread in threads if not thread.name.endswith("_main"))
    workers = []
    for name in names:
        threads = [thread for threads in rounds for thread in threads if thread.name == name]
        nodes: dict[str, NodeCost] = {}
        for cost in node_costs(threads):
            nodes[cost.name] = _sum(nodes[cost.name], cost) if cost.name in nodes else cost
        ran = tuple(node for _, node in sorted(nodes.items()) if node.calls)
        clocks = sum(node.clocks for node in ran)
        loops = round(sum(thread.loops_per_s * interval_s / len(threads) for thread in threads))
        workers.append(WorkerCost(name, None, interval_s, tsc_hz, loops, max(round(interval_s * tsc_hz), clocks), ran))
    return tuple(workers)


def _sum(cost: NodeCost, other: NodeCost) -> NodeCost:
    return replace(
        cost,
        calls=cost.calls + other.calls,
        vectors=cost.vectors + other.vectors,
        clocks=cost.clocks + other.clocks,
        suspends=cost.suspends + other.suspends,
    )
