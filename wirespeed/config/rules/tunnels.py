"""VXLAN tunnels."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from wirespeed.config.lookup import Lookup
from wirespeed.config.rules._instances import instances_above
from wirespeed.findings import FileFinding

_MOST_INSTANCE = (1 << 31) - 1


def vxlan_instance(lookup: Lookup) -> Iterator[FileFinding]:
    return instances_above(_MOST_INSTANCE, "vxlan_tunnels", lookup.config.vxlan_tunnels)


def vxlan_family(lookup: Lookup) -> Iterator[FileFinding]:
    for name, tunnel in lookup.config.vxlan_tunnels.items():
        if ip_address(tunnel.local).version != ip_address(tunnel.remote).version:
            message = f"local {tunnel.local} and remote {tunnel.remote} are of different families"
            yield FileFinding(("vxlan_tunnels", name), message, "give both IPv4 or both IPv6 addresses")


def vxlan_ends_differ(lookup: Lookup) -> Iterator[FileFinding]:
    for name, tunnel in lookup.config.vxlan_tunnels.items():
        if tunnel.local == tunnel.remote:
            yield FileFinding(
                ("vxlan_tunnels", name, "remote"), f"{tunnel.remote} is local as well", "name the other end"
            )


def vxlan_vni_is_unique(lookup: Lookup) -> Iterator[FileFinding]:
    first: dict[int, str] = {}
    for name, tunnel in lookup.config.vxlan_tunnels.items():
        if (other := first.setdefault(tunnel.vni, name)) != name:
            yield FileFinding(("vxlan_tunnels", name, "vni"), f"VNI {tunnel.vni} is {other}'s", "give it another")


RULES = (vxlan_instance, vxlan_family, vxlan_ends_differ, vxlan_vni_is_unique)
