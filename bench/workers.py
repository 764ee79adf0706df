"""What each further worker adds: packets a CPU second of one worker, and of as many as there are CPUs.

    bench/workers.py [SECONDS]

Null ports hand out frames without end and take them all. Two of them are cross-connected for each worker, so workers
share tables, code and the packet pool, and nothing else. A CPU second is one that the worker's thread ran, as the
scheduler counts it: neighbours on the machine take time away, not from this figure. 1.00 is linear.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wirespeed.router.client import ask
from wirespeed.statseg.segment import StatsSegment


def measure(cpus: list[int], seconds: float) -> list[float]:
    """Packets a CPU second of each worker, one on each of `cpus`."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        config = directory / "router.conf"
        config.write_text("".join(connect(worker) for worker in range(len(cpus))))
        socket = directory / "router.sock"
        words = [sys.executable, "-m", "wirespeed", "router", "--cpu", ",".join(map(str, cpus))]
        words += ["--exec", str(config), "--socket", str(socket), "--max-routes", "20000"]
        for port in range(2 * len(cpus)):
            words += ["--interface", f"e{port}=null"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as router:
            assert router.stdout is not None
            if not any(line.startswith("ready") for line in router.stdout):
                raise SystemExit("the router does not start")
            threads = re.findall(r"ws_wk_\d+ +(\d+)", ask(socket, "show threads"))
            with StatsSegment(socket.with_suffix(".stats")) as stats:
                before, cpu_before = packets(stats), cpu_seconds(router.pid, threads)
                time.sleep(seconds)
                after, cpu_after = packets(stats), cpu_seconds(router.pid, threads)
            router.terminate()
    spans = zip(before, after, cpu_before, cpu_after, strict=True)
    return [(new - old) / (cpu_new - cpu_old) for old, new, cpu_old, cpu_new in spans]


def connect(worker: int) -> str:
    """A worker's two ports, each of which sends what the other receives."""
    first, second = f"e{2 * worker}", f"e{2 * worker + 1}"
    pairs = [(first, second), (second, first)]
    return "".join(
        f"set interface state {one} up\nset interface l2 xconnect {one} {other}\n"
        f"set interface rx-placement {one} worker {worker}\n"
        for one, other in pairs
    )


def packets(stats: StatsSegment) -> list[int]:
    return [value[0] for value in stats.read(["^/sys/tx$"])["/sys/tx"].values[1:]]


def cpu_seconds(process: int, threads: list[str]) -> list[float]:
    paths = [Path(f"/proc/{process}/task/{thread}/schedstat") for thread in threads]
    return [int(path.read_text().split()[0]) / 1e9 for path in paths]


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    cpus = sorted(os.sched_getaffinity(0))
    alone = [measure([cpu], seconds)[0] for cpu in (cpus[0], cpus[-1])]
    single = sum(alone) / len(alone)
    print(f"1 worker: {single / 1e6:.2f} M packets a CPU second")
    for count in range(2, len(cpus) + 1):
        each = measure(cpus[:count], seconds)
        print(f"{count} workers: {sum(each) / 1e6:.2f} M, {sum(each) / count / single:.2f} of linear")


if __name__ == "__main__":
    main()
