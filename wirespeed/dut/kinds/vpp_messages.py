"""Changes of VPP by its binary API, if it is available: the same as in `vpp_language`, each as a message with an
answer. A full table is sent as a file for `exec`, which VPP takes fastest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import ip_interface
from typing import Any

from wirespeed.dut.kinds.vpp_language import Ask, checked, table
from wirespeed.dut.plan import Action, DutPlan, DutStep, Facts
from wirespeed.dut.reach.api_reach import message
from wirespeed.dut.setup import DutLabel, DutRoute, DutSetup
from wirespeed.errors import UsageError

_ALL = 0xFFFFFFFF
_UP = 1
_STATIC = 1
_LABELS = 16
VERSION = message("show_version")
_INTERFACES = message("sw_interface_dump")
_CONNECTED = message("l2_xconnect_dump")
_LABELLING = message("mpls_interface_dump", sw_if_index=_ALL)
_LABELLED = message("mpls_route_dump", table={"mt_table_id": 0})


def questions(setup: DutSetup) -> tuple[str, ...]:
    if setup.mode == "l2xc":
        return (VERSION, _INTERFACES, _CONNECTED)
    addresses = [_addresses(name, is_ip6) for name in setup.names for is_ip6 in (False, True)]
    neighbours = [_neighbours(name, is_ip6) for name in setup.names for is_ip6 in (False, True)]
    routes = [_route(route.prefix) for route in setup.routes]
    more = [_LABELLING, _LABELLED] if setup.mode == "mpls" else []
    return (VERSION, _INTERFACES, *addresses, *neighbours, *routes, *more)


def is_there(facts: Facts) -> bool:
    """True if the API answered."""
    return VERSION in facts and facts[VERSION].code == 0


def plan(ask: Ask, facts: Facts, setup: DutSetup) -> DutPlan:
    """UsageError for an interface that is not there."""
    faces = {face["interface_name"]: face for face in _told(facts, _INTERFACES)}
    for name in setup.names:
        if name not in faces:
            known = ", ".join(sorted(faces)) or "none"
            raise UsageError(f"there is no interface {name} on the DUT; it has {known}")
    steps = []
    for name in setup.names:
        if not faces[name]["flags"] & _UP:
            do, undo = (_send("sw_interface_set_flags", sw_if_index=f"@{name}", flags=flags) for flags in (_UP, 0))
            steps.append(DutStep(f"interface {name}", "down", "up", do, undo))
    if setup.mode == "l2xc":
        return DutPlan(checked(ask, setup, [*steps, *_cross_connects(facts, setup, faces)]))
    steps += [*_new_addresses(facts, setup), *_new_neighbours(facts, setup)]
    steps += [step for route in setup.routes for step in _new_route(facts, route, faces)]
    steps += [*table(ask, setup)]
    return DutPlan(checked(ask, setup, [*steps, *(_new_labels(facts, setup, faces) if setup.mode == "mpls" else ())]))


# ---- questions


def _addresses(name: str, is_ip6: bool) -> str:
    return message("ip_address_dump", sw_if_index=f"@{name}", is_ipv6=is_ip6)


def _neighbours(name: str, is_ip6: bool) -> str:
    return message("ip_neighbor_dump", sw_if_index=f"@{name}", af=int(is_ip6))


def _route(prefix: str) -> str:
    return message("ip_route_lookup", table_id=0, exact=1, prefix=prefix)


def _told(facts: Facts, question: str) -> Any:
    """The answer, an empty list where there was none: such as no route there."""
    ran = facts.get(question)
    return json.loads(ran.out) if ran is not None and ran.code == 0 and ran.out.strip() else []


# ---- changes


def _send(name: str, **fields: Any) -> Action:
    return Action(message(name, **fields))


def _new_addresses(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    for interface in setup.interfaces:
        rows = [*_told(facts, _addresses(interface.name, False)), *_told(facts, _addresses(interface.name, True))]
        there = {ip_interface(row["prefix"]) for row in rows}
        for address in interface.addresses:
            if ip_interface(address) not in there:
                given = {"sw_if_index": f"@{interface.name}", "prefix": address}
                do, undo = (_send("sw_interface_add_del_address", is_add=is_add, **given) for is_add in (True, False))
                yield DutStep(f"address {address} of {interface.name}", "", "there", do, undo)


def _new_neighbours(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    for interface in setup.interfaces:
        rows = [*_told(facts, _neighbours(interface.name, False)), *_told(facts, _neighbours(interface.name, True))]
        static = {
            str(row["neighbor"]["ip_address"]): str(row["neighbor"]["mac_address"]).lower()
            for row in rows
            if row["neighbor"]["flags"] & _STATIC
        }
        for near in interface.neighbours:
            now, mac = static.get(near.address, ""), near.mac.lower()
            if not mac or now == mac:
                continue
            do = _neighbour(True, interface.name, near.address, mac)
            undo = _neighbour(bool(now), interface.name, near.address, now or mac)
            yield DutStep(f"neighbour {near.address} on {interface.name}", now, mac, do, undo)


def _neighbour(is_add: bool, name: str, address: str, mac: str) -> Action:
    given = {"sw_if_index": f"@{name}", "flags": _STATIC, "mac_address": mac, "ip_address": address}
    return _send("ip_neighbor_add_del", is_add=is_add, neighbor=given)


def _new_route(facts: Facts, route: DutRoute, faces: dict[str, Any]) -> Iterator[DutStep]:
    told = _told(facts, _route(route.prefix))
    out = faces[route.interface]["sw_if_index"]
    family = "ip6" if ":" in route.via else "ip4"
    for path in told["route"]["paths"] if told else ():
        if path["sw_if_index"] == out and path["nh"]["address"].get(family) == route.via:
            return
    given = {"table_id": 0, "prefix": route.prefix, "n_paths": 1, "paths": [_path(route)]}
    do, undo = (_send("ip_route_add_del", is_add=add, is_multipath=True, route=given) for add in (True, False))
    yield DutStep(f"route {route.prefix}", "", f"via {route.via} {route.interface}", do, undo)


def _path(way: DutRoute | DutLabel) -> dict[str, Any]:
    is_ip6 = ":" in way.via
    near = {"address": {"ip6" if is_ip6 else "ip4": way.via}, "via_label": _ALL, "obj_id": 0, "classify_table_index": 0}
    unused = {"is_uniform": 0, "label": 0, "ttl": 0, "exp": 0}
    return {
        **{"sw_if_index": f"@{way.interface}", "table_id": 0, "rpf_id": _ALL, "weight": 1, "preference": 0},
        **{"type": 0, "flags": 0, "proto": int(is_ip6), "nh": near, "n_labels": 0, "label_stack": [unused] * _LABELS},
    }


def _new_labels(facts: Facts, setup: DutSetup, faces: dict[str, Any]) -> Iterator[DutStep]:
    routes = [row["mr_route"] for row in _told(facts, _LABELLED)]
    if not routes:  # a table has labels of its own from the first moment
        tables = {"mt_table_id": 0, "mt_name": ""}
        do, undo = (_send("mpls_table_add_del", mt_is_add=is_add, mt_table=tables) for is_add in (True, False))
        yield DutStep("MPLS table", "", "there", do, undo)
    there = {route["mr_label"] for route in routes if route["mr_eos"]}
    labelling = {row["sw_if_index"] for row in _told(facts, _LABELLING)}
    for name in setup.names:
        do, undo = (_send("sw_interface_set_mpls_enable", sw_if_index=f"@{name}", enable=on) for on in (True, False))
        if faces[name]["sw_if_index"] not in labelling:
            yield DutStep(f"MPLS of {name}", "", "on", do, undo)
    for label in setup.labels:
        if label.label in there:
            continue
        mpls_route: dict[str, Any] = {
            "mr_table_id": 0,
            "mr_label": label.label,
            "mr_eos": 1,
            "mr_eos_proto": 0,
            "mr_is_multicast": False,
        }
        mpls_route |= {"mr_n_paths": 1, "mr_paths": [_path(label)]}
        do, undo = (
            _send("mpls_route_add_del", mr_is_add=add, mr_is_multipath=True, mr_route=mpls_route)
            for add in (True, False)
        )
        yield DutStep(f"label {label.label}", "", f"{label.label} eos via {label.via} {label.interface}", do, undo)


def _cross_connects(facts: Facts, setup: DutSetup, faces: dict[str, Any]) -> Iterator[DutStep]:
    there = {(row["rx_sw_if_index"], row["tx_sw_if_index"]) for row in _told(facts, _CONNECTED)}
    for here, opposite in zip(setup.names[::2], setup.names[1::2], strict=True):
        for port, other in ((here, opposite), (opposite, here)):
            if (faces[port]["sw_if_index"], faces[other]["sw_if_index"]) not in there:
                ends = {"rx_sw_if_index": f"@{port}", "tx_sw_if_index": f"@{other}"}
                do, undo = (_send("sw_interface_set_l2_xconnect", enable=on, **ends) for on in (True, False))
                yield DutStep(f"cross connect of {port}", "", f"to {other}", do, undo)
