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
            document = _object(line)
            if "bridge_domain" in document and "interface" not in document:
                flags = (document["learn"], document["flood"], document["uu_flood"], document["forward"])
                bridges[document["bridge_domain"]] = Bridge(*flags, mac_age=document["age_min"])
            elif "acl" in document:
                acls.append((document["tag"], _acl(document)))
            elif "sflow" in document and "interface" not in document:
                sflow = SflowState(**document["sflow"])
            elif document.get("is_host"):
                reserved.add(document["interface"])
            else:
                interfaces[document["interface"]] = _interface(document)
                bonds |= dict.fromkeys(document.get("members", ()), document["interface"])
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
        document = json.loads(line)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not document.keys() & {"interface", "bridge_domain", "acl", "sflow"}:
        raise ConnectionFault(f"the router answered {line[:60]!r} in place of its state; is it of another version?")
    return document


def _acl(document: dict[str, Any]) -> AclState:
    rules = (
        AclRuleState(
            rule["action"],
            rule["source"],
            rule["destination"],
            rule["protocol"],
            tuple(rule["source_ports"]),
            tuple(rule["destination_ports"]),
        )
        for rule in document["rules"]
    )
    return AclState(tuple(rules), document["acl"])


def _interface(document: dict[str, Any]) -> InterfaceState:
    name, tap = document["interface"], document.get("tap")
    kind = InterfaceType.TAP if tap is not None else _KINDS[document["kind"]]
    own = None
    if kind is InterfaceType.SUB:
        own = Encapsulation(document["outer"], document["inner"], document["dot1ad"], document["exact"])
    return InterfaceState(
        name,
        kind,
        up=document["up"],
        link_mtu=document["link_mtu"] if kind in HARDWARE else None,
        mtu=document["mtu"],
        mac=None if kind is InterfaceType.SUB else document["mac"],
        # Link-local addresses are not a setting, as in VPP's API: Linux assigns and reports one per interface.
        addresses=tuple(sorted(one for one in document["addresses"] if not ip_interface(one).is_link_local)),
        unnumbered=document["unnumbered"],
        lcp=document.get("host_if"),
        lcp_namespace=document.get("netns") or None,
        mpls=document["mpls"],
        sflow=document.get("sflow", False),
        bridge=document["bridge_domain"] or None,
        is_bvi=document["is_bvi"],
        xconnect=document["xconnect_to"],
        rewrite=TagRewriteState(document["pop"], tuple(document.get("push", ())), document.get("push_dot1ad", False)),
        parent=document.get("parent"),
        sub_id=document.get("sub_id", 0),
        encapsulation=own,
        bond=BondState(**document["bond"]) if kind is InterfaceType.BOND else None,
        vxlan=Vxlan(**document["vxlan"]) if kind is InterfaceType.VXLAN else None,
        tap=None
        if tap is None
        else TapState(
            tap["host"], tap["host_mac"], tap.get("host_mtu"), None, tap["netns"], tap["rx_ring"], tap["tx_ring"]
        ),
    )
