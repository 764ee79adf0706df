"""Ports, workers and packet pools of a process, as router and generator read them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class RxStart(IntEnum):
    """When a port begins to receive: once it is open, once its interface is first up, or on request."""

    AT_ONCE = 0
    WHEN_UP = 1
    WHEN_TOLD = 2


class PortMedium(IntEnum):
    """The medium of a port, which decides the cause of refused packets:
    docs/develop/decisions/0002-refused-and-late.md."""

    RING = 0
    """memif, vhost or ring: the peer did not drain its ring."""
    QUEUE = 1
    """All other ports: their own transmit queue is full."""


@dataclass(frozen=True)
class PortInfo:
    """A port as its driver describes it.

    `speed_bps` is 0 if neither spec nor link has a speed, e.g. while there is no link; `most_speed_bps` is the highest
    speed of the device, 0 if unknown. `longest_tx` and `longest_rx` are frame lengths without FCS. A `removed` port was
    taken out of the machine and stays down.
    """

    name: str
    driver: str
    bus_address: str
    mac: str
    link_up: bool
    started: bool
    is_virtual: bool
    promiscuous: bool
    removed: bool
    speed_bps: int
    most_speed_bps: int
    medium: PortMedium
    numa: int
    mtu: int
    max_mtu: int
    longest_tx: int
    longest_rx: int
    rx_queues: int
    tx_queues: int
    max_rx_queues: int
    max_tx_queues: int
    rx_descriptors: int
    tx_descriptors: int
    min_rx_descriptors: int
    max_rx_descriptors: int
    min_tx_descriptors: int
    max_tx_descriptors: int


@dataclass(frozen=True)
class PortDevice:
    """Offloads of a port's DPDK driver, available and enabled, by VPP's names; a burst function without a name is
    empty. `hash_…` are the fields by which packets are distributed over the RX queues."""

    rx_offered: tuple[str, ...]
    rx_active: tuple[str, ...]
    tx_offered: tuple[str, ...]
    tx_active: tuple[str, ...]
    hash_offered: tuple[str, ...]
    hash_active: tuple[str, ...]
    rx_burst: str
    tx_burst: str
    max_rx_packet: int
    hash_key_bytes: int
    reta_size: int
    all_multicast: bool


@dataclass(frozen=True)
class PortCounters:
    """The driver's own counters since start; bytes are without FCS."""

    rx_packets: int
    tx_packets: int
    rx_bytes: int
    tx_bytes: int
    rx_missed: int
    rx_errors: int
    tx_errors: int
    rx_no_buffer: int


@dataclass(frozen=True)
class WorkerInfo:
    """One worker thread; `thread_id` is 0 while it does not run."""

    name: str
    cpu: int
    thread_id: int
    loops: int


@dataclass(frozen=True)
class PoolInfo:
    """A packet pool of the process: there is one for each NUMA `node` with workers."""

    name: str
    buffer_size: int
    total: int
    available: int
    node: int = 0
