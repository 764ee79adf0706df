"""Forwarding state of Linux: links, addresses, neighbours, routes, labels, bridges, and the settings under
/proc/sys."""

from __future__ import annotations

import ipaddress
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wirespeed.dut.kinds.linux_table import table_questions, table_steps
from wirespeed.dut.kinds.undone import either, lacks, no_file, no_interface
from wirespeed.dut.plan import Action, DutStep, Facts, text_of
from wirespeed.dut.setup import DutRoute, DutSetup
from wirespeed.errors import EnvironmentFault

NEIGHBOURS = "ip -j neigh show nud permanent"
LABELS = "ip -j -f mpls route show"
SWITCHES = "ip -j netconf show"
"""Interfaces that forward, in one answer of the kernel: a file for each would take seconds with thousands of them."""
REDIRECTS = "/proc/sys/net/ipv4/conf/all/accept_redirects"
_FORWARDING_OF_ALL = {
    "/proc/sys/net/ipv4/ip_forward": ("inet", "ipv4"),
    "/proc/sys/net/ipv4/conf/all/forwarding": ("inet", "ipv4"),
    "/proc/sys/net/ipv6/conf/all/forwarding": ("inet6", "ipv6"),
}
"""Settings that turn over those of each interface, the family's name in `SWITCHES`, and that below /proc/sys/net."""
BRIDGE = "wsxconnect"
_PLATFORM_LABELS = "/proc/sys/net/mpls/platform_labels"


def network_questions(setup: DutSetup) -> tuple[str, ...]:
    routes = [_route_question(route.prefix) for route in setup.routes]
    settings = [_setting_question(path) for path in wanted_settings(setup)]
    labels = [LABELS] if setup.mode == "mpls" else []
    interfaces = (links_question(setup), _each("addr", setup.names))
    return (
        *interfaces,
        NEIGHBOURS,
        SWITCHES,
        _setting_question(REDIRECTS),
        *routes,
        *settings,
        *labels,
        *table_questions(setup),
    )


def links_question(setup: DutSetup) -> str:
    return _each("link", (*setup.names, BRIDGE))


def links_of(facts: Facts, setup: DutSetup) -> dict[str, Any]:
    """Links of the setup that exist, by name."""
    return {str(link["ifname"]): link for link in _rows(text_of(facts, links_question(setup)))}


def _each(what: str, names: Sequence[str]) -> str:
    """A question about these interfaces alone: a device may have thousands."""
    return f"for i in {shlex.join(names)}; do ip -j {what} show dev $i; done 2>/dev/null; true"


def _rows(text: str) -> list[dict[str, Any]]:
    """The answer: a list in a line for each interface that is there."""
    return [row for line in text.splitlines() for row in json.loads(line)]


def wanted_settings(setup: DutSetup) -> dict[str, str]:
    """Files under /proc/sys and what they are to hold, in an order in which one does not undo another."""
    if setup.mode == "l2xc":
        wanted = {}
    elif setup.mode == "mpls":
        wanted = {_PLATFORM_LABELS: "1024"}
        wanted |= {f"/proc/sys/net/mpls/conf/{name}/input": "1" for name in setup.names}
    else:
        wanted = {}
    if setup.mode != "l2xc":
        wanted["/proc/sys/net/ipv4/ip_forward"] = "1"
        if setup.mode == "ip6" or any(":" in address for one in setup.interfaces for address in one.addresses):
            wanted["/proc/sys/net/ipv6/conf/all/forwarding"] = "1"
        for name in ("all", *setup.names):
            wanted[f"/proc/sys/net/ipv4/conf/{name}/rp_filter"] = "0"
            wanted[f"/proc/sys/net/ipv4/conf/{name}/send_redirects"] = "0"
    return wanted | {f"/proc/sys/{key.replace('.', '/')}": value for key, value in setup.options.sysctls.items()}


