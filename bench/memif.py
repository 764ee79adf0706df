#!/usr/bin/env python3
"""Router and generator against dpdk-testpmd on the same two CPUs over the same memif pair.

    bench/memif.py [--repeats N] [--seconds S] [--json FILE]

Two questions, each answered as a ratio of runs that are interleaved, never one after the other:
- router: testpmd macswap, our router with one flow, with many flows and as a cross-connect, all under the load of our
  generator, which also counts what comes back;
- generator: testpmd txonly and our generator with one flow, with many flows and imix, into our generator as the sink.

A virtual machine changes its core-to-core latency within seconds, and with it everything over shared memory. So a
probe of that latency runs all along; rates are sampled every quarter of a second; each sample is filed under near or
far by the probe beside it; and the table gives medians by speed with the number of samples behind them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from wirespeed.dut.runtime import forwarding_cost, parse_runtime
from wirespeed.generator.client import GeneratorClient
from wirespeed.generator.profiles import load_profile
from wirespeed.lab.embedded import ROUTER_COMMANDS
from wirespeed.lab.lab import choose_cpus, free_rpc_port
from wirespeed.lab.process import Child
from wirespeed.lab.suite import wait_for_links
from wirespeed.router.client import ask
from wirespeed.units import Rate

SAMPLE_S = 0.25
NEAR_NS, FAR_NS = 60.0, 120.0
PROBE = Path(__file__).parent.parent / "build" / "native" / "bench" / "core_probe"
SPEED = "25G"  # more than one CPU generates, so that the line is never the limit
TESTER_MACS = ("02:ee:00:00:00:00", "02:ee:00:00:00:01")
DUT_MACS = ("02:fe:00:00:00:00", "02:fe:00:00:00:01")
CROSSED = """\
set interface state e0 up
set interface state e1 up
set interface l2 xconnect e0 e1
set interface l2 xconnect e1 e0
"""
MACSWAP, ONE_FLOW, MANY_FLOWS, CROSS = (
    "testpmd macswap",
    "router ip4, one flow",
    "router ip4, many flows",
    "router l2xc",
)
TXONLY = "testpmd txonly"
SENDERS: dict[str, dict[str, str]] = {
    "generator one flow": {},
    "generator var2": {"vm": "var2"},
    "generator imix": {"size": "imix", "vm": "var2"},
}


class Probe:
    """core_probe in the background; `speed` files a moment under near, far or between."""

    def __init__(self, cpus: tuple[int, int]) -> None:
        command = [PROBE, str(cpus[0]), str(cpus[1]), "100", "3600"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._times: list[float] = []
        self._latencies: list[float] = []
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)

    def collect(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            at_s, latency_ns = line.split()
            self._times.append(float(at_s))
            self._latencies.append(float(latency_ns))

    def speed(self, at_s: float) -> str:
        """The speed over the sample that ended at `at_s`: near or far when every probe in it says so."""
        inside = self._latencies[bisect_left(self._times, at_s - SAMPLE_S) : bisect_left(self._times, at_s)]
        if inside and max(inside) < NEAR_NS:
            return "near"
        return "far" if inside and min(inside) > FAR_NS else "between"

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


@dataclass
class Series:
    """Samples of one contender: packets a second by the speed of the machine, and the DUT's own cost."""

    rates: dict[str, list[float]] = field(default_factory=lambda: {"near": [], "far": [], "between": []})
    costs: list[float] = field(default_factory=list)

    def median(self, speed: str) -> float | None:
        return median(self.rates[speed]) if self.rates[speed] else None


@contextmanager
def testpmd(mode: str, cpu: int, wires: list[str]) -> Iterator[None]:
    """dpdk-testpmd with its worker on `cpu`, in `mode` between the given memif devices."""
    command = ["dpdk-testpmd", "--lcores", f"0@{cpu},1@{cpu}", "--file-prefix", f"bench{os.getpid()}", "--no-pci"]
    command += ["--no-huge", "-m", "256", "--no-telemetry"]
    command += [f"--vdev=net_memif{index},{wire},rsize=11" for index, wire in enumerate(wires)]
    command += ["--", f"--forward-mode={mode}", "--auto-start", "--burst=64", "--total-num-mbufs=16384"]
    # Its prompt reads standard input; an open pipe keeps it there until the signal.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wire(directory: Path, index: int, role: str) -> str:
    return f"role={role},id=0,socket={directory}/w{index}.sock,socket-abstract=no"


def spec(directory: Path, index: int, role: str) -> str:
    mac = (TESTER_MACS if role == "client" else DUT_MACS)[index]
    return f"memif:{directory}/w{index}.sock,role={role},speed={SPEED},rxd=2048,txd=2048,mac={mac}"


def generator(stack: ExitStack, directory: Path, name: str, cpu: int, specs: list[str]) -> GeneratorClient:
    """A generator on `cpu` for as long as `stack` lives, and a client connected to it."""
    rpc = f"127.0.0.1:{free_rpc_port()}"
    arguments = ["generator", "--cpu", str(cpu), *choose_cpus().main_cpu, "--rpc", rpc, "--hugepages", "never"]
    for text, dut_mac in zip(specs, DUT_MACS, strict=False):
        arguments += ["--port", text, "--dest-mac", dut_mac]
    stack.enter_context(Child(name, arguments, directory / f"{name}.log").start())
    client = stack.enter_context(GeneratorClient(rpc))
    client.connect()
    return client


