"""State: all settings as JSON, for `wirespeed config`. An extension."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wirespeed.router.commands.registry import command
from wirespeed.router.features import modules
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import InterfaceKind, Mode, MtuKind, RouterInterface

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("show state")
def show_state(console: Console, words: Match) -> Iterator[str]:
    """All settings of interfaces, bridge domains, ACLs and sFlow as JSON, one object per line."""
    names = {index: name for name, index in console.interface_names().items()}
    states = [module for _, module in modules("state")]
    of_features: dict[int, dict[str, Any]] = {index: {} for index in names}
    for state in states:
        for index, told in state.interfaces(console, names).items() if hasattr(state, "interfaces") else ():
            of_features[index] |= told
    for index, name in names.items():
        yield json.dumps({"interface": name, **_interface(console, index, names), **of_features[index]})
    for state in states:
        yield from map(json.dumps, state.objects(console) if hasattr(state, "objects") else ())


def _interface(console: Console, index: int, names: dict[int, str]) -> dict[str, Any]:
    face = console.core.interface(index)
    document: dict[str, Any] = {
        "kind": face.kind.name.lower(),
        "up": face.admin_up,
        "link_mtu": face.mtus[MtuKind.L2],
        "mtu": face.mtus[MtuKind.L3],
        "mac": face.mac,
        "addresses": [str(address) for address in face.addresses],
        "unnumbered": None if face.unnumbered_of is None else names[face.unnumbered_of],
        "mpls": face.mpls,
        "bridge_domain": face.bridge_domain,
        "is_bvi": face.is_bvi,
        "xconnect_to": names[face.xconnect_to] if face.mode is Mode.XCONNECT else None,
        "pop": face.tag_rewrite.pop,
        "push": list(face.tag_rewrite.tags),
        "push_dot1ad": face.tag_rewrite.dot1ad,
        **_vlan(face, names),
    }
    spec = console.taps.get(face.name)
    if spec is not None:
        port = console.core.port(index)
        document["tap"] = {
            "host": spec.target,
            "netns": spec.options.get("netns"),
            "host_mac": spec.options.get("host-mac"),
            "host_mtu": int(spec.options["host-mtu"]) if "host-mtu" in spec.options else None,
            "rx_ring": port.rx_descriptors,
            "tx_ring": port.tx_descriptors,
        }
    return document


def _vlan(face: RouterInterface, names: dict[int, str]) -> dict[str, Any]:
    if face.kind is not InterfaceKind.SUB or face.sub is None:
        return {}
    sub = face.sub
    tags = {"outer": sub.outer, "inner": sub.inner, "dot1ad": sub.dot1ad, "exact": sub.exact}
    return {"parent": names[face.parent], "sub_id": sub.id, **tags}
