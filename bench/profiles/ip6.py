"""One flow of the shortest UDP packets over IPv6, 66 bytes with FCS, to 2001:db8:f000::1."""

from __future__ import annotations

from typing import Any

from trex_stl_lib.api import UDP, Ether, IPv6, STLPktBuilder, STLStream, STLTXCont


class OneFlow:
    def get_streams(self, direction: int = 0, **kwargs: Any) -> list[STLStream]:
        packet = Ether() / IPv6(src="2001:db8:1::2", dst="2001:db8:f000::1") / UDP(sport=1025, dport=12)
        return [STLStream(packet=STLPktBuilder(packet), mode=STLTXCont(pps=1))]


def register() -> OneFlow:
    return OneFlow()
