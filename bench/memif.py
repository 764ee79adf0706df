#!/usr/bin/env python3
"""Rates of routers and generators over one memif pair on the same two CPUs, compared with dpdk-testpmd.

    bench/memif.py [--repeats N] [--seconds S] [--near N] [--patience K] [--only TEXT] [--json FILE]
                   [--burst N]… [--peer PROGRAM]
                   [--against NAME=COMMAND|SOCKET0,SOCKET1] [--against-sender NAME=COMMAND]

Three tables of contenders, whose runs are interleaved so that ratios do not depend on the machine's speed at a time:
- routers: the rate received through the DUT while wirespeed's generator sends 64-byte packets and receives;
- routers under a peer: the same with another load, whose driver is neither the router's nor the generator's
  (`memif_peer` over DPDK's net_memif, in bursts of 64 or of `--burst`; and the program of `--peer`);
- senders: the rate that wirespeed's generator receives from testpmd txonly, and from a wirespeed generator.

`--against NAME=COMMAND` adds another router: a command with `{cpu}` for its CPU and `{wire0}` and `{wire1}` for the
sockets at which it must be a memif server (id 0). It must send packets of one memif to the other, and end at SIGINT.
`--against NAME=SOCKET0,SOCKET1` adds a router that runs already, by its two sockets. It must use the DUT's CPU, which
the first line names. It is stopped (SIGSTOP) while other contenders run, and left running.
`--against-sender NAME=COMMAND` adds a command that sends on `{wire0}` as memif client.

The core-to-core latency of a virtual machine changes within seconds, and with it all rates over shared memory. So a
probe measures this latency all the time. Rates are sampled every quarter of a second. Each sample counts as near, far
or between, by the latency during it, and the table has the median and the number of samples (n) of each. A run goes
on until it has `--near` near samples, for at most `--patience` times `--seconds`; the first line names the total time.

The intended load is above what the generator can send, so each row has a limit, which the last column names. *full* is
the share of the unsent packets that a full ring refused (the others were late); with a peer, the share of its bursts
that found the ring full. Above a half, the far end was the limit. *vec* and *idle* are the router's own counters:
vectors/call, 256 at saturation, and the share of idle polls.

If a contender ends early or cannot be measured, the program ends. One line names the contender and the reason, the
tables and `--json` have the runs before, and the exit code is 3 (4 if a generator or router no longer answers, 130
after Ctrl-C).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from contenders import (
    NOTES,
    ROUTERS,
    SENDERS,
    Contender,
    Device,
    PeerLoad,
    Sender,
    send,
    under_peer,
)
from harness import (
    Patience,
    Peer,
    Probe,
    Series,
    awake,
    command,
    count_unsent,
    file_samples,
    fill_in,
    generator,
    listener_of,
    peer,
    router,
    sample,
    socket_path,
    spec,
    spec_at,
    testpmd,
)
from rich import box
from rich.console import Console
from rich.table import Table
from rounds import rounds_of

from wirespeed.dut.dut import Dut
from wirespeed.dut.none import NoDut
from wirespeed.machine.placement import choose_cpus
from wirespeed.trial.links import wait_for_links

START_S = 4.0  # duration of a run without its samples
TESTED = ("tester", "DUT")
Contenders = list[Device] | list[Sender]


def forward(device: Device, cpus: tuple[int, int], patience: Patience, series: Series, probe: Probe) -> None:
    """Run a DUT once: load enters at its port 0, packets from its port 1 are counted."""
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    try:
        with ExitStack() as stack:
            dut: Dut = NoDut()
            wires = device.sockets or (socket_path(directory, 0), socket_path(directory, 1))
            if device.commands is not None:
                dut = router(stack, directory, cpus[1], device.commands, device.max_routes, by_dpdk=device.by_dpdk)
            elif device.testpmd:
                stack.enter_context(command(testpmd(device.testpmd, cpus[1], directory, "server", 2)))
                time.sleep(1.0)
            elif device.sockets:
                stack.enter_context(awake(device.sockets[0]))
            else:
                stack.enter_context(command(fill_in(device.template, directory, cpus[1])))
                time.sleep(1.0)
            if isinstance(device.load, PeerLoad):
                load_by_peer(device.load, wires, directory, cpus[0], dut, patience, series, probe)
                return
            specs = [spec_at(path, index, "client") for index, path in enumerate(wires)]
            client = generator(stack, directory, "load", cpus[0], specs)
            wait_for_links(client, [0, 1])
            send(client, device.load)
            before = dut.reading()
            sample(client, 1, patience, series, probe)
            count_unsent(client, series)
            series.costs.append(dut.telemetry(before, dut.reading()))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def load_by_peer(
    load: PeerLoad,
    wires: tuple[str, str],
    directory: Path,
    cpu: int,
    dut: Dut,
    patience: Patience,
    series: Series,
    probe: Probe,
) -> None:
    """Run a peer against the DUT. The first second is not counted."""
    words = peer(load.program, wires, cpu, START_S + patience.most_s, load.arguments)
    with closing(Peer(words, directory / "peer.log")) as process:
        first = next(process.samples(Series()))[0]
        for at_s, _ in process.samples(Series()):
            if at_s >= first + 1:
                break
        before = dut.reading()
        file_samples(process.samples(series), patience, series, probe)
        series.costs.append(dut.telemetry(before, dut.reading()))


def transmit(sender: Sender, cpus: tuple[int, int], patience: Patience, series: Series, probe: Probe) -> None:
    """Run a sender once, into a wirespeed generator that only receives."""
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    try:
        with ExitStack() as stack:
            client = None
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
                text = spec(directory, 0, "client") + ",zero-copy=no" * sender.copies
                client = generator(stack, directory, "load", cpus[0], [text])
                wait_for_links(client, [0])
                send(client, sender.load)
            sample(sink, 0, patience, series, probe)
            if client:
                count_unsent(client, series)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def show(
    console: Console, title: str, parties: tuple[str, str], contenders: Contenders, results: dict[str, Series]
) -> None:
    """Print a table. `parties` are the names for the limit if most unsent packets were late, and if refused."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=0)
    table.add_column("contender", no_wrap=True)
    series_of = [results[contender.name] for contender in contenders]
    speeds = [speed for speed in ("near", "between", "far") if any(series.rates[speed] for series in series_of)]
    if not speeds:
        return
    of_rates = [heading for speed in speeds for heading in (speed, "±", "n", "ratio")]
    for heading in (*of_rates, "cyc", "vec", "idle", "full", "limit"):
        table.add_column(heading, justify="right", no_wrap=True)
    for contender in contenders:
        series, floor = results[contender.name], results.get(contender.compared_to or "")
        cells = []
        for speed in speeds:
            rate, base, spread = series.median(speed), floor.median(speed) if floor else None, series.spread(speed)
            cells.append(f"{rate / 1e6:.2f}" if rate is not None else "–")
            cells.append(f"{spread:.0%}" if spread is not None else "–")
            cells.append(str(len(series.rates[speed])))
            cells.append(f"{rate / base:.2f}" if rate is not None and base else "–")
        for name, form in (("cycles_per_packet", ".0f"), ("vectors_per_call", ".0f"), ("idle_polls", ".0%")):
            value = series.cost(name)
            cells.append(format(value, form) if value is not None else "")
        share = series.refused_share
        limit = ["", ""] if share is None else [f"{share:.0%}", parties[share > 0.5]]
        table.add_row(contender.name, *cells, *limit)
    console.print(table)
    for contender in contenders:
        said = [NOTES[contender.name]] if contender.name in NOTES else []
        floor_name = contender.compared_to or contender.name
        if floor_name != contender.name and not floor_name.startswith(("testpmd", "macswap")):
            said.append(f"ratio to {floor_name}")
        if said:
            console.print(f"  {contender.name}: {'; '.join(said)}", style="dim", highlight=False, soft_wrap=True)


