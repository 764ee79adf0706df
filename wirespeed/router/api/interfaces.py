"""sw_interface_dump, and requests about one interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.tag_rewrites import words_of
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import ANY_VLAN, InterfaceKind, MtuKind, RouterInterface
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

if TYPE_CHECKING:
    from wirespeed.router.native import NativeRouter

_FLAGS = TABLE.values
_TURN = 64
_FULL_DUPLEX = _FLAGS["LINK_DUPLEX_API_FULL"]
_MOST_KBPS = 0xFFFFFFFF
# VPP's names of what drives a port, where ours are others; the rest are DPDK's.
_DEVICES = {"memif": "memif", "net_memif": "memif", "tap": "virtio"}
_PORTLESS = {InterfaceKind.LOOPBACK: "Loopback", InterfaceKind.VXLAN: "VXLAN", InterfaceKind.BOND: "bond"}
# VPP's own interface 0, which drops what it is given. Clients expect that there is one.
_LOCAL_NAME = "local0"
_LOCAL = {
    "type": _FLAGS["IF_API_TYPE_HARDWARE"],
    "interface_name": _LOCAL_NAME,
    "interface_dev_type": "local",
}


@handler("sw_interface_dump")
def dump(client: Client, request: Values) -> Answer:
    return _details(client, request)


def _details(client: Client, request: Values) -> Iterator[dict[str, Any] | None]:
    """All interfaces for index 0 as well as for ~0, as VPP does; a name filter ignores case."""
    wanted = request.name_filter.lower() if request.name_filter_valid else ""
    only = ALL if request.name_filter_valid or not request.sw_if_index else request.sw_if_index
    if only == ALL and wanted in _LOCAL_NAME:
        yield _LOCAL
    for number, (index, face) in enumerate(client.chosen(only), 1):
        if number % _TURN == 0:
            yield None
        if wanted in face.name.lower():
            yield details(client.core, index, face) | {"tag": client.console.tags.get(index, "")}


def details(core: NativeRouter, index: int, face: RouterInterface) -> dict[str, Any]:
    """The fields of `sw_interface_details`; a sub-interface has the device and the link of its parent."""
    port = index if face.kind is InterfaceKind.PORT else face.parent
    below = core.interface(port) if face.kind is InterfaceKind.SUB else face
    info = core.port(port) if below.kind is InterfaceKind.PORT else None
    sub = {} if face.sub is None else _sub(face)
    return {
        "sw_if_index": shown_index(index),
        "sup_sw_if_index": shown_index(face.parent if face.kind is InterfaceKind.SUB else index),
        "l2_address": face.mac,
        "flags": status(face),
        "type": _FLAGS["IF_API_TYPE_SUB" if face.kind is InterfaceKind.SUB else "IF_API_TYPE_HARDWARE"],
        "link_duplex": 0 if info is None else _FULL_DUPLEX,
        "link_speed": 0 if info is None else min(info.speed_bps // 1000, _MOST_KBPS),
        "link_mtu": below.mtus[MtuKind.L2],
        "mtu": face.mtus[MtuKind.L3 :],
        "interface_name": face.name,
        "interface_dev_type": _PORTLESS[below.kind] if info is None else _DEVICES.get(info.driver, "dpdk"),
        **sub,
        **words_of(face.tag_rewrite),
    }


def status(face: RouterInterface) -> int:
    """The flags of an interface: up by command, and with a link."""
    up = _FLAGS["IF_STATUS_API_FLAG_ADMIN_UP"] if face.admin_up else 0
    return up | (_FLAGS["IF_STATUS_API_FLAG_LINK_UP"] if face.link_up else 0)


def _sub(face: RouterInterface) -> dict[str, Any]:
    sub = face.sub
    assert sub is not None
    names = ["NO_TAGS" if not sub.outer and sub.exact else "", "DEFAULT" if not (sub.outer or sub.exact) else ""]
    names += ["EXACT_MATCH" if sub.exact else "", "DOT1AD" if sub.dot1ad else ""]
    if sub.outer:
        names += ["TWO_TAGS" if sub.inner else "ONE_TAG"]
    names += [
        "OUTER_VLAN_ID_ANY" if sub.outer == ANY_VLAN else "",
        "INNER_VLAN_ID_ANY" if sub.inner == ANY_VLAN else "",
    ]
    return {
        "sub_id": sub.id,
        "sub_number_of_tags": bool(sub.outer) + bool(sub.inner),
        "sub_outer_vlan_id": 0 if sub.outer == ANY_VLAN else sub.outer,
        "sub_inner_vlan_id": 0 if sub.inner == ANY_VLAN else sub.inner,
        "sub_if_flags": sum(_FLAGS[f"SUB_IF_API_FLAG_{name}"] for name in names if name),
    }


@handler("sw_interface_get_mac_address")
def mac(client: Client, request: Values) -> Answer:
    return {"mac_address": client.interface(request.sw_if_index)[1].mac}


@handler("sw_interface_get_table")
def table(client: Client, request: Values) -> Answer:
    face = client.interface(request.sw_if_index)[1]
    return {"vrf_id": face.ip6_table if request.is_ipv6 else face.ip4_table}


@change("sw_interface_clear_stats")
def clear(client: Client, request: Values) -> Answer:
    if request.sw_if_index == ALL:
        client.console.statistics.clear_interfaces()
    else:
        client.console.statistics.clear_interface(client.index(request.sw_if_index))
    return None
