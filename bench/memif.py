#!/usr/bin/env python3
"""Routers and generators over the same memif pair on the same two CPUs, dpdk-testpmd as the floor of the medium.

    bench/memif.py [--repeats N] [--seconds S] [--near N] [--patience K] [--only TEXT] [--json FILE]
                   [--burst N]… [--peer PROGRAM]
                   [--against NAME=COMMAND|SOCKET0,SOCKET1] [--against-sender NAME=COMMAND]

Three questions, each answered as ratios of runs that are interleaved, never one after the other:
- routers: what comes back through the device under test while our generator sends 64-byte packets and receives;
- routers under a peer: the same, while a program that shares no driver with them does that (`memif_peer`, over DPDK's
  net_memif, in bursts of 64 or of `--burst`; and the program of `--peer`);
- senders: what our generator, which only receives, gets from testpmd txonly and from our generator.

`--against` measures any other router beside them: a command with `{cpu}` for its CPU and `{wire0}` and `{wire1}` for
the sockets at which it has to be a memif server (id 0). It must send what it receives on one wire out of the other,
and end at SIGINT. One that runs already is named by its two sockets, `--against NAME=SOCKET0,SOCKET1`: it has to use
the CPU that the first line says, is stopped (SIGSTOP) while others run there, and is left running.
`--against-sender` takes a command that sends, as memif client, on `{wire0}`.

A virtual machine changes its core-to-core latency within seconds, and with it everything over shared memory. So a
probe of that latency runs all along; rates are sampled every quarter of a second; each sample is filed under near, far
or between by the probe beside it; and the table gives medians by speed with the number of samples behind them (n). A
run goes on until it has `--near` near samples, for `--patience` times `--seconds` at the most; what that comes to in
all is said at the start.

More is asked of the generator than it can send, so somebody is the limit in each row, and the last column says who.
*full* is the share of the packets not sent that a full ring refused, the others were late; of a peer, the share of its
bursts that found the ring full. Above a half, the far end was the limit. A router's own word for it are its vectors a
call, 256 when it has no time to spare, and its share of idle polls.

If a contender ends in the middle, or cannot be measured, so does the measurement: one line says which and why, the
table and `--json` have the runs before, and the exit code is 3 (4: a generator or router that no longer answers; 130:
Ctrl-C).
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

START_S = 4.0  # what a run takes besides its samples
TESTED = ("tester", "DUT")
Contenders = list[Device] | list[Sender]


def forward(device: Device, cpus: tuple[int, int], patience: Patience, series: Series, probe: Probe) -> None:
    """One run of a DUT: the load goes in at its port 0, what comes out of port 1 is counted."""
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
    """The first second is in no figure."""
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
    """One run of a sender into our generator, which only receives."""
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
    """`parties`: who is the limit when packets were late, and who when they were refused."""
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
    """The routers of --against under the load of these rows too."""
    load = rows[0].name.removeprefix("macswap")
    return [*rows, *(against(name + load, rows[0], what) for name, what in others)]


def against(name: str, floor: Device, what: str) -> Device:
    """Two sockets, or a command."""
    first, comma, second = what.partition(",")
    if comma and second and not set(what) & set(" {}"):
        return Device(name, floor.name, floor.load, sockets=(first, second))
    return Device(name, floor.name, floor.load, template=what)


@contextmanager
def stopped(devices: list[Device]) -> Iterator[None]:
    """Routers that run already, but for their turns."""
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
