"""Addresses of ports: layer 2, layer 3 with its gateway, IPv6, VLAN."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any

from wirespeed.errors import UsageError
from wirespeed.generator.port import Port
from wirespeed.generator.registry import OwnedPort, SharedPort, method
from wirespeed.generator.rpc import WORK_IN_PROGRESS, Json, RpcError, bad_parameters
from wirespeed.model import parse_mac

if TYPE_CHECKING:
    from wirespeed.generator.server import Server


@method("set_l2")
def set_l2(server: Server, port: SharedPort, dst_mac: str, block: bool = False) -> Json:
    """Set the destination of the port's packets that do not have their own."""
    del block
    mac = _mac(dst_mac)
    port.traffic.check_standing("set_l2_mode")
    port.layers.set_l2(mac)
    return _configured(server, port)


@method("set_l3")
def set_l3(
    server: Server, port: OwnedPort, src_addr: str, dst_addr: str, resolved_mac: str = "", block: bool = False
) -> Json:
    """The port becomes a host. The gateway's MAC address is given, or asked for, three times per second apart.

    The answer comes at once; `block` gets a ticket instead, of which get_async_results tells how it went.
    """
    src, gateway = _ip4("source", src_addr), _ip4("destination", dst_addr)
    mac = _mac(resolved_mac) if resolved_mac else None
    port.traffic.check_standing("set_l3_mode")
    port.layers.set_l3(src, gateway, mac)
    return _configured(server, port, block)


@method("set_vlan")
def set_vlan(server: Server, port: OwnedPort, vlan: list[Any], block: bool = False) -> Json:
    """Tags of the port's own packets; streams bring theirs."""
    if not all(isinstance(tag, int) and not isinstance(tag, bool) for tag in vlan):
        raise bad_parameters("field 'vlan' is not an array of 'uint16'")
    port.traffic.check_standing("set_vlan_cfg")
    port.layers.set_vlan(tuple(vlan))
    return _configured(server, port, block)


@method("conf_ipv6")
def conf_ipv6(server: Server, port: OwnedPort, enabled: bool, src_ipv6: str, block: bool = False) -> Json:
    del block
    try:
        address = IPv6Address(src_ipv6) if src_ipv6 else None
    except ValueError:
        raise bad_parameters(f"invalid source IPv6 address: '{src_ipv6}'") from None
    port.traffic.check_standing("conf_ipv6")
    port.layers.set_ip6(enabled, address)
    return _configured(server, port)


@method("get_async_results")
def get_async_results(server: Server, ticket_id: int) -> Json:
    server.hosts.result(ticket_id)
    return {}


@method("cancel_async_task")
def cancel_async_task(server: Server, ticket_id: int) -> None:
    server.hosts.cancel(ticket_id)


def _configured(server: Server, port: Port, block: bool = False) -> Json:
    ticket = server.hosts.configured(port)
    if block and ticket is not None:
        raise RpcError(WORK_IN_PROGRESS, str(ticket))
    return {}


def _ip4(which: str, text: str) -> IPv4Address:
    try:
        return IPv4Address(text)
    except ValueError:
        raise bad_parameters(f"invalid {which} IPv4 address: '{text}'") from None


def _mac(text: str) -> str:
    try:
        return parse_mac(text, unicast=False)
    except UsageError:
        raise bad_parameters(f"'invalid MAC address: '{text}'") from None
