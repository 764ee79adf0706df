"""A packet file as the core sends it: a chain of streams, one for each packet, at the file's own times or at others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from wirespeed._native.pcap import read_packets
from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.errors import UsageError
from wirespeed.generator.erf import read_records
from wirespeed.generator.translation import MIN_PACKET_BYTES, Addresses

MAX_PACKETS = 20_000

_SHORTEST_GAP_US = 0.001


@dataclass(frozen=True)
class Playing:
    """`gap_us` replaces the gaps of the file, `min_gap_us` raises short ones; `rounds` 0 is endless."""

    gap_us: float | None = None
    min_gap_us: float = 0.0
    speedup: float = 1.0
    rounds: int = 1
    keeps_src: bool = False
    keeps_dst: bool = False


@dataclass(frozen=True)
class _Recorded:
    """`interface`: on which side of the wire the packet was seen; 0 where the file does not tell."""

    at_s: float
    packet: bytes
    interface: int = 0


def file_streams(path: Path, addresses: Addresses, how: Playing) -> list[Stream]:
    """The streams of a file; UsageError when it holds nothing that can be sent, FileFault when it cannot be read."""
    recorded = _read(path)
    times_us, round_us = _times_us(recorded, how)
    timed = [(at_us, _addressed(one.packet, addresses, how)) for at_us, one in zip(times_us, recorded, strict=True)]
    return _chain(timed, round_us, how.rounds)


def side_streams(path: Path, addresses: tuple[Addresses, Addresses], how: Playing) -> tuple[list[Stream], list[Stream]]:
    """Streams of an ERF file's two interfaces, each with its own addresses. They start at the same instant."""
    if path.suffix.lower() != ".erf":
        raise UsageError(f"packet file {path} does not record directions; is_dual needs an ERF file (.erf)")
    recorded = _read(path)
    times_us, round_us = _times_us(recorded, how)
    sides: tuple[list[tuple[float, bytes]], list[tuple[float, bytes]]] = ([], [])
    for at_us, one in zip(times_us, recorded, strict=True):
        side = one.interface & 1
        sides[side].append((at_us, _addressed(one.packet, addresses[side], how)))
    if not all(sides):
        raise UsageError(f"packet file {path} holds packets of one interface only; send it without is_dual")
    first, second = (_chain(side, round_us, how.rounds) for side in sides)
    return first, second


def _read(path: Path) -> list[_Recorded]:
    recorded: list[_Recorded] = []
    for record in _records(path):
        if len(recorded) == MAX_PACKETS:
            raise UsageError(f"packet file {path} holds more than {MAX_PACKETS} packets; cut it (editcap -c)")
        if len(record.packet) < MIN_PACKET_BYTES:
            raise UsageError(
                f"packet file {path}: packet {len(recorded) + 1} has {len(record.packet)} bytes, too few to send"
            )
        recorded.append(record)
    if not recorded:
        raise UsageError(f"packet file {path} holds no packet; give another")
    return recorded


def _records(path: Path) -> Iterator[_Recorded]:
    read = read_records if path.suffix.lower() == ".erf" else read_packets
    return (_Recorded(*one) for one in read(path))


def _times_us(recorded: list[_Recorded], how: Playing) -> tuple[list[float], float]:
    """Due times of the packets, relative to the first one, and the time at which the first one is due again."""
    *times_us, round_us = accumulate(_gaps_us([one.at_s for one in recorded], how), initial=0.0)
    return times_us, round_us


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
    """Gaps after each packet, in microseconds. In the next round, the gap after the last packet is the one before
    it."""
    if how.gap_us is not None:
        gaps = [how.gap_us] * len(times_s)
    else:
        between = [(after - before) * 1e6 for before, after in zip(times_s, times_s[1:], strict=False)]
        gaps = between + (between[-1:] or [0.0])
    return [max(gap / how.speedup, how.min_gap_us, _SHORTEST_GAP_US) for gap in gaps]
