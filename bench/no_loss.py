#!/usr/bin/env python3
"""Loss of the demo's lab at half of the highest load that it carried.

    bench/no_loss.py [--seconds S] [--only TEXT]

For each standard load test, in the embedded lab on two CPUs, a ramp of trials finds the maximum, then half of it is
held for S seconds. The table counts packets of the held load: late (not sent in time), refused (the router's ring was
full), lost (refused ones included) and missed. It also has the share of the time in which the tester's and the router's
worker were preempted, and in which the hypervisor took CPUs, where this is known.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rounds import rounds_of

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.demo.suite import STANDARD_SUITE, SuiteTest
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.running import running
from wirespeed.machine.placement import choose_cpus
from wirespeed.profiles import load_profile
from wirespeed.results.balance import Balance
from wirespeed.results.trial import TrialResult
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.load import load_of
from wirespeed.trial.tester import Tester
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate, format_si

SHARE = 0.5
SEARCH_PERCENT = range(10, 101, 10)
SEARCH_S = 0.5
COUNTED = ("intended", "late", "refused", "lost", "missed")


@dataclass(frozen=True)
class Held:
    """A trial at `pps` packets per second in each direction."""

    pps: float
    trial: TrialResult

    def counts(self) -> list[str]:
        balance: Balance = self.trial.balance
        return [f"{getattr(balance, name) or 0:.0f}" for name in COUNTED[1:]]

    def shares(self) -> list[str]:
        """Preemption of the two workers, and steal, as shares of the trial."""
        moment = self.trial.preemption
        taken = (
            (moment.tester_preempted_s, moment.dut_preempted_s, moment.steal_s) if moment is not None else (None,) * 3
        )
        return ["" if seconds is None else f"{seconds / self.trial.duration_s:.2%}" for seconds in taken]


def measure(test: SuiteTest, lab: EmbeddedLab, client: GeneratorClient, seconds: float) -> Held:
    wires = pair_directions(only="0-1" if test.unidirectional else "both")
    load = load_of({wire.tx: load_profile(test.profile, test.tunables, wire.tx, wire.tx % 2) for wire in wires})
    with Trial(Tester(client, wires), load, dut=lab.dut) as trial:
        found = [trial.measure(Rate(percent, "percentage"), SEARCH_S) for percent in SEARCH_PERCENT]
        most = max(min(channel.received_pps for channel in one.channels.values()) for one in found)
        return Held(SHARE * most, trial.measure(Rate(SHARE * most, "pps"), seconds))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of the held load")
    parser.add_argument("--only", default="", help="tests with this in their name")
    options = parser.parse_args()
    tests = [test for test in STANDARD_SUITE if options.only in test.name]
    console = Console(width=max(Console().width, 110))
    console.print(f"{len(tests)} tests: {len(tests) * (options.seconds + 8) / 60:.0f} minutes", highlight=False)
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    table.add_column("load test", no_wrap=True)
    for heading in ("held", "intended", "late", "refused", "lost", "missed", "tester away", "router away", "stolen"):
        table.add_column(heading, justify="right", no_wrap=True)
    lab = EmbeddedLab(choose_cpus())
    with rounds_of("no_loss") as progress, running(lab), GeneratorClient(lab.rpc) as client:
        client.connect()
        for test in tests:
            progress.at = test.name
            held = measure(test, lab, client, options.seconds)
            cells = [format_si(held.pps, "pps"), format_si(held.trial.balance.intended or 0, "")]
            table.add_row(test.name, *cells, *held.counts(), *held.shares())
    console.print(table)
    return progress.exit_code


if __name__ == "__main__":
    sys.exit(main())
