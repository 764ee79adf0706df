"""The fuzzers' corpora as packets on a link, and any number of mutations of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

_CORPORA = Path(__file__).resolve().parents[2] / "native" / "fuzz" / "corpus"
_OF_THE_ROUTER = ("arp", "ip4", "ip6", "l2", "mpls", "nd")
_HEAD_BYTES = 2
"""Bytes at the start of each input that are for the fuzzer, see fuzz_ip4.c."""

MIN_BYTES, MAX_BYTES = 14, 1514
_ETHERNETS = (0x0800, 0x0806, 0x86DD, 0x8847, 0x8100, 0x88A8, 0x88CC, 0)


def corpus() -> list[bytes]:
    """All inputs that are packets."""
    files = (file for name in _OF_THE_ROUTER for file in sorted((_CORPORA / name).iterdir()))
    packets = (file.read_bytes()[_HEAD_BYTES:][:MAX_BYTES] for file in files)
    return [packet for packet in packets if len(packet) >= MIN_BYTES]


def mutated(seeds: list[bytes], count: int, random: Random, receiver: bytes) -> list[bytes]:
    """`count` packets: the seeds, then random mutations. Most have the receiver's MAC address, since others are dropped
    by the first node.
    """
    packets = []
    for number in range(count):
        packet = bytearray(seeds[number % len(seeds)])
        for _ in range(random.choice((0, 1, 1, 2, 5)) if number >= len(seeds) else 0):
            _mutate(packet, random)
        if random.random() < 0.9:
            packet[:6] = receiver
        if random.random() < 0.5 and packet[12:14] == b"\x08\x00":
            _make_forwardable(packet)
        packets.append(bytes(packet[:MAX_BYTES]).ljust(60, b"\0"))
    return packets


def _make_forwardable(packet: bytearray) -> None:
    """Correct a packet like the fuzzers: a destination with a route, and the header's checksum."""
    header = slice(14, 14 + 4 * (packet[14] & 0xF if len(packet) > 14 else 0))
    if header.stop < 34 or len(packet) < header.stop:
        return
    packet[26:34] = bytes((10, 0, 0, 2, 48, 0, 0, packet[33]))
    packet[24:26] = b"\0\0"
    words = packet[header]
    total = sum(int.from_bytes(words[at : at + 2]) for at in range(0, len(words), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    packet[24:26] = (0xFFFF - total).to_bytes(2)


def _mutate(packet: bytearray, random: Random) -> None:
    at = random.randrange(len(packet))
    match random.randrange(5):
        case 0:
            packet[at] ^= 1 << random.randrange(8)
        case 1:
            packet[at] = random.choice((0, 1, 0x45, 0x46, 0x60, 0x7F, 0x80, 0xFF))
        case 2 if len(packet) > 2 * MIN_BYTES:
            del packet[max(MIN_BYTES, at) :]
        case 3:
            packet[at:at] = random.randbytes(random.randrange(1, 40))
        case _:
            packet[12:14] = random.choice(_ETHERNETS).to_bytes(2)
