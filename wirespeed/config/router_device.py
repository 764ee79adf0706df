"""Our router as a device: read by `show state`, set by its command lines, over its control socket."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_interface
from itertools import islice
from pathlib import Path
from typing import Any

from wirespeed.config import operations as ops
from wirespeed.config.acl_names import named_acls
from wirespeed.config.state import (
    HARDWARE,
    AclRuleState,
    AclState,
    BondState,
    Bridge,
    Encapsulation,
    InterfaceState,
    InterfaceType,
    RouterState,
    SflowState,
    TagRewriteState,
    TapState,
    Vxlan,
)
from wirespeed.errors import ConnectionFault, UsageError
from wirespeed.router.client import ask, ask_in_order

_AT_ONCE = 200
"""Operations that are under way together: what an interrupted application may still do."""
_MOST_VLAN = 4094
_KINDS = {
    "port": InterfaceType.PORT,
    "sub": InterfaceType.SUB,
    "loopback": InterfaceType.LOOPBACK,
    "vxlan": InterfaceType.VXLAN,
    "bond": InterfaceType.BOND,
}


class RouterDevice:
    """The router that listens at `socket`."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def read(self) -> RouterState:
        interfaces, bridges, acls, reserved, sflow = {}, {}, [], set(), None
        bonds: dict[str, str] = {}
        for line in ask(self._socket, "show state").splitlines():
            told = _object(line)
            if "bridge_domain" in told and "interface" not in told:
                flags = (told["learn"], told["flood"], told["uu_flood"], told["forward"])
                bridges[told["bridge_domain"]] = Bridge(*flags, mac_age=told["age_min"])
            elif "acl" in told:
                acls.append((told["tag"], _acl(told)))
            elif "sflow" in told and "interface" not in told:
                sflow = SflowState(**told["sflow"])
            elif told.get("is_host"):
                reserved.add(told["interface"])
            else:
                interfaces[told["interface"]] = _interface(told)
                bonds |= dict.fromkeys(told.get("members", ()), told["interface"])
        interfaces |= {name: replace(interfaces[name], bond_of=bond, mac=None) for name, bond in bonds.items()}
        return RouterState(interfaces, bridges, named_acls(acls), sflow, reserved=frozenset(reserved))

    def run(self, operations: Iterable[ops.Operation]) -> Iterator[None]:
        source = iter(operations)
        tried_again: ops.Operation | None = None
        while some := list(islice(source, _AT_ONCE)):
            while some:
                done = 0
                try:
                    for _ in self._in_order(some):
                        done += 1
                        yield
                except UsageError:
                    failed = some[done]
                    if failed is tried_again or not isinstance(failed, ops.SetMpls) or not failed.on:
                        raise
                    tried_again = failed
                    # MPLS needs its table, which no configuration names.
                    ask(self._socket, "mpls table add 0")
                some = some[done:]

    def _in_order(self, some: list[ops.Operation]) -> Iterator[None]:
        lines = [list(operation.cli()) for operation in some]
        answers = ask_in_order(self._socket, [line for own in lines for line in own])
        for own in lines:
            for _ in own:
                next(answers)
            yield

    def lacks(self, operation: ops.Operation) -> str | None:
        return router_lacks(operation)


def router_lacks(operation: ops.Operation) -> str | None:
    """Reason why wirespeed's router cannot perform the operation, by any access method; None if it may be tried."""
    match operation:
        case ops.CreateBridge() | ops.SetBridge():
            if operation.settings.arp_term or operation.settings.arp_ufwd:
                return "its bridge domains do nothing about ARP"
        case ops.CreateTap():
            if operation.tap.bridge is not None:
                return "it puts Linux's end of a TAP into no bridge"
        case ops.CreateSub():
            own = operation.encapsulation
            if max(own.outer, own.inner) > _MOST_VLAN:
                return f"its VLAN ids go up to {_MOST_VLAN}"
    return None


def _object(line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict) or not told.keys() & {"interface", "bridge_domain", "acl", "sflow"}:
        raise ConnectionFault(f"the router answered {line[:60]!r} in place of its state; is it of another version?")
    return told


def _acl(told: dict[str, Any]) -> AclState:
    rules = (
        AclRuleState(
            rule["action"],
            rule["source"],
            rule["destination"],
            rule["protocol"],
            tuple(rule["source_ports"]),
            tuple(rule["destination_ports"]),
        )
        for rule in told["rules"]
    )
    return AclState(tuple(rules), told["acl"])


def _interface(told: dict[str, Any]) -> InterfaceState:
    name, tap = told["interface"], told.get("tap")
    kind = InterfaceType.TAP if tap is not None else _KINDS[told["kind"]]
    own = None
    if kind is InterfaceType.SUB:
        own = Encapsulation(told["outer"], told["inner"], told["dot1ad"], told["exact"])
    return InterfaceState(
        name,
        kind,
        up=told["up"],
        link_mtu=told["link_mtu"] if kind in HARDWARE else None,
        mtu=told["mtu"],
        mac=None if kind is InterfaceType.SUB else told["mac"],
        # Link-local addresses are not a setting, as in VPP's API: Linux assigns and reports one per interface.
        addresses=tuple(sorted(one for one in told["addresses"] if not ip_interface(one).is_link_local)),
        unnumbered=told["unnumbered"],
        lcp=told.get("host_if"),
        lcp_namespace=told.get("netns") or None,
        mpls=told["mpls"],
        sflow=told.get("sflow", False),
        bridge=told["bridge_domain"] or None,
        is_bvi=told["is_bvi"],
        xconnect=told["xconnect_to"],
        rewrite=TagRewriteState(told["pop"], tuple(told.get("push", ())), told.get("push_dot1ad", False)),
        parent=told.get("parent"),
        sub_id=told.get("sub_id", 0),
        encapsulation=own,
        bond=BondState(**told["bond"]) if kind is InterfaceType.BOND else None,
        vxlan=Vxlan(**told["vxlan"]) if kind is InterfaceType.VXLAN else None,
        tap=None
        if tap is None
        else TapState(
            tap["host"], tap["host_mac"], tap.get("host_mtu"), None, tap["netns"], tap["rx_ring"], tap["tx_ring"]
        ),
    )
