#!/usr/bin/env python3
"""Routers and generators over the same memif pair on the same two CPUs, dpdk-testpmd as the floor of the medium.

    bench/memif.py [--repeats N] [--seconds S] [--only TEXT] [--json FILE]
                   [--against NAME=COMMAND] [--against-sender NAME=COMMAND]

Two questions, each answered as ratios of runs that are interleaved, never one after the other:
- routers: what comes back through the device under test while our generator sends 64-byte packets and receives;
- senders: what our generator, which only receives, gets from testpmd txonly and from our generator.

`--against` measures any other router beside them: a command with `{cpu}` for its CPU and `{wire0}` and `{wire1}` for
the sockets at which it has to be a memif server (id 0). It must send what it receives on one wire out of the other,
and end at SIGINT. `--against-sender` takes a command that sends, as memif client, on `{wire0}`.

A virtual machine changes its core-to-core latency within seconds, and with it everything over shared memory. So a
probe of that latency runs all along; rates are sampled every quarter of a second; each sample is filed under near or
far by the probe beside it; and the table gives medians by speed with the number of samples behind them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from contenders import MACSWAP, ROUTERS, SENDERS, TXONLY, Device, Load, Sender, send
from harness import Probe, Series, command, fill_in, generator, router, sample, spec, testpmd
from rich import box
from rich.console import Console
from rich.table import Table

from wirespeed.dut.runtime import forwarding_cost, parse_runtime
from wirespeed.lab.lab import choose_cpus
from wirespeed.lab.suite import wait_for_links
from wirespeed.router.client import ask


def forward(device: Device, cpus: tuple[int, int], seconds: float, series: Series, probe: Probe) -> None:
    """One run of a DUT: the load goes in at its port 0, what comes out of port 1 is counted."""
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    try:
        with ExitStack() as stack:
            control = None
            if device.commands is not None:
                control = router(stack, directory, cpus[1], device.commands, device.max_routes)
            elif device.testpmd:
                stack.enter_context(command(testpmd(device.testpmd, cpus[1], directory, "server", 2)))
                time.sleep(1.0)
            else:
                stack.enter_context(command(fill_in(device.template, directory, cpus[1])))
                time.sleep(1.0)
            client = generator(stack, directory, "load", cpus[0], [spec(directory, i, "client") for i in (0, 1)])
            wait_for_links(client, [0, 1])
            send(client, device.load)
            if control:
                ask(control, "clear runtime")
            sample(client, 1, seconds, series, probe)
            cost = forwarding_cost(parse_runtime(ask(control, "show runtime"))) if control else None
            if cost:
                series.costs.append(cost.cycles_per_packet)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def transmit(sender: Sender, cpus: tuple[int, int], seconds: float, series: Series, probe: Probe) -> None:
    """One run of a sender into our generator, which only receives."""
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    try:
        with ExitStack() as stack:
            sink = generator(stack, directory, "sink", cpus[1], [spec(directory, 0, "server")])
            if sender.load is None:
                words = (
                    testpmd(sender.testpmd, cpus[0], directory, "client", 1)
                    if sender.testpmd
                    else fill_in(sender.template, directory, cpus[0])
                )
                stack.enter_context(command(words))
                wait_for_links(sink, [0])
            else:
                client = generator(stack, directory, "load", cpus[0], [spec(directory, 0, "client")])
                wait_for_links(client, [0])
                send(client, sender.load)
            sample(sink, 0, seconds, series, probe)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def show(console: Console, title: str, contenders: list[Device] | list[Sender], results: dict[str, Series]) -> None:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0)
    table.add_column("contender", no_wrap=True)
    for heading in ("near Mpps", "±", "n", "ratio", "far Mpps", "n", "ratio", "cyc/pkt"):
        table.add_column(heading, justify="right", no_wrap=True)
    for contender in contenders:
        series, floor = results[contender.name], results.get(contender.compared_to or "")
        cells = []
        for speed in ("near", "far"):
            rate, base, spread = series.median(speed), floor.median(speed) if floor else None, series.spread(speed)
            cells.append(f"{rate / 1e6:.2f}" if rate is not None else "–")
            if speed == "near":
                cells.append(f"{spread:.0%}" if spread is not None else "–")
            cells.append(str(len(series.rates[speed])))
            cells.append(f"{rate / base:.2f}" if rate is not None and base else "–")
        table.add_row(contender.name, *cells, f"{median(series.costs):.0f}" if series.costs else "–")
    console.print(table)
    for contender in contenders:
        if contender.compared_to not in (None, contender.name, MACSWAP, TXONLY):
            console.print(f"  {contender.name}: ratio to {contender.compared_to}", style="dim", highlight=False)


def to_json(results: dict[str, Series]) -> dict[str, Any]:
    return {
        name: {
            speed: {"pps": series.median(speed), "spread": series.spread(speed), "samples": len(series.rates[speed])}
            for speed in series.rates
        }
        | {"cycles_per_packet": median(series.costs) if series.costs else None}
        for name, series in results.items()
    }


def named(text: str) -> tuple[str, str]:
    name, equals, template = text.partition("=")
    if not (name and equals and template):
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=COMMAND")
    return name, template


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0, help="of samples in each run")
    parser.add_argument("--only", default="", help="contenders with this in their name, and what they compare to")
    parser.add_argument("--json", type=Path, help="also write the medians here")
    parser.add_argument("--against", type=named, action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--against-sender", type=named, action="append", default=[], metavar="NAME=COMMAND")
    return parser.parse_args()


Kind = TypeVar("Kind", Device, Sender)


def chosen(contenders: list[Kind], only: str) -> list[Kind]:
    wanted = {contender.name for contender in contenders if only in contender.name}
    wanted |= {contender.compared_to for contender in contenders if contender.name in wanted and contender.compared_to}
    return [contender for contender in contenders if contender.name in wanted]


def main() -> None:
    options = parse()
    lab = choose_cpus()
    cpus = (lab.generator, lab.dut)
    floor, first = ROUTERS[0].name, SENDERS[0].name
    others = [Device(name, floor, template=template, load=Load()) for name, template in options.against]
    senders = [Sender(name, first, template=template) for name, template in options.against_sender]
    devices, sending = chosen([*ROUTERS, *others], options.only), chosen([*SENDERS, *senders], options.only)
    routers = {device.name: Series() for device in devices}
    generators = {sender.name: Series() for sender in sending}
    console = Console()
    probe = Probe(cpus)
    try:
        for repeat in range(options.repeats):
            for device in devices:
                console.print(f"{repeat + 1}/{options.repeats} {device.name}", style="dim", highlight=False)
                forward(device, cpus, options.seconds, routers[device.name], probe)
            for sender in sending:
                console.print(f"{repeat + 1}/{options.repeats} {sender.name}", style="dim", highlight=False)
                transmit(sender, cpus, options.seconds, generators[sender.name], probe)
    finally:
        probe.close()
    if devices:
        show(console, "64-byte packets through a DUT on one CPU, sent and received by one CPU", devices, routers)
    if sending:
        show(console, "packets sent by one CPU", sending, generators)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"routers": to_json(routers), "senders": to_json(generators)}, indent=2))


if __name__ == "__main__":
    main()
