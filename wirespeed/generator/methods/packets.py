"""Packets that are sent once: pushed ones, and those of a packet file on the server."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed.generator.packet_file import Playing, file_streams
from wirespeed.generator.port import Port
from wirespeed.generator.registry import OwnedPort, method, read
from wirespeed.generator.rpc import Json, bad_parameters, failed
from wirespeed.generator.translation import MIN_PACKET_BYTES, Addresses

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

MAX_GAP_US = 1e9

_COUNT_MASK = 0x3FFF_FFFF
_SRC_FROM_FILE, _DST_FROM_FILE = 0x8000_0000, 0x4000_0000
"""T-Rex's client hides these two in the count."""


@method("push_pkts")
def push_pkts(server: Server, port: Port, pkts: list[Any], force: bool = False, ipg_usec: float = 0.0) -> Json:
    """Send packets once, from any session; while streams run only with `force`."""
    if port.traffic.running and not force:
        raise failed(f"port {port.index} sends; push with force to send beside it")
    if not 0 <= ipg_usec <= MAX_GAP_US:
        raise failed(f"ipg_usec of {ipg_usec:g} cannot be used; give 0 to {MAX_GAP_US:g}")
    packets = [_packet(port, pushed) for pushed in pkts]
    if packets:
        server.pushes.push(port.index, packets, ipg_usec)
    return {"sent": len(packets), "ts": server.core.now_s()}


def _packet(port: Port, pushed: Any) -> bytes:
    if not isinstance(pushed, dict):
        raise bad_parameters("field 'pkts' is not an array of 'object'")
    try:
        packet = base64.b64decode(read(pushed, "binary", str), validate=True)
    except binascii.Error:
        raise bad_parameters("field 'binary' is not base64") from None
    if len(packet) < MIN_PACKET_BYTES:
        raise failed(f"packet of {len(packet)} bytes; {MIN_PACKET_BYTES} at least can be sent")
    port.check_length(packet)
    addresses = _addresses(port)
    dst = addresses.dst if read(pushed, "use_port_dst_mac", bool, False) else packet[0:6]
    src = addresses.src if read(pushed, "use_port_src_mac", bool, False) else packet[6:12]
    return dst + src + packet[12:]


def _addresses(port: Port) -> Addresses:
    return Addresses(port.layers.host.mac, bytes.fromhex(port.layers.dst_mac.replace(":", "")))


@method("push_remote")
def push_remote(
    server: Server,
    port: OwnedPort,
    pcap_filename: str,
    ipg_usec: float = -1,
    speedup: float = 1.0,
    count: int = 1,
    duration: float = -1,
    is_dual: bool = False,
    min_ipg_usec: float = 0,
) -> Json:
    """Send a packet file that lies on the server; the port is in PCAP_TX until it is through."""
    if is_dual:
        raise failed("is_dual needs a file that tells directions (ERF); give each port a file of its own")
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
    streams = file_streams(Path(pcap_filename), _addresses(port), how)
    for stream in streams:
        port.check_length(stream.packet)
    port.traffic.play(streams, duration or -1, endless=how.rounds == 0)
    return {}
