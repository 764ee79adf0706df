"""Baseline latency of a port type: the latency with nothing but a link between two ports.

Before it serves, `wirespeed generator --calibrate` sends a latency stream from the first port of each pair to the
second one (or back to itself, for a single looped port). It prints the shortest and the usual latency, and reports both
to its clients. The latency of a DUT is the measured one minus this baseline."""

from __future__ import annotations

import time
from dataclasses import dataclass

from wirespeed._native.flow_records import FlowKind, LatencyCounters
from wirespeed._native.generator import NativeGenerator
from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.errors import EnvironmentFault
from wirespeed.generator.hdr import value_at
from wirespeed.generator.rpc import Json

PACKETS, RATE_PPS = 2000, 1000.0
LINK_WAIT_S = 15.0
FLOW_ID = 127

_HALF_BITS = 7
_FRAME = bytes.fromhex("020000000002020000000001" + "0800" + "4500002e00000000401138c0" + "10000001" + "30000001")
_FRAME += bytes.fromhex("0401000c001a0000") + bytes(18)


@dataclass(frozen=True)
class Floor:
    """Nanoseconds from handing a packet to one driver to getting it from the other."""

    packets: int
    min_ns: int
    median_ns: int
    p99_ns: int

    def __str__(self) -> str:
        times = (
            f"at least {self.min_ns / 1000:.2f} us, median {self.median_ns / 1000:.2f}, 99 % {self.p99_ns / 1000:.2f}"
        )
        return f"floor of the medium: {times} ({self.packets} packets)"

    def to_json(self) -> Json:
        return {"min_us": self.min_ns / 1000, "median_us": self.median_ns / 1000, "p99_us": self.p99_ns / 1000}


def measure_floor(core: NativeGenerator, tx_port: int, rx_port: int, packets: int = PACKETS) -> Floor:
    """Send `packets` of a latency stream; EnvironmentFault when none comes back."""
    stream = Stream(
        1,
        _FRAME,
        mode=StreamMode.SINGLE_BURST,
        rate_pps=RATE_PPS,
        packets=packets,
        flow_kind=FlowKind.LATENCY,
        flow_id=FLOW_ID,
    )
    core.reset_flows(FlowKind.LATENCY, [FLOW_ID])
    core.start(tx_port, [stream], 1.0, -1.0)
    while core.snapshot().ports[tx_port].active:
        time.sleep(0.02)
    time.sleep(0.05)
    seen = core.latencies([FLOW_ID])[FLOW_ID]
    if not seen.packets:
        raise EnvironmentFault(
            f"port {rx_port} received no packet from port {tx_port}; connect them with each other, "
            "or leave out --calibrate"
        )
    return Floor(seen.packets, seen.min_ns, percentile_ns(seen, 50), percentile_ns(seen, 99))


def percentile_ns(seen: LatencyCounters, percent: float) -> int:
    """A percentile of the latency, to two digits."""
    wanted = percent / 100 * sum(count for _, count in seen.hdr)
    total = 0
    for index, count in seen.hdr:
        total += count
        if total >= wanted:
            return value_at(index, _HALF_BITS)
    return 0


def calibrate(core: NativeGenerator) -> dict[int, Floor]:
    """The floor between each pair of ports, under the number of the first; a last port without a pair is looped."""
    floors = {}
    for tx_port in range(0, core.port_count(), 2):
        rx_port = min(tx_port + 1, core.port_count() - 1)
        _wait_for_links(core, (tx_port, rx_port))
        floors[tx_port] = measure_floor(core, tx_port, rx_port)
    return floors


def _wait_for_links(core: NativeGenerator, ports: tuple[int, int]) -> None:
    deadline_s = time.monotonic() + LINK_WAIT_S
    while down := [port for port in ports if not core.port_info(port).link_up]:
        if time.monotonic() > deadline_s:
            raise EnvironmentFault(f"port {down[0]} has no link after {LINK_WAIT_S:g} s; there is nothing to calibrate")
        time.sleep(0.05)
