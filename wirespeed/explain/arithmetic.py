"""The sums of the field: what a core can do at a cost, what a PCIe link carries, what a packet costs in energy."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from wirespeed.cases.facts import CaseLoad, NicLink

_CODING = {2.5: 0.8, 5.0: 0.8, 8.0: 128 / 130, 16.0: 128 / 130, 32.0: 128 / 130}
_LEAST_USABLE, _MOST_USABLE = 0.87, 0.93
"""Share of a link's coded rate that TLPs get: acknowledgements and flow control take 4 to 13 % (PCI Express Base
Specification, DLLP rates for payloads of 128 and 256 bytes). One lane has 0.93 to 0.96."""

_TLP_BYTES = 24
_PAYLOAD_BYTES = 256
_READ_BYTES = 512
_RX_DESCRIPTOR_BYTES = (25, 64)
"""Up the link for each received packet, descriptors fetched and written back in fours and eights, or one by one."""
_TX_DESCRIPTOR_BYTES = (4, 25)


@dataclass(frozen=True)
class Bounds:
    """A figure between two bounds."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    def over(self, other: Bounds) -> Bounds:
        return Bounds(self.low / other.high, self.high / other.low)


def core_pps(hz: float, cycles_per_packet: float) -> float:
    """The most that one core can forward at that cost."""
    return hz / cycles_per_packet


def cores_for_line(line_pps: float, hz: float, cycles_per_packet: float) -> float:
    return line_pps * cycles_per_packet / hz


def link_bps(link: NicLink) -> Bounds:
    """Bits per second of TLPs that a link carries one way."""
    coded = link.gts * 1e9 * link.width * _CODING.get(link.gts, 0.8)
    extra = 0.06 if link.width == 1 else 0.0
    return Bounds(coded * (_LEAST_USABLE + extra), coded * (_MOST_USABLE + extra / 2))


def up_bytes(frame_bytes: float, *, sends: bool) -> Bounds:
    """Bytes to the host for a packet that is received and, if `sends`, sent again over the same link: the tight
    direction of it."""
    data = frame_bytes - 4
    received = data + _TLP_BYTES * ceil(data / _PAYLOAD_BYTES)
    low, high = (received + extra for extra in _RX_DESCRIPTOR_BYTES)
    if sends:
        requests = _TLP_BYTES * ceil(data / _READ_BYTES)
        low, high = low + requests + _TX_DESCRIPTOR_BYTES[0], high + requests + _TX_DESCRIPTOR_BYTES[1]
    return Bounds(low, high)


def link_use(link: NicLink, load: CaseLoad) -> Bounds | None:
    """The part of a link that a load takes, towards the host."""
    if load.frame_bytes is None:
        return None
    both_ports, both_ways = link.ports > 1, load.directions > 1
    through_pps = load.received_pps if both_ports or not both_ways else load.received_pps / load.directions
    cost = up_bytes(load.frame_bytes, sends=both_ports or both_ways)
    need = Bounds(through_pps * cost.low * 8, through_pps * cost.high * 8)
    return need.over(link_bps(link))


def microjoules(watts: float, pps: float) -> float:
    return watts / pps * 1e6
