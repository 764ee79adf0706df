#!/usr/bin/env python3
"""What the demo's lab loses at half of the load that it was found to carry.

    bench/no_loss.py [--seconds S] [--only TEXT]

For each test of the seed suite, over the embedded lab on two CPUs: a ramp finds the maximum, then half of it is held.
Of the packets asked for in the second run the table counts those that did not come back: late ones, which the tester
did not get to send, refused ones, which found the router's ring full, and lost ones, which went out and did not return.
Beside them, of each second: how long the two workers waited for their CPUs because other threads had them, and what the
hypervisor took from all CPUs, as far as it says.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from wirespeed.generator.client import GeneratorClient
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.lab import choose_cpus
from wirespeed.lab.suite import SEED_SUITE, SuiteTest, wait_for_links
from wirespeed.loadtest.outcome import raise_for_outcome
from wirespeed.loadtest.plan import LoadPlan
from wirespeed.loadtest.result import Result
from wirespeed.loadtest.run import run_loadtest
from wirespeed.units import Rate, format_si

SHARE = 0.5
COUNTED = ("asked", "late", "refused", "lost", "rx_missed")


@dataclass(frozen=True)
class Taken:
    """CPU time that somebody else had, in seconds since the processes or the machine began."""

    from_workers_s: float
    from_machine_s: float


def taken(pids: list[int]) -> Taken:
    """From the data-plane threads of these processes (proc(5): schedstat), and from the machine (stat, "steal")."""
    threads = [task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()]
    workers = [task for task in threads if (task / "comm").read_text().startswith("ws_wk")]
    waited_ns = sum(int((task / "schedstat").read_text().split()[1]) for task in workers)
    stolen = int(Path("/proc/stat").read_text().split()[8])
    return Taken(waited_ns / 1e9, stolen / os.sysconf("SC_CLK_TCK"))


def run(plan: LoadPlan, lab: EmbeddedLab, client: GeneratorClient) -> Result:
    result = run_loadtest(plan, client, on_sample=lambda sampled: None, dut_probe=lab.probe)
    raise_for_outcome(result)
    return result


@dataclass(frozen=True)
class Held:
    """Packets a second on each port, the packets counted over all ports, and what was taken of each second."""

    pps: float
    counts: dict[str, int]
    from_workers: float
    from_machine: float


def measure(test: SuiteTest, lab: EmbeddedLab, client: GeneratorClient, seconds: float) -> Held:
    search = LoadPlan(
        profile=test.profile,
        tunables=test.tunables,
        warmup_rate=Rate(10_000, "pps"),
        warmup_s=0.5,
        ramp_s=5.0,
        hold_s=1.0,
        interval_s=0.25,
        unidirectional=test.unidirectional,
    )
    found = run(search, lab, client).outcome["channels"].values()
    held_pps = SHARE * min(channel["max_received_pps"] for channel in found)
    half = replace(search, ramp_target=Rate(held_pps, "pps"), ramp_s=0.0, hold_s=seconds, interval_s=1.0)
    before = taken([lab.router.pid, lab.generator.pid])
    channels = run(half, lab, client).outcome["channels"].values()
    after = taken([lab.router.pid, lab.generator.pid])
    return Held(
        held_pps,
        {name: sum(channel.get(f"{name}_packets", 0) for channel in channels) for name in COUNTED},
        (after.from_workers_s - before.from_workers_s) / seconds,
        (after.from_machine_s - before.from_machine_s) / seconds,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of the held load")
    parser.add_argument("--only", default="", help="tests with this in their name")
    options = parser.parse_args()
    tests = [test for test in SEED_SUITE if options.only in test.name]
    console = Console(width=max(Console().width, 110))
    console.print(f"{len(tests)} tests: {len(tests) * (options.seconds + 8) / 60:.0f} minutes", highlight=False)
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("load test", no_wrap=True)
    for heading in ("held", "asked", "late", "refused", "lost", "missed", "waited", "stolen"):
        table.add_column(heading, justify="right", no_wrap=True)
    lab = EmbeddedLab(choose_cpus())
    try:
        lab.start()
        with GeneratorClient(lab.rpc) as client:
            client.connect()
            wait_for_links(client)
            for test in tests:
                held = measure(test, lab, client, options.seconds)
                cells = [format_si(held.pps, "pps"), format_si(held.counts["asked"], "")]
                cells += [str(held.counts[name]) for name in COUNTED[1:]]
                table.add_row(test.name, *cells, f"{held.from_workers:.2%}", f"{held.from_machine:.2%}")
    finally:
        lab.stop()
    console.print(table)


if __name__ == "__main__":
    main()
