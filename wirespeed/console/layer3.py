"""The addresses of a port, out of its status."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.client.probes import Layer3
from wirespeed.errors import UsageError


def layer3(port: int, status: Mapping[str, object]) -> Layer3:
    """Addresses out of `get_port_status`; UsageError where the port has none."""
    attr = status.get("attr")
    config = attr.get("layer_cfg", {}) if isinstance(attr, Mapping) else {}
    ether, ipv4 = config.get("ether", {}), config.get("ipv4", {})
    if ipv4.get("state", "none") == "none":
        raise UsageError(f"port {port} has no IPv4 address; give it one with l3 -p {port} --src IP --dst IP")
    tags = attr.get("vlan", {}).get("tags", ()) if isinstance(attr, Mapping) else ()
    return Layer3(
        src_mac=str(ether.get("src")),
        dst_mac=str(ether.get("dst") or ""),
        src_ip=str(ipv4.get("src")),
        dst_ip=str(ipv4.get("dst")),
        vlans=tuple(int(tag) for tag in tags),
    )
