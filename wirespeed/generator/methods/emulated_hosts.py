"""Methods for hosts that ports emulate; an extension to T-Rex."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

from wirespeed.errors import UsageError
from wirespeed.generator.emulated_hosts import MAX_HOSTS, Emulated
from wirespeed.generator.neighbor_packets import Host
from wirespeed.generator.parameters import read
from wirespeed.generator.port import Port
from wirespeed.generator.port_layers import MAX_TAGS, MAX_VLAN
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, bad_parameters, failed
from wirespeed.model import link_local, mac_bytes, parse_mac

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

_TAG_TYPES = (0x8100, 0x88A8)
_PRIORITIES = 8


@method("set_emulated_hosts", listed=False)
def set_emulated_hosts(server: Server, port: OwnedPort, hosts: list[Any]) -> Json:
    """Set the emulated hosts of a port, which replace earlier ones. Each has `mac` and `address`; optionally `gateway`,
    `gateway_mac` (by default resolved) and `vlan`: up to two of `id`, `priority`, `type`, outermost first."""
    if len(hosts) > MAX_HOSTS:
        raise failed(f"{len(hosts)} hosts are too many: a port emulates {MAX_HOSTS} at most")
    server.hosts.emulate(port, [_host(one) for one in hosts])
    return {}


@method("get_emulated_hosts", listed=False)
def get_emulated_hosts(server: Server, port: Port) -> list[Json]:
    """Hosts as they were set; `gateway_mac` is empty where the gateway has not answered."""
    return [
        {
            "mac": host.host.mac.hex(":"),
            "address": str(host.address),
            "gateway": "" if host.gateway is None else str(host.gateway),
            "gateway_mac": "" if host.found is None else host.found.hex(":"),
            "vlan": [
                {"id": tag & 0xFFF, "priority": tag >> 13, "type": kind}
                for kind, tag in struct.iter_unpack(">HH", host.host.tags)
            ],
        }
        for host in server.hosts.emulated.on(port.index)
    ]


def _host(raw: Any) -> Emulated:
    if not isinstance(raw, dict):
        raise bad_parameters("field 'hosts' is not an array of objects")
    mac, address = _mac(read(raw, "mac", str)), _address("address", read(raw, "address", str))
    text = read(raw, "gateway", str, "")
    gateway = _address("gateway", text) if text else None
    gateway_mac = read(raw, "gateway_mac", str, "")
    tags = [_tag(one) for one in read(raw, "vlan", list, [])]
    if len(tags) > MAX_TAGS:
        raise bad_parameters(f"Maximal number of stacked VLANs is {MAX_TAGS}, got: {len(tags)}")
    vlan, headers = tuple(number for number, _ in tags), b"".join(header for _, header in tags)
    if isinstance(address, IPv4Address):
        if isinstance(gateway, IPv6Address):
            raise failed(f"host {address} has gateway {gateway} of another address family; give one of the same family")
        host = Host(mac, vlan, ip4=address, gateway=gateway, tags=headers)
    else:
        if isinstance(gateway, IPv4Address):
            raise failed(f"host {address} has gateway {gateway} of another address family; give one of the same family")
        host = Host(mac, vlan, ip6=(address, link_local(mac)), gateway6=gateway, tags=headers)
    return Emulated(host, _mac(gateway_mac) if gateway_mac else None)


def _tag(raw: Any) -> tuple[int, bytes]:
    if not isinstance(raw, dict):
        raise bad_parameters("field 'vlan' is not an array of objects")
    number, priority = read(raw, "id", int), read(raw, "priority", int, 0)
    kind = read(raw, "type", int, _TAG_TYPES[0])
    if not 1 <= number <= MAX_VLAN:
        raise bad_parameters(f"invalid VLAN tag: '{number}'")
    if priority >= _PRIORITIES:
        raise bad_parameters(f"invalid VLAN priority {priority}; give 0 to {_PRIORITIES - 1}")
    if kind not in _TAG_TYPES:
        raise bad_parameters(f"invalid VLAN type {kind:#x}; give one of {', '.join(map(hex, _TAG_TYPES))}")
    return number, struct.pack(">HH", kind, priority << 13 | number)


def _address(which: str, text: str) -> IPv4Address | IPv6Address:
    try:
        return ip_address(text)
    except ValueError:
        raise bad_parameters(f"invalid {which}: '{text}'") from None


def _mac(text: str) -> bytes:
    try:
        return mac_bytes(parse_mac(text))
    except UsageError:
        raise bad_parameters(f"invalid MAC address: '{text}'") from None
