"""scapy's layers, to build packets and take them apart: the only place that imports them.

scapy as it is reads all links, addresses and routes of the machine when its layers are imported, which takes minutes
where there are many. Here it sees a machine without any: packets depend on what builds them alone. It comes with the
addresses that T-Rex's scapy fills in by itself. Importing takes 0.3 s, so nothing imports this before it is needed.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scapy.config import conf
from scapy.interfaces import InterfaceProvider, NetworkInterface, NetworkInterfaceDict


class _NoInterfaces(NetworkInterfaceDict):  # type: ignore[misc]
    """A loopback interface, for addresses that no route leads to; those of the machine are not read."""

    def __init__(self) -> None:
        super().__init__()
        loopback = {"name": conf.loopback_name, "network_name": conf.loopback_name, "index": 1, "ips": ["127.0.0.1"]}
        self.data[conf.loopback_name] = NetworkInterface(InterfaceProvider(), loopback)

    def register_provider(self, provider: type) -> None:
        pass

    def reload(self) -> None:
        pass

    def load_confiface(self) -> None:
        pass


if "scapy.route" not in sys.modules:  # else a program that uses scapy for more has imported it before
    conf.route_autoload = conf.route6_autoload = False
    conf.ifaces = _NoInterfaces()

with warnings.catch_warnings():
    # scapy warns of what it finds or misses on the machine; none of it concerns building packets.
    warnings.simplefilter("ignore")
    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.contrib.mpls import MPLS
    from scapy.layers.inet import GRE, ICMP, IP, TCP, UDP
    from scapy.layers.inet6 import (
        ICMPv6EchoReply,
        ICMPv6EchoRequest,
        ICMPv6ND_NA,
        ICMPv6ND_NS,
        ICMPv6NDOptDstLLAddr,
        ICMPv6NDOptSrcLLAddr,
        IPv6,
    )
    from scapy.layers.l2 import ARP, Dot1Q, Ether
    from scapy.layers.vxlan import VXLAN
    from scapy.packet import Packet, Raw
    from scapy.utils import RawPcapWriter, hexdump, wrpcap

__all__ = [
    "ARP",
    "DEFAULT_MACS",
    "GRE",
    "ICMP",
    "IP",
    "MPLS",
    "TCP",
    "UDP",
    "VXLAN",
    "Dot1Q",
    "Ether",
    "ICMPv6EchoReply",
    "ICMPv6EchoRequest",
    "ICMPv6NDOptDstLLAddr",
    "ICMPv6NDOptSrcLLAddr",
    "ICMPv6ND_NA",
    "ICMPv6ND_NS",
    "IPv6",
    "Packet",
    "Raw",
    "RawPcapWriter",
    "hexdump",
    "trex_defaults",
    "wrpcap",
]

DEFAULT_MACS = {"dst": "00:00:00:01:00:00", "src": "00:00:00:02:00:00"}

_DEFAULTS: dict[type[Any], dict[str, str]] = {
    Ether: DEFAULT_MACS,
    IP: {"src": "16.0.0.1", "dst": "48.0.0.1"},
    IPv6: {"src": "::2", "dst": "::1"},
}


_ARP_DEFAULTS = {"hwsrc": "00:00:00:00:00:00", "psrc": "16.0.0.1"}
"""Kept by each field, since scapy has no table for layers whose fields depend on each other."""


@contextmanager
def trex_defaults() -> Iterator[None]:
    """Within this block scapy's layers start from T-Rex's default addresses and build what its scapy, 2.4.3, builds.

    Plain scapy would look into this machine's routes and ask the network for addresses instead. Later versions of it
    put a question into `DNS()`, and round the size of fragments down to a multiple of 8 instead of up.
    """
    from scapy.layers import dns, inet  # noqa: PLC0415 - few need DNS

    before = {}
    for layer, values in {**_DEFAULTS, dns.DNS: {"qd": []}}.items():
        layer()  # scapy fills its table of defaults with the first packet of a kind
        before[layer] = Packet.class_default_fields[layer]
        Packet.class_default_fields[layer] = before[layer] | values
    fields = [field for field in ARP.fields_desc if field.name in _ARP_DEFAULTS]
    arp_before = [field.default for field in fields]
    for field in fields:
        field.default = _ARP_DEFAULTS[field.name]
    cut = inet.fragment

    def fragment(pkt: Packet, fragsize: int = 1480) -> list[Packet]:
        """Fragment a big IP datagram"""
        made: list[Packet] = cut(pkt, (fragsize + 7) // 8 * 8)
        return made

    _replace("fragment", cut, fragment)
    try:
        yield
    finally:
        _replace("fragment", fragment, cut)
        Packet.class_default_fields.update(before)
        for field, default in zip(fields, arp_before, strict=True):
            field.default = default


def _replace(name: str, old: Any, new: Any) -> None:
    """In all modules of scapy that have it; many take it over from where it is defined."""
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] == "scapy" and module.__dict__.get(name) is old:
            setattr(module, name, new)
