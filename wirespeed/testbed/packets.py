"""The packet that proves a direction: such as the built-in profiles send, by the bench's routes. Pure."""

from __future__ import annotations

import ipaddress

from wirespeed.scapy_layers import IP, MPLS, UDP, Ether, IPv6, Packet, Raw
from wirespeed.testbed.model import Bench

_HOST = 4
"""The first host that the bench profile sends from and to."""


def proof(bench: Bench, tx: int, rx: int, src_mac: str, dst_mac: str, mark: bytes) -> bytes | None:
    """A packet from a network behind `tx` to one behind `rx` with `mark` in it; None where the bench has no route or
    label that leads there. `bench` is filled; a cross-connect takes the articles' addresses."""
    source, target = _host(bench, tx, 0), _host(bench, rx, 1)
    if source is None or target is None:
        return None
    network: Packet = IPv6(src=source, dst=target) if ":" in target else IP(src=source, dst=target)
    inner = network / UDP(sport=1025, dport=12) / Raw(mark)
    ether = Ether(src=src_mac, dst=dst_mac)
    if bench.mode == "mpls":
        label = next((one.label for one in bench.labels if one.port == rx), None)
        return None if label is None else bytes(ether / MPLS(label=label, s=1, ttl=64) / inner)
    return bytes(ether / inner)


def _host(bench: Bench, port: int, side: int) -> str | None:
    """A host behind `port`."""
    if bench.mode == "l2xc":
        return ("16.0.0.4", "48.0.0.4")[side]
    prefix = next((route.prefix for route in bench.routes if route.port == port), None)
    if prefix is None:
        return None
    network = ipaddress.ip_network(prefix)
    return str(network.network_address + min(_HOST, network.num_addresses - 1))
