"""sFlow version 5 (sflow.org/sflow_version_5.txt): datagrams of samples and counters."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from wirespeed.router.features.sflow.records import PortCounts, SampledPacket

PORT = 6343
_VERSION = 5
_FLOW_SAMPLE, _COUNTERS_SAMPLE = 1, 2
_RAW_HEADER, _GENERIC_COUNTERS = 1, 1
_ETHERNET = 1
_FCS_BYTES = 4
_ETHERNET_PORT = 6
_FULL_DUPLEX = 1
_UNKNOWN = 0xFFFFFFFF
"""Value of a counter that is not kept."""
_MOST_BYTES = 1400
"""Most bytes of a datagram: it fits into one packet of any link with an MTU of 1500."""


def _words(*values: int) -> bytes:
    return struct.pack(f"!{len(values)}I", *(value & 0xFFFFFFFF for value in values))


def flow_record(sample: SampledPacket) -> bytes:
    header = sample.header + bytes(-len(sample.header) % 4)
    raw = _words(_ETHERNET, sample.packet_bytes + _FCS_BYTES, _FCS_BYTES, len(sample.header)) + header
    body = _words(
        sample.sequence,
        sample.source,
        sample.sampling_rate,
        sample.pool,
        sample.dropped,
        sample.input,
        sample.output,
        1,
        _RAW_HEADER,
        len(raw),
    )
    return _words(_FLOW_SAMPLE, len(body) + len(raw)) + body + raw


def counters_record(sequence: int, port: PortCounts) -> bytes:
    counters = (
        _words(port.index, _ETHERNET_PORT)
        + struct.pack("!Q", port.speed_bps)
        + _words(_FULL_DUPLEX, port.is_up | port.has_link << 1)
        + struct.pack("!Q", port.rx_bytes)
        + _words(port.rx_packets, _UNKNOWN, _UNKNOWN, port.rx_discards, port.rx_errors, _UNKNOWN)
        + struct.pack("!Q", port.tx_bytes)
        + _words(port.tx_packets, _UNKNOWN, _UNKNOWN, port.tx_discards, port.tx_errors, 0)
    )
    body = _words(sequence, port.index, 1, _GENERIC_COUNTERS, len(counters))
    return _words(_COUNTERS_SAMPLE, len(body) + len(counters)) + body + counters


@dataclass
class Datagrams:
    """Datagrams of the agent with this `address`, numbered from 1."""

    address: IPv4Address | IPv6Address
    sequence: int = 0

    def of(self, records: Iterable[bytes], uptime_ms: int) -> Iterator[tuple[bytes, int]]:
        """Each datagram, and how many records it has."""
        waiting: list[bytes] = []
        for record in records:
            if waiting and sum(map(len, waiting)) + len(record) + len(self._head(0, 0)) > _MOST_BYTES:
                yield self._made(waiting, uptime_ms), len(waiting)
                waiting = []
            waiting.append(record)
        if waiting:
            yield self._made(waiting, uptime_ms), len(waiting)

    def _made(self, records: list[bytes], uptime_ms: int) -> bytes:
        self.sequence += 1
        return self._head(uptime_ms, len(records)) + b"".join(records)

    def _head(self, uptime_ms: int, count: int) -> bytes:
        kind = _words(_VERSION, 1 if self.address.version == 4 else 2) + self.address.packed
        return kind + _words(0, self.sequence, uptime_ms, count)
