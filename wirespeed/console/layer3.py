"""The addresses of a port, out of its status."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.client.probes import Layer3
from wirespeed.errors import UsageError
from wirespeed.model import link_local, mac_bytes


def layer3(port: int, status: Mapping[str, object]) -> Layer3:
    """Addresses out of `get_port_status`; UsageError where the port has none."""
    attr = status.get("attr")
    config = attr.get("layer_cfg", {}) if isinstance(attr, Mapping) else {}
    ether, ipv4 = config.get("ether", {}), config.get("ipv4", {})
    if ipv4.get("state", "none") == "none":
        raise UsageError(f"port {port} has no IPv4 address; give it one with l3 -p {port} --src IP --dst IP")
    return Layer3(
        src_mac=str(ether.get("src")),
        dst_mac=str(ether.get("dst") or ""),
        src_ip=str(ipv4.get("src")),
        dst_ip=str(ipv4.get("dst")),
        vlans=_vlans(attr),
    )


def layer3_ipv6(status: Mapping[str, object]) -> Layer3:
    """Layer 3 settings for IPv6, without a destination: a port without an address has the link-local one of its MAC."""
    attr = status.get("attr") or {}
    config = attr.get("layer_cfg") or {} if isinstance(attr, Mapping) else {}
    ether = config.get("ether") or {}
    mac = str(ether.get("src"))
    address = str((config.get("ipv6") or {}).get("src") or link_local(mac_bytes(mac)))
    return Layer3(mac, str(ether.get("dst") or ""), address, "", _vlans(attr))


def _vlans(attr: object) -> tuple[int, ...]:
    tags = (attr.get("vlan") or {}).get("tags") or () if isinstance(attr, Mapping) else ()
    return tuple(int(tag) for tag in tags)