def network_steps(facts: Facts, setup: DutSetup, links: Mapping[str, Any]) -> list[DutStep]:
    steps = [] if setup.mode != "mpls" else list(_mpls_module(facts))
    if setup.mode == "l2xc":
        return [*steps, *_settings(facts, setup), *_bridge(setup, links), *_links_up(setup, links)]
    steps += _links_up(setup, links)
    steps += _settings(facts, setup)
    steps += _addresses(facts, setup)
    steps += _neighbours(facts, setup)
    steps += [step for route in setup.routes for step in _route(facts, route)]
    steps += table_steps(facts, setup)
    return steps + (list(_labels(facts, setup)) if setup.mode == "mpls" else [])


def _links_up(setup: DutSetup, links: Mapping[str, Any]) -> Iterator[DutStep]:
    for name in setup.names:
        if "UP" not in links[name].get("flags", ()):
            down = Action(f"ip link set dev {name} down")
            up = Action(f"ip link set dev {name} up")
            yield DutStep(f"link {name}", "down", "up", up, down, undone_if=no_interface(name))


# ---- settings


def _setting_question(path: str) -> str:
    return f"cat {path}"


def _settings(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    for path, value in wanted_settings(setup).items():
        ran = facts[_setting_question(path)]
        now = ran.out.strip() if ran.code == 0 else None
        if now is None and "/mpls/" not in path:
            raise EnvironmentFault(f"this kernel has no {path}: {ran.why}")
        if now != value:
            do, back = Action(f"echo {value} > {path}"), _back(facts, path, now or "0")
            yield DutStep(path, now or "", value, do, back, undone_if=no_file(path))


def _back(facts: Facts, path: str, now: str) -> Action:
    """Set `path` to `now` again. Where that turns over each interface's own setting, those of other values follow: on
    standard input, because a command cannot be as long as thousands of interfaces need."""
    command = f"echo {now} > {path}"
    if path not in _FORWARDING_OF_ALL:
        return Action(command)
    family, folder = _FORWARDING_OF_ALL[path]
    if family == "inet":
        command += f"\necho {text_of(facts, _setting_question(REDIRECTS)).strip()} > {REDIRECTS}"
    own = [
        row["interface"]
        for row in json.loads(text_of(facts, SWITCHES) or "[]")
        if row["family"] == family and row["interface"] != "all" and row.get("forwarding") != (now != "0")
    ]
    if not own:
        return Action(command)
    value = "1" if now == "0" else "0"
    file = f"/proc/sys/net/{folder}/conf/$i/forwarding"
    each = f"while read -r i; do test ! -e {file} || echo {value} > {file}; done"
    return Action(f"{command}\n{each}", "".join(f"{name}\n" for name in own))


# ---- addresses, neighbours, routes


def _addresses(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    rows = _rows(text_of(facts, _each("addr", setup.names)))
    there = {
        (str(row["ifname"]), f"{info['local']}/{info['prefixlen']}")
        for row in rows
        for info in row.get("addr_info", ())
    }
    for interface in setup.interfaces:
        for address in interface.addresses:
            prefix = ipaddress.ip_interface(address).with_prefixlen
            if (interface.name, prefix) not in there:
                no_dad = " nodad" if ":" in prefix else ""
                do = f"ip addr add {prefix} dev {interface.name}{no_dad}"
                yield DutStep(
                    f"address {prefix} of {interface.name}",
                    "",
                    "there",
                    Action(do),
                    Action(f"ip addr del {prefix} dev {interface.name}"),
                    undone_if=either(
                        no_interface(interface.name), lacks(f"ip -o addr show dev {interface.name}", prefix)
                    ),
                )


def _neighbours(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    rows = json.loads(text_of(facts, NEIGHBOURS) or "[]")
    there = {(str(row["dev"]), str(row["dst"])): str(row.get("lladdr", "")) for row in rows}
    for interface in setup.interfaces:
        for near in interface.neighbours:
            now, mac = there.get((interface.name, near.address), ""), near.mac.lower()
            if not mac or now == mac:
                continue
            replace = f"ip neigh replace {near.address} dev {interface.name} nud permanent lladdr"
            back = f"{replace} {now}" if now else f"ip neigh del {near.address} dev {interface.name}"
            entries = f"ip neigh show dev {interface.name} nud permanent"
            checks = [no_interface(interface.name), *([] if now else [lacks(entries, near.address)])]
            yield DutStep(
                f"neighbour {near.address} on {interface.name}",
                now,
                mac,
                Action(f"{replace} {mac}"),
                Action(back),
                undone_if=either(*checks),
            )


def _family(prefix: str) -> str:
    return "-6" if ":" in prefix else "-4"


def _route_question(prefix: str) -> str:
    return f"ip -j {_family(prefix)} route show exact {prefix}"


def _route(facts: Facts, route: DutRoute) -> Iterator[DutStep]:
    rows = json.loads(text_of(facts, _route_question(route.prefix)) or "[]")
    ways = [(str(row.get("gateway", "")), str(row.get("dev", ""))) for row in rows]
    if ways == [(route.via, route.interface)]:
        return
    command = f"ip {_family(route.prefix)} route"
    path = f"via {route.via} dev {route.interface}"
    back = f"{command} del {route.prefix} {path}"
    if rows:
        # Routes are saved as `ip` prints them, so that metrics and sources are restored as well.
        saved = f"{command} show exact {route.prefix}"
        raise EnvironmentFault(
            f"the DUT has a route to {route.prefix} by {' '.join(ways[0])} already (`{saved}`); remove it first"
        )
    do, gone = Action(f"{command} add {route.prefix} {path}"), lacks(f"{command} show exact {route.prefix}", path)
    yield DutStep(f"route {route.prefix}", "", path, do, Action(back), undone_if=gone)


# ---- labels and bridges


def _mpls_module(facts: Facts) -> Iterator[DutStep]:
    if facts[_setting_question(_PLATFORM_LABELS)].code:
        modules = "mpls_router mpls_iptunnel"
        load = Action(f"modprobe -a {modules} && test -e {_PLATFORM_LABELS}")
        yield DutStep("MPLS of the kernel", "not loaded", modules, load, Action(f"modprobe -r -a {modules}"))


def _labels(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    there = {str(row.get("dst")): row for row in json.loads(text_of(facts, LABELS) or "[]")}
    for label in setup.labels:
        row = there.get(str(label.label), {})
        via = row.get("via", {})
        if (via.get("host"), row.get("dev")) == (label.via, label.interface):
            continue
        family = "inet6" if ":" in label.via else "inet"
        path = f"via {family} {label.via} dev {label.interface}"
        do, back = f"ip -f mpls route add {label.label} {path}", f"ip -f mpls route del {label.label} {path}"
        gone = lacks(f"ip -f mpls route show {label.label}", path)
        yield DutStep(f"label {label.label}", "", path, Action(do), Action(back), undone_if=gone)


def _bridge(setup: DutSetup, links: Mapping[str, Any]) -> Iterator[DutStep]:
    """Two ports of a bridge without learning or spanning tree are a cross connect: what one takes the other sends."""
    if BRIDGE not in links:
        make = f"ip link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0 && ip link set {BRIDGE} up"
        undo, gone = Action(f"ip link del {BRIDGE}"), no_interface(BRIDGE)
        yield DutStep(f"bridge {BRIDGE}", "", "there", Action(make), undo, undone_if=gone)
    for name in setup.names:
        master = str(links[name].get("master", ""))
        if master == BRIDGE:
            continue
        if master:
            raise EnvironmentFault(f"interface {name} is a member of {master} already; remove it first")
        join = f"ip link set {name} master {BRIDGE} && bridge link set dev {name} learning off"
        leave = Action(f"ip link set {name} nomaster")
        yield DutStep(f"bridge of {name}", "", BRIDGE, Action(join), leave, undone_if=no_interface(name))
