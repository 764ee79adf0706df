"""A packet file as the core sends it: a chain of streams, one for each packet, at the file's own times or at others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
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
    *times_us, round_us = accumulate(_gaps_us(times_s, how), initial=0.0)
    return _chain(list(zip(times_us, packets, strict=True)), round_us, how.rounds)


def _chain(packets: Sequence[tuple[float, bytes]], round_us: float, rounds: int) -> list[Stream]:
    """Packets with the times at which they are due. Where there is another round, a stream without packets waits for
    the end of the one before it."""
    last = len(packets) - 1
    streams = []
    before_us = 0.0
    for number, (at_us, packet) in enumerate(packets):
        follows = number + 1 if number < last or rounds != 1 else -1
        streams.append(_single(number, packet, delay_us=at_us - before_us, next_id=follows))
        before_us = at_us
    if rounds != 1:
        streams.append(
            _single(last + 1, b"", is_null=True, delay_us=round_us - before_us, next_id=0, loops=rounds),
        )
    return streams


def _single(
    number: int, packet: bytes, *, delay_us: float, next_id: int, loops: int = 0, is_null: bool = False
) -> Stream:
    return Stream(
        id=number,
        packet=packet,
        self_start=number == 0,
        mode=StreamMode.SINGLE_BURST,
        rate_pps=1e6,
        fixed_rate=True,
        packets=1,
        bursts=1,
        start_delay_us=delay_us,
        next_id=next_id,
        loops=loops,
        is_null=is_null,
    )


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
