#!/usr/bin/env python3
"""What the demo's lab loses at half of the load that it was found to carry.

    bench/no_loss.py [--seconds S] [--only TEXT]

For each test of the seed suite, over the embedded lab on two CPUs: a ramp finds the maximum, then half of it is held.
Of the packets asked for in the second run the table counts those that did not come back: late ones, which the tester
did not get to send, refused ones, which found the router's ring full, and lost ones, which went out and did not return.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

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


def run(plan: LoadPlan, lab: EmbeddedLab, client: GeneratorClient) -> Result:
    result = run_loadtest(plan, client, on_sample=lambda sampled: None, dut_probe=lab.probe)
    raise_for_outcome(result)
    return result


def measure(test: SuiteTest, lab: EmbeddedLab, client: GeneratorClient, seconds: float) -> tuple[float, dict[str, int]]:
    """The load that was held on each port, packets a second, and the packets counted meanwhile, over all ports."""
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
    channels = run(half, lab, client).outcome["channels"].values()
    return held_pps, {name: sum(channel.get(f"{name}_packets", 0) for channel in channels) for name in COUNTED}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of the held load")
    parser.add_argument("--only", default="", help="tests with this in their name")
    options = parser.parse_args()
    tests = [test for test in SEED_SUITE if options.only in test.name]
    console = Console()
    console.print(f"{len(tests)} tests: {len(tests) * (options.seconds + 8) / 60:.0f} minutes", highlight=False)
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("load test", no_wrap=True)
    for heading in ("held", "asked", "late", "refused", "lost", "missed"):
        table.add_column(heading, justify="right", no_wrap=True)
    lab = EmbeddedLab(choose_cpus())
    try:
        lab.start()
        with GeneratorClient(lab.rpc) as client:
            client.connect()
            wait_for_links(client)
            for test in tests:
                held_pps, counts = measure(test, lab, client, options.seconds)
                cells = [format_si(held_pps, "pps"), format_si(counts["asked"], "")]
                table.add_row(test.name, *cells, *(str(counts[name]) for name in COUNTED[1:]))
    finally:
        lab.stop()
    console.print(table)


if __name__ == "__main__":
    main()