def to_json(results: dict[str, Series]) -> dict[str, Any]:
    return {
        name: {
            speed: {"pps": series.median(speed), "spread": series.spread(speed), "samples": len(series.rates[speed])}
            for speed in series.rates
        }
        | {cost: series.cost(cost) for cost in ("cycles_per_packet", "vectors_per_call", "idle_polls")}
        | {"refused_share": series.refused_share}
        for name, series in results.items()
    }


def named(text: str) -> tuple[str, str]:
    name, equals, template = text.partition("=")
    if not (name and equals and template):
        raise argparse.ArgumentTypeError(f"{text!r} is not a NAME=COMMAND")
    return name, template


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0, help="of samples in each run, at the least")
    parser.add_argument("--near", type=int, default=8, help="near samples for which a run goes on")
    parser.add_argument("--patience", type=float, default=4.0, help="times the seconds, at the most")
    parser.add_argument("--only", default="", help="contenders with this in their name, and what they compare to")
    parser.add_argument("--json", type=Path, help="also write the medians here")
    parser.add_argument(
        "--burst",
        type=int,
        action="append",
        choices=range(1, 257),
        metavar="N",
        help="packets per burst of memif_peer, at most 256; repeat for more (default 64)",
    )
    parser.add_argument(
        "--peer",
        type=Path,
        default=os.environ.get("WIRESPEED_MEMIF_PEER") or None,
        metavar="PROGRAM",
        help="another load with the command line of native/bench/memif_peer.c, but -b (default $WIRESPEED_MEMIF_PEER)",
    )
    parser.add_argument("--against", type=named, action="append", default=[], metavar="NAME=COMMAND|SOCKET0,SOCKET1")
    parser.add_argument("--against-sender", type=named, action="append", default=[], metavar="NAME=COMMAND")
    return parser.parse_args()


