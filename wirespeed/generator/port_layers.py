"""Whom a port sends to: layer 2 with a fixed neighbor, or layer 3 with a gateway whose MAC address is asked for."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from wirespeed.generator.neighbor_packets import Host
from wirespeed.generator.rpc import bad_parameters
from wirespeed.model import link_local, mac_bytes
from wirespeed.seam.ports import PortInfo

Json = dict[str, Any]

MAX_VLAN = 4095
MAX_TAGS = 2

_NO_MAC = "00:00:00:00:00:00"


class PortLayers:
    """`dst_mac` is what packets get that do not bring their own; `resolved` says whether it can be relied on."""

    def __init__(self, mac: str, dst_mac: str) -> None:
        self.host = Host(mac_bytes(mac))
        self.dst_mac = dst_mac
        self.resolved = True

    def set_l2(self, dst_mac: str) -> None:
        self.host = replace(self.host, ip4=None, gateway=None)
        self.dst_mac, self.resolved = dst_mac, True

    def set_l3(self, src: IPv4Address, gateway: IPv4Address, resolved_mac: str | None) -> None:
        """Without `resolved_mac` the gateway has to be found first."""
        self.host = replace(self.host, ip4=src, gateway=gateway)
        self.resolved = resolved_mac is not None
        self.dst_mac = resolved_mac or self.dst_mac

    def set_vlan(self, tags: tuple[int, ...]) -> None:
        if len(tags) > MAX_TAGS:
            raise bad_parameters(f"Maximal number of stacked VLANs is {MAX_TAGS}, got: {len(tags)}")
        for tag in tags:
            if not 1 <= tag <= MAX_VLAN:
                raise bad_parameters(f"invalid VLAN tag: '{tag}'")
        self.host = replace(self.host, vlan=tags)

    def set_ip6(self, enabled: bool, address: IPv6Address | None) -> None:
        """On, the port has the address it makes out of its MAC, and `address` if one is given."""
        own = (link_local(self.host.mac),) if enabled else ()
        self.host = replace(self.host, ip6=(address, *own) if enabled and address else own)

    @property
    def needs_arp(self) -> bool:
        return self.host.gateway is not None and not self.resolved

    def to_json(self) -> Json:
        """`layer_cfg` of the port's attributes."""
        host = self.host
        ip4: Json = {"state": "none"}
        if host.ip4 is not None:
            ip4 = {"src": str(host.ip4), "dst": str(host.gateway)}
            ip4["state"] = "resolved" if self.resolved else "unresolved"
        ip6: Json = {"enabled": bool(host.ip6)}
        if host.ip6:
            ip6["src"] = str(host.ip6[0]) if len(host.ip6) > 1 else ""
        return {
            "ether": {
                "src": host.mac.hex(":"),
                "dst": self.dst_mac,
                "state": "configured" if self.resolved else "unconfigured",
            },
            "ipv4": ip4,
            "ipv6": ip6,
        }


def own_mac(info: PortInfo, index: int) -> str:
    """The port's address; rings have none, so one is made up for them."""
    return f"02:00:00:00:00:{index + 1:02x}" if info.mac == _NO_MAC else info.mac
