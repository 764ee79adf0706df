"""Budget of a PCIe link: its capacity, and the needs of the ports behind it, as arithmetic that can be read. Pure.

The model is that of pcie-bench (Neugebauer et al., SIGCOMM 2018): packets of the link (TLPs) with their framing; the
descriptors of a poll-mode driver (16 bytes, fetched by 8, written back one by one); and the share of acknowledgements
and flow control at the rates of the specification. Real links are up to 10 % slower."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.inspect.pci import LinkSpeed
from wirespeed.units import FCS_BYTES, line_rate_pps

FRAMES = (64, 1518)
"""Bytes with FCS: the shortest and the longest without a tag."""

_WRITE, _READ, _COMPLETION = 24, 24, 20
"""Framing of a memory write and a read request with 64-bit addresses, and of a completion."""
_WRITE_BACK = _WRITE + 16
_WRITE_BACK_OF_8 = (_WRITE + 8 * 16) / 8
"""RX descriptors written back one by one, and eight at a time."""
_FETCH_UP, _FETCH_DOWN = _READ / 8, (_COMPLETION + 8 * 16) / 8
_DOORBELLS_UP, _DOORBELLS_DOWN = 1.3, 2.0
"""TX write-backs and doorbells, 32 packets each."""
DEFAULT_PAYLOAD, DEFAULT_READ = 128, 512
_LARGE_PAYLOAD, _LARGE_READ = 256, 4096
_MOST_LEFT = 0.93
"""Best share of the coded rate for TLPs of 256 bytes; the rest is acknowledgements and flow control."""

_GENERATIONS = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
_EIGHT_OF_TEN = 2
"""The last generation that sends 10 bits for 8; later ones 130 for 128."""

# Share of the coded rate that is left to TLPs, by generation and lanes: at payloads of 128 and of 256 bytes.
_LEFT = {
    (1, 1): (0.93, 0.96),
    (2, 1): (0.942, 0.962),
    (2, 4): (0.869, 0.90),
    (2, 8): (0.862, 0.897),
    (3, 4): (0.901, 0.923),
    (3, 8): (0.90, 0.919),
    (3, 16): (0.889, 0.905),
    (4, 16): (0.885, 0.90),
}


def generation(link: LinkSpeed) -> int | None:
    return _GENERATIONS.get(link.speed_gts)


def coded_gbps(link: LinkSpeed) -> float:
    """Bits per second each way after the line code, as the kernel's message has it: 16 for 5 GT/s x4."""
    number = generation(link)
    coding = 8 / 10 if number is not None and number <= _EIGHT_OF_TEN else 128 / 130
    return link.speed_gts * link.lanes * coding


def carried_gbps(link: LinkSpeed, payload_bytes: int | None = None) -> float:
    """Rate that is left for TLPs in each direction: 13.9 of 16 for 5 GT/s x4 at payloads of 128 bytes."""
    number = min(generation(link) or 3, 4)
    of_kind = [key for key in _LEFT if key[0] == number]
    nearest = min(of_kind, key=lambda key: abs(math.log2(key[1] / link.lanes)))
    small, large = _LEFT[nearest]
    return coded_gbps(link) * (large if (payload_bytes or DEFAULT_PAYLOAD) >= 256 else small)


@dataclass(frozen=True)
class PacketBytes:
    """Bytes on the link per packet received and sent: towards the host and from it."""

    up: float
    down: float


def packet_bytes(
    frame_bytes: int,
    payload_bytes: int | None = None,
    read_bytes: int | None = None,
    write_back: float = _WRITE_BACK,
) -> PacketBytes:
    """For a forwarded packet whose both ports are on the link, with `frame_bytes` on the wire and `write_back` bytes
    for its RX descriptor."""
    data = frame_bytes - FCS_BYTES
    payload, read = payload_bytes or DEFAULT_PAYLOAD, read_bytes or DEFAULT_READ
    received = data + math.ceil(data / payload) * _WRITE + write_back + _FETCH_UP
    sent = math.ceil(data / read) * _READ + _FETCH_UP + _DOORBELLS_UP
    fetched = 2 * _FETCH_DOWN + data + math.ceil(data / payload) * _COMPLETION + _DOORBELLS_DOWN
    return PacketBytes(received + sent, fetched)


@dataclass(frozen=True)
class Need:
    """Need of a link's ports at one frame size, if all send and receive at line rate."""

    frame_bytes: int
    pps: float
    up_gbps: float
    down_gbps: float

    @property
    def gbps(self) -> float:
        """In the tighter direction; the link has as much in each."""
        return max(self.up_gbps, self.down_gbps)


def need(
    ports_bps: Sequence[float], frame_bytes: int, payload_bytes: int | None = None, read_bytes: int | None = None
) -> Need:
    """Bandwidth for ports at these line rates: 37 Gb/s for two of 10G at 64 bytes."""
    pps = sum(line_rate_pps(frame_bytes, speed) for speed in ports_bps)
    each = packet_bytes(frame_bytes, payload_bytes, read_bytes)
    return Need(frame_bytes, pps, pps * each.up * 8 / 1e9, pps * each.down * 8 / 1e9)


def most_pps(
    link: LinkSpeed, frame_bytes: int, payload_bytes: int | None = None, read_bytes: int | None = None
) -> float:
    """Packets per second that the link lets through received and sent together, by the dear end of the model."""
    each = packet_bytes(frame_bytes, payload_bytes, read_bytes)
    return carried_gbps(link, payload_bytes) * 1e9 / 8 / max(each.up, each.down)


def ceiling_pps(
    link: LinkSpeed, frame_bytes: int, payload_bytes: int | None = None, read_bytes: int | None = None
) -> tuple[float, float]:
    """The highest forwarding rate on the link, as the range that the model leaves open.

    The low end has descriptors written back one by one, and default sizes of payloads and reads if they are unknown.
    The high end has eight descriptors at a time, the largest usual sizes, and 93 % of the coded rate for TLPs."""
    low = most_pps(link, frame_bytes, payload_bytes, read_bytes)
    each = packet_bytes(frame_bytes, payload_bytes or _LARGE_PAYLOAD, read_bytes or _LARGE_READ, _WRITE_BACK_OF_8)
    high = max(_MOST_LEFT * coded_gbps(link), carried_gbps(link, _LARGE_PAYLOAD)) * 1e9 / 8 / max(each.up, each.down)
    return low, max(low, high)
