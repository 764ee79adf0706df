#!/usr/bin/env python3
"""Spread of the NDRs and PDRs of one embedded lab over many searches.

    bench/ndr_repeats.py [--repeats N] [--ways 1|2] [--preset csit] [--goal ndr …] [--rings 8192,32768]
                         [--no-robust] [--only-mrr]

Each repeat starts a new lab and searches it as `wirespeed search --lab embedded -t size=64,vm=var2` does. Ring depths
take turns, so that a change of the machine's speed concerns all of them. Each repeat is a row:
- bounds of each goal (≥: no upper bound was found that is the router's) and the maximum receive rate (MRR);
- `a CPU s`: MRR per second of CPU time of the tester's worker, which preemption changes less;
- number of trials, of excluded ones (`aside`), and seconds;
- `away`: share of the time under load in which the tester's and the router's worker were preempted, with the longest
  preemption in brackets; `stolen`: share that the hypervisor took.

Below the table, by depth: mean, least and most of each goal's lower bound, and the spread, (most - least) / mean.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean

from rich import box
from rich.console import Console
from rich.table import Table
from rounds import rounds_of

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.embedded import DEEP_SLOTS, EmbeddedLab
from wirespeed.machine.placement import choose_cpus
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import write_file
from wirespeed.measurement.search.goals import PRESETS, goals_of
from wirespeed.measurement.search.plan import MrrPlan, SearchPlan
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.run import run_search
from wirespeed.results.search_trial import GoalOutcome
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.links import wait_for_links

NOT_THE_ROUTERS = ("tester", "host", "none")


def search(plan: SearchPlan, slots: int) -> SearchResult:
    lab = EmbeddedLab(choose_cpus(), ring_slots=slots)
    try:
        lab.start()
        with GeneratorClient(lab.rpc) as client:
            client.connect()
            wait_for_links(client)
            return run_search(plan.on(lab.facts, lab.dut.describe()), Execution(client, lab.dut))
    finally:
        lab.stop()


def bounds(found: GoalOutcome) -> str:
    if found.lower_pps is None:
        return f"none ({found.limit})"
    lower = f"{found.lower_pps / 1e6:.3f}"
    if found.limit in NOT_THE_ROUTERS:
        return f"≥ {lower} ({found.limit})"
    return f"{lower} ({found.limit})" if found.upper_pps is None else f"{lower} to {found.upper_pps / 1e6:.3f}"


def preemptions(result: SearchResult) -> list[str]:
    """Preempted share of the time under load and longest preemption of tester and router worker; share of steal."""
    trials = [one.trial for one in result.trials if one.trial.preemption is not None]
    load_s = sum(trial.duration_s for trial in trials) or 1.0
    moments = [trial.preemption for trial in trials if trial.preemption is not None]
    cells = []
    for side in ("tester", "dut"):
        preempted_s = sum(getattr(one, f"{side}_preempted_s") or 0.0 for one in moments)
        longest_s = max((getattr(one, f"{side}_longest_preemption_s") or 0.0 for one in moments), default=0.0)
        cells.append(f"{preempted_s / load_s:.2%} ({longest_s * 1e3:.1f} ms)")
    return [*cells, f"{sum(one.steal_s or 0.0 for one in moments) / load_s:.2%}"]


def present_pps(result: SearchResult) -> float | None:
    """Maximum receive rate per second in which the tester's worker was not preempted."""
    trials = [one.trial for one in result.of("mrr") if one.trial.preemption is not None]
    present_s = sum(
        one.duration_s - (one.preemption.tester_preempted_s or 0.0) for one in trials if one.preemption is not None
    )
    return sum(one.balance.test_frames for one in trials) / present_s if present_s > 0 else None


def spread(console: Console, slots: int, name: str, lowers: list[float], repeats: int) -> None:
    if not lowers:
        console.print(f"rings of {slots}, {name.upper()}: no lower bound in {repeats} repeats", highlight=False)
        return
    mean, least, most = fmean(lowers), min(lowers), max(lowers)
    console.print(
        f"rings of {slots}, {name.upper()}: mean {mean / 1e6:.3f} Mpps, {least / 1e6:.3f} to {most / 1e6:.3f}, "
        f"spread {(most - least) / mean:.2%} of {len(lowers)} repeats",
        highlight=False,
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="%(prog)s [options]"
    )
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--ways", type=int, choices=(1, 2), default=1, help="directions")
    parser.add_argument("--preset", choices=sorted(PRESETS), default="csit")
    parser.add_argument("--goal", action="append", help="as of `wirespeed search`; else those of the preset")
    parser.add_argument("--rings", default=str(DEEP_SLOTS), help="depths of the rings, such as 8192,16384,32768")
    parser.add_argument("--time", type=float, default=600.0, help="seconds that a search may take")
    parser.add_argument("--no-robust", action="store_true", help="repeat no trials whose loss absences explain")
    parser.add_argument("--only-mrr", action="store_true", help="search for no goal")
    parser.add_argument("--keep", type=Path, help="directory for the result of each search")
    options = parser.parse_args()
    depths = [int(word) for word in options.rings.split(",")]
    plan = SearchPlan(
        profile="bench",
        tunables={"size": "64", "vm": "var2"},
        goals=() if options.only_mrr else goals_of(options.goal or [], options.preset),
        preset=options.preset,
        warmup_s=PRESETS[options.preset].warmup_s,
        limit_s=options.time,
        mrr=MrrPlan(3, 1.0),
        robust=False if options.no_robust else None,
        directions=pair_directions(only="0-1" if options.ways == 1 else "both"),
    )
    console = Console(width=max(Console().width, 150))
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    names = [goal.name for goal in plan.goals]
    headings = ("#", "ring", *(f"{name.upper()} Mpps" for name in names), "MRR Mpps", "a CPU s", "trials", "aside", "s")
    for heading in (*headings, "tester away", "router away", "stolen"):
        table.add_column(heading, justify="right", no_wrap=True)
    lowers: dict[tuple[int, str], list[float]] = defaultdict(list)
    with rounds_of("ndr_repeats") as progress:
        for number, slots in product(range(1, options.repeats + 1), depths):
            progress.at = f"repeat {number}, rings of {slots}"
            result = search(replace(plan, name=f"ring{slots}-{number}"), slots)
            for found in result.goals:
                if found.lower_pps is not None:
                    lowers[slots, found.goal.name].append(found.lower_pps)
            mrr, present = result.mrr, present_pps(result)
            aside = sum(bool(one.excluded) for one in result.trials)
            table.add_row(
                *(
                    str(number),
                    str(slots),
                    *map(bounds, result.goals),
                    "" if mrr is None else f"{mrr.mean_pps / 1e6:.3f}",
                ),
                "" if present is None else f"{present / 1e6:.3f}",
                *(str(len(result.trials)), str(aside), f"{result.spent_s:.0f}", *preemptions(result)),
            )
            if options.keep is not None:
                options.keep.mkdir(exist_ok=True)
                write_file(result, options.keep / f"{result.name}.json")
            done = ", ".join(f"{name.upper()} {bounds(found)}" for name, found in zip(names, result.goals, strict=True))
            done = done or f"MRR {(mrr.mean_pps if mrr else 0) / 1e6:.3f}"
            console.print(f"{progress.at}: {done}, {result.spent_s:.0f} s", highlight=False)
    console.print(table)
    for slots, name in product(depths, names):
        spread(console, slots, name, lowers[slots, name], options.repeats)
    console.print(Path("/proc/pressure/cpu").read_text().splitlines()[0], highlight=False)
    return progress.exit_code


if __name__ == "__main__":
    sys.exit(main())
