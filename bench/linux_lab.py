"""Cost of a packet for the tester of the Linux lab and for the kernel, by the way in which the kernel gets it.

.venv/bin/python bench/linux_lab.py [ROUNDS]     as root; default: 3 rounds

Each round measures each way once, with 64-byte frames at line rate, in one direction and in both; medians are printed.
Rates are packets received per second of CPU time of the tester's worker, so other load on its CPU has no effect.

The ways: `steered` forwards on the DUT's CPU, by receive packet steering. `one CPU` forwards within the sender's own
system calls, so its extra cost over `steered` is the kernel's. `threaded NAPI` forwards in kernel threads.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median

from rounds import rounds_of

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.linux import LinuxLab
from wirespeed.machine.placement import choose_cpus
from wirespeed.profiles import load_profile
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.links import wait_for_links
from wirespeed.trial.load import load_of
from wirespeed.trial.tester import Tester
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

SECONDS = 2.0


def inside(lab: LinuxLab, script: str) -> None:
    for name in ("e0", "e1"):
        words = ["ip", "netns", "exec", lab.netns, "sh", "-ec", script.replace("IFACE", name)]
        subprocess.run(words, check=True)


def steered(_: LinuxLab) -> None:
    """The lab's default: receive packet steering to the DUT's CPU."""


def on_one_cpu(lab: LinuxLab) -> None:
    inside(lab, "echo 0 > /sys/class/net/IFACE/queues/rx-0/rps_cpus")


def threaded(lab: LinuxLab) -> None:
    """NAPI of the DUT's interfaces in kernel threads on the DUT's CPU. A veth interface uses NAPI only if GRO is on."""
    on_one_cpu(lab)
    inside(lab, "ethtool -K IFACE gro on; echo 1 > /sys/class/net/IFACE/threaded")
    for comm in Path("/proc").glob("[0-9]*/comm"):
        if re.match(r"napi/(e\d|ws\d+d\d)-", comm.read_text()):
            os.sched_setaffinity(int(comm.parent.name), {choose_cpus().dut})


WAYS: dict[str, Callable[[LinuxLab], None]] = {
    "steered": steered,
    "one CPU": on_one_cpu,
    "threaded NAPI": threaded,
}


def busiest_ns(pid: int) -> dict[str, int]:
    """CPU time of each thread in nanoseconds."""
    return {
        task.parent.name: int(task.read_text().split()[0]) for task in Path(f"/proc/{pid}/task").glob("*/schedstat")
    }


def measure(kind: str, prepare: Callable[[LinuxLab], None]) -> list[float]:
    """Packets per second of the worker's CPU time, in one direction and in both."""
    cpus = choose_cpus()
    lab = LinuxLab(cpus, port=kind)
    found = []
    try:
        lab.start()
        prepare(lab)
        with GeneratorClient(lab.rpc) as client:
            client.connect()
            wait_for_links(client)
            for wires in (pair_directions()[:1], pair_directions()):
                load = load_of({wire.tx: load_profile("bench", {"size": "64"}, wire.tx, wire.tx % 2) for wire in wires})
                with Trial(Tester(client, wires), load) as trial:
                    before = busiest_ns(lab.tester_pid)
                    told = trial.measure(Rate(100.0, "percentage"), SECONDS)
                    after = busiest_ns(lab.tester_pid)
                busy_s = max(after[task] - before.get(task, 0) for task in after) / 1e9
                found.append(told.balance.test_frames / busy_s)
    finally:
        lab.stop()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=3, metavar="ROUNDS")
    rounds = parser.parse_args().rounds
    rates: dict[tuple[str, str], list[list[float]]] = {}
    with rounds_of("linux_lab") as progress:
        for number in range(rounds):
            for kind, way in product(("af_packet", "af_xdp"), WAYS):
                progress.at = f"round {number + 1} of {rounds}, {kind}, {way}"
                rates.setdefault((kind, way), []).append(measure(kind, WAYS[way]))
    print(f"{'ports':<12}{'way':<16}{'one way':>10}{'both ways':>12}   Mpps of the worker's time")
    for (kind, way), runs in rates.items():
        one, both = (median(run[place] for run in runs) / 1e6 for place in (0, 1))
        print(f"{kind:<12}{way:<16}{one:>10.3f}{both:>12.3f}", flush=True)
    return progress.exit_code


if __name__ == "__main__":
    sys.exit(main())
