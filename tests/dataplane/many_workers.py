"""A router with the maximum number of workers and ports, as a process: `many_workers.py WORKERS PORTS`.

All ports are in one bridge: frames from two null ports are flooded to the ends of rings, and come out at the other ends
to the null ports. The queue of port p belongs to worker p, modulo the number of workers. Prints how many packets each
port sent and how many loops each worker made, once all have.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace

from wirespeed._native import runtime
from wirespeed.model import parse_port_spec
from wirespeed.router.features.l2.core import BridgeDomain
from wirespeed.router.native import NativeRouter

MEMORY_MB = 6144
DESCRIPTORS = 64
NULLS = 2
PATIENCE_S = 120.0


def main() -> None:
    workers, ports = int(sys.argv[1]), int(sys.argv[2])
    cpus = sorted(os.sched_getaffinity(0))
    on = [cpus[worker % len(cpus)] for worker in range(workers)]
    runtime.start_runtime(f"many-workers-{os.getpid()}", on, MEMORY_MB, "never", shared_cpus=workers > len(cpus))
    made = ["null"] * NULLS + [f"ring:{port // 2}" for port in range(NULLS, ports)]
    specs = [replace(parse_port_spec(one), rx_descriptors=DESCRIPTORS, tx_descriptors=DESCRIPTORS) for one in made]
    runtime.open_ports(specs, [f"e{port}" for port in range(ports)], min_tx_queues=workers)
    router = NativeRouter(workers, max_routes=20_000)
    numbers = router.interface_names()
    links = [numbers[f"e{port}"] for port in range(ports)]
    router.l2.set_domain(BridgeDomain(1, learn=False))
    for port, link in enumerate(links):
        router.l2.set_bridge(link, 1, False, split_horizon_group=int(port >= NULLS))
        router.set_state(link, True)
        router.set_placement(link, 0, port % workers)
    router.start()
    end = time.monotonic() + PATIENCE_S
    sent, loops = [0], [0]
    while not (min(sent) and min(loops)) and time.monotonic() < end:
        time.sleep(0.2)
        sent = [router.interface_counters(link).tx_packets for link in links]
        loops = [router.worker(worker).loops for worker in range(workers)]
    print(json.dumps({"sent": sent, "loops": loops}))
    router.close()
    runtime.close()


if __name__ == "__main__":
    main()
