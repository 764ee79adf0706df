"""Records of sFlow: samples of packets and counters of ports, with the port numbers that collectors know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SampledPacket:
    """A packet of which `header` is the start. `source` is the port that it was sampled on, `pool` how many packets
    that port had by then, `dropped` how many samples were lost, and `sequence` counts those of the port; 0 stands for
    no port."""

    source: int
    sequence: int
    sampling_rate: int
    pool: int
    dropped: int
    packet_bytes: int
    input: int
    output: int
    is_output: bool
    header: bytes


@dataclass(frozen=True)
class PortCounts:
    """Counters of a port since the start; bytes are without FCS. `os_index` is Linux's number of the port's other side,
    if there is one."""

    index: int
    name: str
    mac: str
    speed_bps: int
    is_up: bool
    has_link: bool
    rx_packets: int
    rx_bytes: int
    rx_errors: int
    rx_discards: int
    tx_packets: int
    tx_bytes: int
    tx_errors: int
    tx_discards: int
    os_index: int | None = None
