"""Cost of a packet for router and generator as workers are added: cycles of their threads, not throughput.

    bench/workers.py [SECONDS]

Null ports always have frames to receive and accept all frames that are sent. In the router each worker has two
cross-connected ports, so workers share only tables, code and the packet pool. In the generator all workers send one
stream on one port; each sends a share on a TX queue of its own.

Cycles are TSC ticks of the time that the scheduler gave the workers' threads, so other load on the machine adds none.
If there are more workers than CPUs, workers take turns on a CPU. Then only as many threads as CPUs use shared data at
the same time, and each turn starts with the cache contents of another worker. The number in brackets is the ratio to
one worker.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wirespeed._native import runtime
from wirespeed._native.generator import NativeGenerator
from wirespeed._native.runtime import core
from wirespeed._native.stream_records import Op, OpKind, Stream
from wirespeed.model import PortSpec
from wirespeed.router.native import NativeRouter

COUNTS = (1, 2, 4, 8, 16)
PROGRAMS = ("router", "generator")
MEMORY_MB = 2048
RATE_PPS = 200e6
"""Intended rate of each worker: more than it can send in its turn on a CPU, so that every burst is full."""


@contextmanager
def router(workers: int) -> Iterator[Callable[[], int]]:
    """A router of `workers` workers; the function returns the number of packets that all ports sent so far."""
    runtime.open_ports(
        [PortSpec("null")] * (2 * workers), [f"e{port}" for port in range(2 * workers)], min_tx_queues=workers
    )
    native = NativeRouter(workers, max_routes=20_000)
    native.start()
    numbers = native.interface_names()
    links = [numbers[f"e{port}"] for port in range(2 * workers)]
    for port, link in enumerate(links):
        native.set_state(link, True)
        native.l2.set_xconnect(link, links[port ^ 1])
        native.set_placement(link, 0, port // 2)
    yield lambda: sum(native.interface_counters(link).tx_packets for link in links)
    native.close()


@contextmanager
def generator(workers: int) -> Iterator[Callable[[], int]]:
    spec = PortSpec("vdev", "net_null0,no-rx=1", tx_queues=workers)
    runtime.open_ports([spec], ["p0"])
    native = NativeGenerator(range(workers), 1, [range(workers)])
    sources = (
        Op(OpKind.VAR, size=4, min=16 << 24, max=(16 << 24) + 65535, init=16 << 24, step=1),
        Op(OpKind.WRITE, size=4, big_endian=True, offset=26),
        Op(OpKind.FIX_IP4, offset=14),
    )
    frame = bytes(12) + b"\x08\x00\x45\x00\x00\x2e" + bytes(4) + b"\x40\x11" + bytes(36)
    native.start(0, [Stream(1, frame, rate_pps=RATE_PPS, ops=sources)], workers, -1.0)
    yield lambda: native.snapshot().ports[0].tx_packets
    native.close()
    runtime.close()


def cpu_seconds(workers: int) -> float:
    """Total CPU time of the workers' threads so far."""
    info = core().ffi.new("struct ws_worker_info *")
    total = 0.0
    for worker in range(workers):
        core().lib.ws_worker_info(worker, info)
        total += int(Path(f"/proc/self/task/{info.thread_id}/schedstat").read_text().split()[0]) / 1e9
    return total


def cycles_a_packet(program: str, workers: int, seconds: float) -> float:
    """Cycles per packet of a program with `workers` workers. Only one call per process, since EAL starts once."""
    cpus = sorted(os.sched_getaffinity(0))
    on = [cpus[worker % len(cpus)] for worker in range(workers)]
    runtime.start_runtime(f"bench-workers-{os.getpid()}", on, MEMORY_MB, "never", shared_cpus=workers > len(cpus))
    with {"router": router, "generator": generator}[program](workers) as packets:
        time.sleep(seconds / 4)  # until caches and rings are warm
        packets_before, cpu_before = packets(), cpu_seconds(workers)
        time.sleep(seconds)
        packets_after, cpu_after = packets(), cpu_seconds(workers)
    return (cpu_after - cpu_before) * float(core().lib.ws_tsc_hz()) / (packets_after - packets_before)


def measure(program: str, workers: int, seconds: float) -> float:
    words = [sys.executable, __file__, str(seconds), "--one", program, str(workers)]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=2.0, metavar="SECONDS")
    parser.add_argument("--one", nargs=2, metavar=("PROGRAM", "WORKERS"), help="measure this only, in this process")
    given = parser.parse_args()
    seconds = given.seconds
    if given.one:
        print(cycles_a_packet(given.one[0], int(given.one[1]), seconds))
        return
    print(f"cycles per packet, on {len(os.sched_getaffinity(0))} CPUs")
    print("workers" + "".join(f"{program:>20}" for program in PROGRAMS))
    single: dict[str, float] = {}
    for workers in COUNTS:
        line = f"{workers:7}"
        for program in PROGRAMS:
            cycles = measure(program, workers, seconds)
            line += f"{cycles:12.1f} ({cycles / single.setdefault(program, cycles):.2f})"
        print(line, flush=True)


if __name__ == "__main__":
    main()
