"""Netlink messages as VPP's sflow plugin sends them: samples as Linux' psample has them (`linux/psample.h`), counters
as host-sflow's module for VPP takes them."""

from __future__ import annotations

import struct
from enum import IntEnum

from wirespeed.router.features.sflow.records import PortCounts, SampledPacket

_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_FAMILY_HEADER = struct.Struct("=BBH")
_PSAMPLE_VERSION = 1
_CMD_SAMPLE = 0
_ETHERNET_PROTOCOL = 1
_INGRESS_GROUP, _EGRESS_GROUP = 3, 4
_ETHERNET_PORT = 6
_FULL_DUPLEX = 1
_STATUS, _IF_COUNTERS = 1, 2


class Psample(IntEnum):
    """Attributes of a sample."""

    IIFINDEX = 0
    OIFINDEX = 1
    ORIGSIZE = 2
    SAMPLE_GROUP = 3
    GROUP_SEQ = 4
    SAMPLE_RATE = 5
    DATA = 6
    PROTO = 14


class Vpp(IntEnum):
    """Attributes of counters and of the status."""

    PORTNAME = 0
    IFINDEX = 1
    IFTYPE = 2
    IFSPEED = 3
    IFDIRECTION = 4
    OPER_UP = 5
    ADMIN_UP = 6
    RX_OCTETS = 7
    TX_OCTETS = 8
    RX_PKTS = 9
    TX_PKTS = 10
    RX_BCASTS = 11
    TX_BCASTS = 12
    RX_MCASTS = 13
    TX_MCASTS = 14
    RX_DISCARDS = 15
    TX_DISCARDS = 16
    RX_ERRORS = 17
    TX_ERRORS = 18
    HW_ADDRESS = 19
    UPTIME_S = 20
    OSINDEX = 21
    DROPS = 22
    SEQ = 23


def message(kind: int, sequence: int, body: bytes, flags: int = 0) -> bytes:
    return _HEADER.pack(_HEADER.size + len(body), kind, flags, sequence, 0) + body


def attribute(kind: int, value: bytes) -> bytes:
    """Padded to a multiple of four bytes."""
    length = _ATTRIBUTE.size + len(value)
    return _ATTRIBUTE.pack(length, kind) + value + bytes(-length % 4)


def family_message(family: int, command: int, version: int, sequence: int, body: bytes, flags: int = 0) -> bytes:
    """One of generic netlink."""
    return message(family, sequence, _FAMILY_HEADER.pack(command, version, 0) + body, flags)


def _u16(value: int) -> bytes:
    return struct.pack("=H", value)


def _u32(value: int) -> bytes:
    return struct.pack("=I", value & 0xFFFFFFFF)


def _u64(value: int) -> bytes:
    return struct.pack("=Q", value)


def psample_message(family: int, sequence: int, group_sequence: int, sample: SampledPacket) -> bytes:
    """`group_sequence` counts the samples of the direction, which is psample's group."""
    values = (
        (Psample.IIFINDEX, _u32(sample.input)),
        (Psample.OIFINDEX, _u32(sample.output)),
        (Psample.ORIGSIZE, _u32(sample.packet_bytes)),
        (Psample.SAMPLE_GROUP, _u32(_EGRESS_GROUP if sample.is_output else _INGRESS_GROUP)),
        (Psample.GROUP_SEQ, _u32(group_sequence)),
        (Psample.SAMPLE_RATE, _u32(sample.sampling_rate)),
        (Psample.DATA, sample.header),
        (Psample.PROTO, _u16(_ETHERNET_PROTOCOL)),
    )
    body = b"".join(attribute(kind, value) for kind, value in values)
    return family_message(family, _CMD_SAMPLE, _PSAMPLE_VERSION, sequence, body)


def counters_message(sequence: int, port: PortCounts) -> bytes:
    """Broadcasts and multicasts are not told apart from other packets."""
    values = [
        (Vpp.PORTNAME, port.name.encode()),
        (Vpp.IFINDEX, _u32(port.index)),
        (Vpp.IFTYPE, _u32(_ETHERNET_PORT)),
        (Vpp.IFSPEED, _u64(port.speed_bps)),
        (Vpp.IFDIRECTION, _u32(_FULL_DUPLEX)),
        (Vpp.OPER_UP, _u32(port.has_link)),
        (Vpp.ADMIN_UP, _u32(port.is_up)),
        (Vpp.RX_OCTETS, _u64(port.rx_bytes)),
        (Vpp.TX_OCTETS, _u64(port.tx_bytes)),
        (Vpp.RX_PKTS, _u64(port.rx_packets)),
        (Vpp.TX_PKTS, _u64(port.tx_packets)),
        (Vpp.RX_DISCARDS, _u64(port.rx_discards)),
        (Vpp.TX_DISCARDS, _u64(port.tx_discards)),
        (Vpp.RX_ERRORS, _u64(port.rx_errors)),
        (Vpp.TX_ERRORS, _u64(port.tx_errors)),
        (Vpp.HW_ADDRESS, bytes.fromhex(port.mac.replace(":", ""))),
        (Vpp.SEQ, _u32(sequence)),
    ]
    if port.os_index is not None:
        values.append((Vpp.OSINDEX, _u32(port.os_index)))
    return message(_IF_COUNTERS, sequence, b"".join(attribute(kind, value) for kind, value in values))


def status_message(sequence: int, uptime_s: int, dropped: int) -> bytes:
    """`dropped`: samples that were lost on their way."""
    values = ((Vpp.UPTIME_S, uptime_s), (Vpp.DROPS, dropped), (Vpp.SEQ, sequence))
    return message(_STATUS, sequence, b"".join(attribute(kind, _u32(value)) for kind, value in values))
