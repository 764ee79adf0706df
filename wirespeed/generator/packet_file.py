"""A packet file as the core sends it: a chain of streams, one for each packet, at the file's own times or at others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.errors import UsageError
from wirespeed.generator.pcap import read_packets
from wirespeed.generator.translation import MIN_PACKET_BYTES, Addresses

MAX_PACKETS = 20_000

_SHORTEST_GAP_US = 0.001


@dataclass(frozen=True)
class Playing:
    """`gap_us` stands for the file's own gaps, `min_gap_us` raises short ones; `rounds` 0 is endless."""

    gap_us: float | None = None
    min_gap_us: float = 0.0
    speedup: float = 1.0
    rounds: int = 1
    keeps_src: bool = False
    keeps_dst: bool = False


def file_streams(path: Path, addresses: Addresses, how: Playing) -> list[Stream]:
    """The streams of a file; UsageError when it holds nothing that can be sent, FileFault when it cannot be read."""
    times_s: list[float] = []
    packets: list[bytes] = []
    for at_s, packet in read_packets(path):
        if len(packets) == MAX_PACKETS:
            raise UsageError(f"packet file {path} holds more than {MAX_PACKETS} packets; cut it (editcap -c)")
        if len(packet) < MIN_PACKET_BYTES:
            raise UsageError(f"packet file {path}: packet {len(packets) + 1} has {len(packet)} bytes, too few to send")
        times_s.append(at_s)
        packets.append(_addressed(packet, addresses, how))
    if not packets:
        raise UsageError(f"packet file {path} holds no packet")
    last = len(packets) - 1
    back_to = -1 if how.rounds == 1 else 0
    return [
        Stream(
            id=number,
            packet=packet,
            self_start=number == 0,
            mode=StreamMode.SINGLE_BURST,
            rate_pps=1e6 / gap_us,  # a burst of one packet lasts until the next is due
            fixed_rate=True,
            packets=1,
            bursts=1,
            next_id=number + 1 if number < last else back_to,
            loops=how.rounds if number == last and how.rounds != 1 else 0,
        )
        for number, (packet, gap_us) in enumerate(zip(packets, _gaps_us(times_s, how), strict=True))
    ]


def _addressed(packet: bytes, addresses: Addresses, how: Playing) -> bytes:
    dst = packet[0:6] if how.keeps_dst else addresses.dst
    src = packet[6:12] if how.keeps_src else addresses.src
    return dst + src + packet[12:]


def _gaps_us(times_s: list[float], how: Playing) -> list[float]:
    """What follows each packet; the last is followed, in another round, by what preceded it."""
    if how.gap_us is not None:
        gaps = [how.gap_us] * len(times_s)
    else:
        between = [(after - before) * 1e6 for before, after in zip(times_s, times_s[1:], strict=False)]
        gaps = between + (between[-1:] or [0.0])
    return [max(gap / how.speedup, how.min_gap_us, _SHORTEST_GAP_US) for gap in gaps]