def beside(rows: list[Device], others: list[tuple[str, str]]) -> list[Device]:
    """`rows`, followed by the routers of --against under the same load."""
    load = rows[0].name.removeprefix("macswap")
    return [*rows, *(against(name + load, rows[0], what) for name, what in others)]


def against(name: str, floor: Device, what: str) -> Device:
    """The DUT of `--against NAME=…`; `what` is two sockets or a command."""
    first, comma, second = what.partition(",")
    if comma and second and not set(what) & set(" {}"):
        return Device(name, floor.name, floor.load, sockets=(first, second))
    return Device(name, floor.name, floor.load, template=what)


@contextmanager
def stopped(devices: list[Device]) -> Iterator[None]:
    """Stop the routers that run already; `awake` lets each run for its turn."""
    pids = {listener_of(device.sockets[0]) for device in devices if device.sockets}
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


Kind = TypeVar("Kind", Device, Sender)


def chosen(contenders: list[Kind], only: str) -> list[Kind]:
    wanted = {contender.name for contender in contenders if only in contender.name}
    wanted |= {contender.compared_to for contender in contenders if contender.name in wanted and contender.compared_to}
    return [contender for contender in contenders if contender.name in wanted]


def main() -> int:
    options = parse()
    lab = choose_cpus()
    cpus = (lab.generator, lab.dut)
    console = Console()
    if not options.peer:
        console.print("no other peer: --peer or WIRESPEED_MEMIF_PEER names one", highlight=False)
    peers = [under_peer(burst) for burst in options.burst or (64,)]
    peers += [under_peer(64, options.peer)] if options.peer else []
    others = [against(name, ROUTERS[0], what) for name, what in options.against]
    first = SENDERS[0].name
    senders = [Sender(name, first, template=template) for name, template in options.against_sender]
    own, sending = chosen([*ROUTERS, *others], options.only), chosen([*SENDERS, *senders], options.only)
    loaded = chosen([device for rows in peers for device in beside(rows, options.against)], options.only)
    devices = [*own, *loaded]
    routers = {device.name: Series() for device in devices}
    generators = {sender.name: Series() for sender in sending}
    turns: list[Contender] = [*devices, *sending]
    patience = Patience(options.seconds, options.seconds * max(1.0, options.patience), options.near)
    least, most = (options.repeats * len(turns) * (START_S + s) / 60 for s in (patience.least_s, patience.most_s))
    console.print(
        f"{len(turns)} contenders, {options.repeats} rounds: {least:.0f} to {most:.0f} minutes; "
        f"load on CPU {lab.generator}, DUT on CPU {lab.dut}",
        highlight=False,
    )
    with rounds_of("memif") as progress, stopped(devices), closing(Probe(cpus)) as probe:
        for repeat in range(options.repeats):
            for contender in turns:
                progress.at = f"round {repeat + 1} of {options.repeats}, {contender.name}"
                console.print(progress.at, style="dim", highlight=False)
                run = Series()
                if isinstance(contender, Device):
                    forward(contender, cpus, patience, run, probe)
                    routers[contender.name].add(run)
                else:
                    transmit(contender, cpus, patience, run, probe)
                    generators[contender.name].add(run)
    if own:
        show(console, "Mpps of 64 bytes through a DUT on one CPU, our generator on another", TESTED, own, routers)
    if loaded:
        show(console, "The same, a generator over net_memif on the other CPU", TESTED, loaded, routers)
    if sending:
        show(console, "Mpps sent by one CPU", ("sender", "sink"), sending, generators)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"routers": to_json(routers), "senders": to_json(generators)}, indent=2))
    return progress.exit_code


if __name__ == "__main__":
    sys.exit(main())
