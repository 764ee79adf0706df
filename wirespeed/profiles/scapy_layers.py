"""scapy's layers, imported quietly, and the addresses that T-Rex's scapy fills in by itself.

Importing takes 0.3 s, so nothing imports this before a profile is loaded.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

with warnings.catch_warnings():
    # scapy warns of what it finds or misses on the machine; none of it concerns building packets.
    warnings.simplefilter("ignore")
    logging.getLogger("scapy").setLevel(logging.ERROR)
    from scapy.contrib.mpls import MPLS
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import ARP, Ether
    from scapy.packet import Packet

__all__ = ["DEFAULT_MACS", "IP", "MPLS", "UDP", "Ether", "IPv6", "Packet", "trex_defaults"]

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
    """Within this block scapy's layers start from T-Rex's default addresses.

    Plain scapy would look into this machine's routes and ask the network for addresses instead.
    """
    before = {}
    for layer, values in _DEFAULTS.items():
        layer()  # scapy fills its table of defaults with the first packet of a kind
        before[layer] = Packet.class_default_fields[layer]
        Packet.class_default_fields[layer] = before[layer] | values
    fields = [field for field in ARP.fields_desc if field.name in _ARP_DEFAULTS]
    arp_before = [field.default for field in fields]
    for field in fields:
        field.default = _ARP_DEFAULTS[field.name]
    try:
        yield
    finally:
        Packet.class_default_fields.update(before)
        for field, default in zip(fields, arp_before, strict=True):
            field.default = default
