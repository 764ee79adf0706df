#!/usr/bin/env python3
"""False positives of `wirespeed explain`: many short tests of a healthy router.

    bench/explain_healthy.py [RUNS] [SEED]

One embedded lab serves all runs. Each run draws a profile (frame size, imix, one flow or many, IPv4 or IPv6, one
direction or both), loads of at most 100 kpps, which any machine carries, and whether the router's counters are read
during the test. Right answers are: the DUT can forward more, the line is full, or CPUs were preempted. Any other cause
above one half is a false positive.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.files import read_cases
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.lab.running import running
from wirespeed.machine.placement import choose_cpus

TRUE = {"tester", "line-rate", "preemption"}


def arguments(pick: random.Random, lab: EmbeddedLab) -> list[str]:
    version = pick.choice(["", "", "ip=6"])
    size = pick.choice(["70" if version else "64", "128", "512", "1514", "imix" if not version else "300"])
    flows = pick.choice(["", "vm=var1", "vm=var2"])
    tunables = ",".join(part for part in (f"size={size}" if size else "", flows, version) if part)
    top = pick.choice([1_000, 10_000, 30_000, 100_000])
    count = pick.choice([1, 2, 5])
    steps = ",".join(f"{top * (step + 1) // count}pps" for step in range(count))
    words = ["-s", lab.rpc, "-p", "bench", "-t", tunables, "-q", "--steps", steps, "-wd", "0.2", "-hd", "0.4"]
    words += ["--interval", pick.choice(["0.1", "0.2"])]
    words += pick.choice([["-u"], []])
    return words + pick.choice([["--dut", f"router:{lab.control_socket}"], []])


def one_run(words: list[str], file: Path) -> Explanation | None:
    from wirespeed.cli.main import main as wirespeed  # noqa: PLC0415

    if wirespeed(["loadtest", *words, "-o", str(file)]) != 0:
        return None
    (case,) = read_cases([file])
    return explain(case)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=100, metavar="RUNS")
    parser.add_argument("seed", nargs="?", type=int, default=1, metavar="SEED")
    given = parser.parse_args()
    runs, pick = given.runs, random.Random(given.seed)
    named: Counter[str] = Counter()
    false = failed = 0
    with running(EmbeddedLab(choose_cpus())) as lab, tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            words = arguments(pick, lab)
            found = one_run(words, Path(folder) / f"{number}.json")
            if found is None:
                failed += 1
                continue
            causes = {finding.cause for finding in found.named}
            named[found.cause] += 1
            if causes - TRUE:
                false += 1
                print(f"false: {', '.join(sorted(causes - TRUE))} in {' '.join(words)}", flush=True)
    verdicts = ", ".join(f"{cause} {count}" for cause, count in named.most_common())
    print(f"{runs} healthy tests: {false} false, {failed} without a result; first named: {verdicts}")
    return 1 if false or failed else 0


if __name__ == "__main__":
    sys.exit(main())
