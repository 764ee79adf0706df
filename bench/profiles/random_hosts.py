"""64-byte packets to random hosts of 64.0.0.0 … 79.66.63.255: a million networks of 24 bits."""

from __future__ import annotations

from typing import Any

from trex_stl_lib.api import IP, STLVM, UDP, Ether, STLPktBuilder, STLStream, STLTXCont

ROUTES = 1_000_000


class Random:
    def get_streams(self, direction: int = 0, **kwargs: Any) -> list[STLStream]:
        first = 64 << 24
        program = STLVM()
        program.var("dst", first, first + (ROUTES << 8) - 1, size=4, op="random")
        program.write("dst", "IP.dst")
        program.fix_chksum()
        packet = Ether() / IP(src="16.0.0.1", dst="64.0.0.1") / UDP(sport=1025, dport=12, chksum=0) / (b"x" * 18)
        return [STLStream(packet=STLPktBuilder(packet, vm=program), mode=STLTXCont(pps=1))]


def register() -> Random:
    return Random()
