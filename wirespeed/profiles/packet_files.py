"""Packet files as profiles: a chain of streams, one for each packet, at the file's own times or at others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from wirespeed._native.pcap import read_packets
from wirespeed.profiles.instructions import STLError
from wirespeed.profiles.packet import STLPktBuilder
from wirespeed.profiles.streams import (
    STLStream,
    STLStreamDstMAC_CFG_FILE,
    STLStreamDstMAC_PKT,
    STLTXSingleBurst,
)
from wirespeed.scapy_layers import IP, Ether, IPv6

_LEAST_GAP_USEC = 0.001
_START_OF_SIDES_USEC = 1000.0
"""Delay of both sides of a split file, so that both ports have started before a packet is due."""

Timed = tuple[float, bytes]
"""Microseconds from the start, and the packet."""


def load_pcap(
    path: Path,
    ipg_usec: float | None = None,
    speedup: float = 1.0,
    loop_count: int = 1,
    vm: Any = None,
    packet_hook: Callable[[bytes], bytes] | None = None,
    split_mode: str | None = None,
    min_ipg_usec: float | None = None,
    src_mac_pcap: bool = False,
    dst_mac_pcap: bool = False,
) -> list[STLStream] | tuple[list[STLStream], list[STLStream]]:
    """Streams of a file; with `split_mode` "MAC" or "IP" those of its two sides, the one that sends first in front.

    Gaps are the file's own or `ipg_usec`, divided by `speedup`, and at least `min_ipg_usec`. The file is sent
    `loop_count` times, 0 for ever.
    """
    if speedup <= 0:
        raise STLError(f"speedup {speedup:g} is not above zero; 1 keeps the file's times")
    if loop_count < 0:
        raise STLError(f"loop_count {loop_count} is below zero; 0 repeats without end")
    least_usec = min_ipg_usec or 0.0
    if ipg_usec is not None and max(ipg_usec / speedup, least_usec) < _LEAST_GAP_USEC:
        raise STLError(
            f"ipg_usec {ipg_usec:g} leaves less than {_LEAST_GAP_USEC} us between packets; give a longer one"
        )
    packets = _timed(path, ipg_usec, speedup, least_usec)

    def chain(timed: list[Timed], before_usec: float = 0.0, after_usec: float = 0.0) -> list[STLStream]:
        return _chain(timed, loop_count, vm, packet_hook, (before_usec, after_usec), (src_mac_pcap, dst_mac_pcap))

    if split_mode is None:
        return chain(packets)
    sides = sorted(_split(path, packets, split_mode), key=lambda side: side[0][0])
    before_usec = max(_START_OF_SIDES_USEC if ipg_usec is None else ipg_usec / speedup, least_usec)
    end_usec = packets[-1][0]
    first, second = (chain(side, before_usec, end_usec - side[-1][0]) for side in sides)
    return first, second


def _timed(path: Path, ipg_usec: float | None, speedup: float, least_usec: float) -> list[Timed]:
    at_usec, before_s, timed = 0.0, None, []
    for at_s, packet in read_packets(path):
        gap_usec = ipg_usec if ipg_usec is not None else 0.0 if before_s is None else (at_s - before_s) * 1e6
        if ipg_usec is not None or before_s is not None:
            at_usec += max(gap_usec / speedup, least_usec)
        elif least_usec:
            at_usec = least_usec
        before_s = at_s
        timed.append((at_usec, packet))
    if not timed:
        raise STLError(f"packet file {path} holds no packet; give another")
    return timed


def _chain(
    packets: list[Timed],
    loop_count: int,
    vm: Any,
    hook: Callable[[bytes], bytes] | None,
    delays_usec: tuple[float, float],
    own_macs: tuple[bool, bool],
) -> list[STLStream]:
    before_usec, after_usec = delays_usec
    flags: dict[str, Any] = {
        "mode": STLTXSingleBurst(total_pkts=1, percentage=100),
        "mac_src_override_by_pkt": int(own_macs[0]),
        "mac_dst_override_mode": STLStreamDstMAC_PKT if own_macs[1] else STLStreamDstMAC_CFG_FILE,
    }
    streams: list[STLStream] = []
    last_usec = 0.0
    for number, (at_usec, packet) in enumerate(packets, start=1):
        ends = number == len(packets)
        streams.append(
            STLStream(
                name=number,
                packet=STLPktBuilder(pkt_buffer=hook(packet) if hook else packet, vm=vm),
                self_start=number == 1,
                isg=at_usec - last_usec + (before_usec if number == 1 else 0.0),
                next=number + 1 if not ends else "delay_stream" if after_usec else 1,
                action_count=loop_count if ends and not after_usec else 0,
                **flags,
            )
        )
        last_usec = at_usec
    if after_usec:
        # A round is as long as the file: this side waits until the other one has sent its last packet.
        wait = STLStream(
            name="delay_stream",
            self_start=False,
            isg=after_usec,
            next=1,
            action_count=loop_count,
            dummy_stream=True,
            **flags,
        )
        streams.insert(-1, wait)
    return streams


def _split(path: Path, packets: list[Timed], mode: str) -> tuple[list[Timed], list[Timed]]:
    """Packets of the two sides: addresses that send to each other are on different ones."""
    if mode not in ("MAC", "IP"):
        raise STLError(f"split_mode {mode!r} is not known; give MAC or IP")
    ends = [_ends(packet, mode) for _, packet in packets]
    side_of = _two_sides(path, [pair for pair in ends if pair is not None])
    sides: tuple[list[Timed], list[Timed]] = ([], [])
    for timed, pair in zip(packets, ends, strict=True):
        sides[0 if pair is None else side_of[pair[0]]].append(timed)
    if not all(sides):
        raise STLError(f"packet file {path} holds one direction only; send it from one port")
    return sides


def _ends(packet: bytes, mode: str) -> tuple[Hashable, Hashable] | None:
    """Source and destination; None for a packet without IP where IP addresses are asked for."""
    layers = Ether(packet)
    if mode == "IP":
        layers = layers.getlayer(IP) or layers.getlayer(IPv6)
    return None if layers is None else (layers.src, layers.dst)


def _two_sides(path: Path, pairs: list[tuple[Hashable, Hashable]]) -> dict[Hashable, int]:
    neighbors: dict[Hashable, list[Hashable]] = {}
    for src, dst in pairs:
        neighbors.setdefault(src, [])
        neighbors.setdefault(dst, [])
        if src != dst:
            neighbors[src].append(dst)
            neighbors[dst].append(src)
    side_of: dict[Hashable, int] = {}
    for address in neighbors:
        side_of.setdefault(address, 0)
        waiting = deque([address])
        while waiting:
            here = waiting.popleft()
            for there in neighbors[here]:
                if there not in side_of:
                    side_of[there] = 1 - side_of[here]
                    waiting.append(there)
                elif side_of[there] == side_of[here]:
                    raise STLError(
                        f"packet file {path} cannot be split in two directions: {here} and {there} are on the same side"
                    )
    return side_of