def router(stack: ExitStack, directory: Path, cpu: int, commands: str) -> Path:
    """A router on `cpu` between wires 0 and 1; returns its control socket."""
    start_up, control = directory / "router.conf", directory / "router.sock"
    start_up.write_text(commands)
    arguments = ["router", "--cpu", str(cpu), *choose_cpus().main_cpu, "--hugepages", "never"]
    arguments += ["--exec", str(start_up), "--socket", str(control)]
    for index in (0, 1):
        arguments += ["--interface", f"e{index}={spec(directory, index, 'server')}"]
    stack.enter_context(Child("router", arguments, directory / "router.log").start())
    return control


def send(client: GeneratorClient, tunables: dict[str, str]) -> None:
    client.acquire([0], force=True)
    client.reset([0])
    client.add_streams(0, load_profile("bench", tunables, 0, 0))
    client.start([0], Rate(100.0, "percentage"))


def sample(client: GeneratorClient, port: int, seconds: float, series: Series, probe: Probe) -> None:
    """File the rate at which `port` receives, once a quarter second, the first second left out."""
    time.sleep(1.0)
    before = client.snapshot([port])
    end = time.monotonic() + seconds
    taken: list[tuple[float, float]] = []
    while time.monotonic() < end:
        time.sleep(SAMPLE_S)
        now = client.snapshot([port])
        packets = now.ports[port].ipackets - before.ports[port].ipackets
        taken.append((time.monotonic(), packets / (now.at_s - before.at_s)))
        before = now
    probe.collect()
    for at_s, pps in taken:
        series.rates[probe.speed(at_s)].append(pps)


def forward(contender: str, cpus: tuple[int, int], seconds: float, series: Series, probe: Probe) -> None:
    """One run of a DUT: the load goes in at its port 0, what comes out of port 1 is counted."""
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    try:
        with ExitStack() as stack:
            control = None
            if contender == MACSWAP:
                stack.enter_context(testpmd("macswap", cpus[1], [wire(directory, i, "server") for i in (0, 1)]))
                time.sleep(1.0)
            else:
                control = router(stack, directory, cpus[1], CROSSED if contender == CROSS else ROUTER_COMMANDS)
            client = generator(stack, directory, "load", cpus[0], [spec(directory, i, "client") for i in (0, 1)])
            wait_for_links(client, [0, 1])
            send(client, {"vm": "var2"} if contender == MANY_FLOWS else {})
            if control:
                ask(control, "clear runtime")
            sample(client, 1, seconds, series, probe)
            cost = forwarding_cost(parse_runtime(ask(control, "show runtime"))) if control else None
            if cost:
                series.costs.append(cost.cycles_per_packet)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def transmit(contender: str, cpus: tuple[int, int], seconds: float, series: Series, probe: Probe) -> None:
    """One run of a sender into our generator, which only receives."""
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    try:
        with ExitStack() as stack:
            sink = generator(stack, directory, "sink", cpus[1], [spec(directory, 0, "server")])
            if contender == TXONLY:
                stack.enter_context(testpmd("txonly", cpus[0], [wire(directory, 0, "client")]))
                wait_for_links(sink, [0])
            else:
                client = generator(stack, directory, "load", cpus[0], [spec(directory, 0, "client")])
                wait_for_links(client, [0])
                send(client, SENDERS[contender])
            sample(sink, 0, seconds, series, probe)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def show(console: Console, title: str, results: dict[str, Series]) -> None:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0)
    table.add_column("contender", no_wrap=True)
    for heading in ("near Mpps", "ratio", "samples", "far Mpps", "ratio", "samples", "cyc/pkt"):
        table.add_column(heading, justify="right", no_wrap=True)
    floor = next(iter(results.values()))
    for name, series in results.items():
        cells = []
        for speed in ("near", "far"):
            rate, base = series.median(speed), floor.median(speed)
            cells.append(f"{rate / 1e6:.2f}" if rate is not None else "–")
            cells.append(f"{rate / base:.2f}" if rate is not None and base else "–")
            cells.append(str(len(series.rates[speed])))
        table.add_row(name, *cells, f"{median(series.costs):.0f}" if series.costs else "–")
    console.print(table)


def to_json(results: dict[str, Series]) -> dict[str, Any]:
    return {
        name: {speed: {"pps": series.median(speed), "samples": len(series.rates[speed])} for speed in series.rates}
        | {"cycles_per_packet": median(series.costs) if series.costs else None}
        for name, series in results.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="of samples in each run")
    parser.add_argument("--json", type=Path, help="also write the medians here")
    options = parser.parse_args()
    chosen = choose_cpus()
    cpus = (chosen.generator, chosen.dut)
    probe = Probe(cpus)
    routers = {name: Series() for name in (MACSWAP, ONE_FLOW, MANY_FLOWS, CROSS)}
    generators = {name: Series() for name in (TXONLY, *SENDERS)}
    console = Console()
    try:
        for repeat in range(options.repeats):
            for run, results in ((forward, routers), (transmit, generators)):
                for name, series in results.items():
                    console.print(f"{repeat + 1}/{options.repeats} {name}", style="dim", highlight=False)
                    run(name, cpus, options.seconds, series, probe)
    finally:
        probe.close()
    show(console, "64-byte packets through a DUT on one CPU", routers)
    show(console, "packets sent by one CPU", generators)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"routers": to_json(routers), "generators": to_json(generators)}, indent=2))


if __name__ == "__main__":
    main()
