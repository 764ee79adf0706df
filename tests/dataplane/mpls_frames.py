"""Labelled packets written by hand (RFC 3032), and a router that accepts them."""

from __future__ import annotations

import struct

from router_run import HOST0, HOST1, INTERFACES, ROUTER0
from scapy.layers.l2 import Ether

CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/30
ip neighbor e0 100.64.1.2 {HOST0}
ip neighbor e1 100.64.2.2 {HOST1}
mpls table add 0
set interface mpls e0 enable
"""


def entry(label: int, bottom: int, ttl: int = 64, traffic_class: int = 0) -> bytes:
    return struct.pack("!I", label << 12 | traffic_class << 9 | bottom << 8 | ttl)


def labelled(stack: bytes, inner: bytes) -> bytes:
    return bytes(Ether(src=HOST0, dst=ROUTER0, type=0x8847)) + stack + inner
