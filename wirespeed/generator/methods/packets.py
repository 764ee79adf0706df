"""Packets that are sent once: pushed ones, and those of a packet file on the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed._native.stream_records import MAX_PACKET_BYTES, Stream
from wirespeed.generator.packet_file import Playing, file_streams, side_streams
from wirespeed.generator.parameters import FileName, read, type_name
from wirespeed.generator.port import Port
from wirespeed.generator.registry import OwnedPort, method
from wirespeed.generator.rpc import Json, bad_parameters, failed
from wirespeed.generator.translation import MIN_PACKET_BYTES, Addresses
from wirespeed.profiles.packet_text import packet_of

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

MAX_GAP_US, MAX_BATCH_US = 1e9, 1e6

_BOTH_STARTED_S = 0.1
"""Both sides of a file have been handed to their workers after this time."""

_COUNT_MASK = 0x3FFF_FFFF
_SRC_FROM_FILE, _DST_FROM_FILE = 0x8000_0000, 0x4000_0000
"""T-Rex's client hides these two in the count."""


@method("push_pkts")
def push_pkts(server: Server, port: Port, pkts: list[Any], force: bool = False, ipg_usec: float = 0.0) -> Json:
    """Send packets once, from any session, in addition to the port's traffic. Only clients evaluate `force`."""
    del force
    if not 0 <= ipg_usec <= MAX_GAP_US:
        raise failed(f"ipg_usec of {ipg_usec:g} cannot be used; give 0 to {MAX_GAP_US:g}")
    if len(pkts) * ipg_usec > MAX_BATCH_US:
        raise bad_parameters("TX batch total transmit time exceeds the limit of 1 second")
    packets = [_packet(port, number, pushed) for number, pushed in enumerate(pkts, start=1)]
    if packets:
        server.pushes.push(port.index, packets, ipg_usec)
    return {"sent": len(packets), "ts": server.core.now_s()}


def _packet(port: Port, number: int, pushed: Any) -> bytes:
    if not isinstance(pushed, dict):
        raise bad_parameters(f"'array element: {number} ' is '{type_name(pushed)}', expecting 'object'")
    packet = packet_of(read(pushed, "binary", str))
    if len(packet) < MIN_PACKET_BYTES:
        bounds = f"between {MIN_PACKET_BYTES} and {MAX_PACKET_BYTES}"
        raise failed(f"Bad packet size provided: {len(packet)}. Should be {bounds}")
    port.check_length(packet)
    addresses = _addresses(port)
    dst = addresses.dst if read(pushed, "use_port_dst_mac", bool) else packet[0:6]
    src = addresses.src if read(pushed, "use_port_src_mac", bool) else packet[6:12]
    return dst + src + packet[12:]


def _addresses(port: Port) -> Addresses:
    return Addresses(port.layers.host.mac, bytes.fromhex(port.layers.dst_mac.replace(":", "")))


@method("push_remote")
def push_remote(
    server: Server,
    port: OwnedPort,
    pcap_filename: FileName,
    ipg_usec: float = -1,
    speedup: float = 1.0,
    count: int = 1,
    duration: float = -1,
    is_dual: bool = False,
    slave_handler: str = "",
    min_ipg_usec: float = 0,
) -> Json:
    """Send a packet file that lies on the server; the port is in PCAP_TX until it is through. With `is_dual` what the
    file has of its second interface is sent from the other port of the pair, which `slave_handler` owns."""
    if not speedup > 0:
        raise failed(f"speedup {speedup:g} is not above zero")
    if max(ipg_usec, min_ipg_usec) > MAX_GAP_US:
        raise failed(f"a gap of {max(ipg_usec, min_ipg_usec):g} usec cannot be used; give {MAX_GAP_US:g} at most")
    how = Playing(
        gap_us=ipg_usec if ipg_usec >= 0 else None,
        min_gap_us=max(0.0, min_ipg_usec),
        speedup=speedup,
        rounds=count & _COUNT_MASK,
        keeps_src=bool(count & _SRC_FROM_FILE),
        keeps_dst=bool(count & _DST_FROM_FILE),
    )
    path, duration_s, endless = Path(pcap_filename), duration or -1, how.rounds == 0
    if is_dual:
        other = _other_side(server, port)
        sides = side_streams(path, (_addresses(port), _addresses(other)), how)
        other.check_handler(slave_handler)
        _play_sides(server, (port, other), sides, duration_s, endless)
        return {}
    streams = file_streams(path, _addresses(port), how)
    _check_lengths(port, streams)
    port.traffic.play(streams, duration_s, endless)
    return {}


def _other_side(server: Server, port: Port) -> Port:
    if port.index ^ 1 >= len(server.ports):
        raise failed(f"port {port.index} has no second port of a pair, which is_dual needs; leave out is_dual")
    other: Port = server.ports[port.index ^ 1]
    return other


def _play_sides(
    server: Server,
    pair: tuple[Port, Port],
    sides: tuple[list[Stream], list[Stream]],
    duration_s: float,
    endless: bool,
) -> None:
    for port, streams in zip(pair, sides, strict=True):
        _check_lengths(port, streams)
        port.traffic.check_idle()
    start_at_s = server.core.now_s() + _BOTH_STARTED_S
    for port, streams in zip(pair, sides, strict=True):
        port.traffic.play(streams, duration_s, endless, start_at_s)


def _check_lengths(port: Port, streams: list[Stream]) -> None:
    for stream in streams:
        port.check_length(stream.packet)
