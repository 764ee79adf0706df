#!/usr/bin/env python3
"""Instructions a packet takes in the router's nodes, counted by callgrind: a figure that no neighbour disturbs.

    bench/instructions.py [--update] [--json FILE]

Each row of the baseline (`bench/instructions.json`) is counted again and printed beside it; more than 5 % above is
exit code 1. `--update` writes the baseline anew. Counts depend on the compiler and on DPDK, so the baseline names
them, and with other ones there is nothing to compare: exit code 3.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "build" / "native" / "bench" / "bench_nodes"
BASELINE = ROOT / "bench" / "instructions.json"
TOLERANCE = 0.05
PACKETS = 25_600
MARCH = 3  # the highest level that valgrind emulates
# The bench's own functions, which stand for a driver.
RIG = re.compile(r":(bench_\w+_process|aim_\w+|route_\w+|node_rig_walk)\b")
LINE = re.compile(r"^\s*([\d,]+) \(.*?\)\s+(\S.*)$")


@dataclass(frozen=True)
class Row:
    """`bench_nodes --path … --routes … --vector …`."""

    path: str
    routes: int
    vector: int

    @property
    def name(self) -> str:
        return f"{self.path}, {self.routes} routes, vector {self.vector}"


ROWS = (
    Row("ip4", 10, 256),
    Row("ip4", 10, 4),
    Row("ip4", 100_000, 256),
    Row("ip6", 10, 256),
    Row("mpls", 10, 256),
    Row("l2xc", 10, 256),
)


def count(row: Row) -> float:
    """Instructions a packet, the bench's own left out."""
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as directory:
        profile = Path(directory) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--collect-atstart=no"]
        command += ["--toggle-collect=node_rig_walk", str(BENCH), "--march", str(MARCH), "--once", str(PACKETS)]
        command += ["--path", row.path, "--routes", str(row.routes), "--vector", str(row.vector)]
        subprocess.run(command, check=True, capture_output=True)
        annotate = ["callgrind_annotate", "--threshold=100", "--auto=no", str(profile)]
        listing = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout
    total = 0
    for line in listing.splitlines():
        found = LINE.match(line)
        if found and "PROGRAM TOTALS" not in line and not RIG.search(found[2]):
            total += int(found[1].replace(",", ""))
    return total / PACKETS


def tools() -> dict[str, str]:
    """What the counts depend on."""
    compiler = subprocess.run(["gcc", "-dumpfullversion"], check=True, capture_output=True, text=True).stdout.strip()
    query = ["pkg-config", "--modversion", "libdpdk"]
    return {"gcc": compiler, "dpdk": subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip()}


def show(counts: dict[str, float], before: dict[str, float]) -> None:
    table = Table(title="instructions a packet", title_justify="left", box=box.SIMPLE_HEAD, padding=0)
    table.add_column("path")
    for heading in ("now", "baseline", "change"):
        table.add_column(heading, justify="right")
    for name, now in counts.items():
        base = before.get(name)
        change = f"{now / base - 1:+.1%}" if base else "–"
        table.add_row(name, f"{now:.1f}", f"{base:.1f}" if base else "–", change)
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--update", action="store_true", help="make these counts the baseline")
    parser.add_argument("--json", type=Path, help="also write the counts here")
    options = parser.parse_args()
    baseline = json.loads(BASELINE.read_text())
    if baseline["tools"] != tools() and not options.update:
        print(f"the baseline was counted with {baseline['tools']}, here are {tools()}: not comparable", file=sys.stderr)
        return 3
    counts = {row.name: count(row) for row in ROWS}
    before: dict[str, float] = baseline["instructions"]
    show(counts, before)
    found = {"tools": tools(), "instructions": {name: round(value, 1) for name, value in counts.items()}}
    for target in filter(None, (options.json, BASELINE if options.update else None)):
        target.write_text(json.dumps(found, indent=2) + "\n")
    worse = [name for name, now in counts.items() if name in before and now > before[name] * (1 + TOLERANCE)]
    for name in worse if not options.update else []:
        print(f"{name}: {counts[name]:.1f} instructions a packet, more than 5 % above {before[name]}", file=sys.stderr)
    return 1 if worse and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
