"""The floor of a medium: the latency that is measured when there is nothing between two ports but a wire.

    python -m wirespeed.generator.calibration PORT [PORT] [--cpu N]

sends a latency stream from the first port to the second (or back to the first, when it is looped) and prints the
shortest and the usual time. What a DUT adds is what is measured through it, less this. Both ports must be one
process's: a looped ring, a cable, a veth pair, a virtual wire through a cross-connect.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass

from wirespeed._native import runtime
from wirespeed._native.flow_records import FlowKind, Latency
from wirespeed._native.generator import GeneratorCore, NativeGenerator, Stream, StreamMode
from wirespeed.errors import EnvironmentFault, WirespeedError
from wirespeed.generator.hdr import value_at
from wirespeed.model import parse_port_spec

PACKETS, RATE_PPS = 2000, 1000.0
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


def measure_floor(core: GeneratorCore, tx_port: int, rx_port: int, packets: int = PACKETS) -> Floor:
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
    seen = core.latency(FLOW_ID)
    if not seen.packets:
        names = core.port_info(tx_port).name, core.port_info(rx_port).name
        raise EnvironmentFault(f"nothing that {names[0]} sent came to {names[1]}; connect them with each other")
    return Floor(seen.packets, seen.min_ns, percentile_ns(seen, 50), percentile_ns(seen, 99))


def percentile_ns(seen: Latency, percent: float) -> int:
    """The latency that so many percent of the packets did not exceed, to two digits."""
    wanted = percent / 100 * sum(seen.hdr)
    total = 0
    for index, count in enumerate(seen.hdr):
        total += count
        if count and total >= wanted:
            return value_at(index, _HALF_BITS)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m wirespeed.generator.calibration", description="floor of a medium")
    parser.add_argument("port", nargs="+", help="one port that is looped, or two that are connected")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    given = parser.parse_args()
    try:
        runtime.start_runtime(f"wirespeed-floor-{os.getpid()}", [given.cpu], 128, "auto")
        ports = [parse_port_spec(spec) for spec in given.port]
        runtime.open_ports(ports, [f"p{index}" for index in range(len(ports))])
        core = NativeGenerator([given.cpu], len(ports))
        try:
            print(measure_floor(core, 0, len(ports) - 1))
        finally:
            core.close()
            runtime.close()
    except WirespeedError as error:
        print(f"wirespeed: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
