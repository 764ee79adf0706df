#!/usr/bin/env python3
"""Instructions per packet in router and generator, counted by callgrind, so that the load of the machine has no effect.

    bench/instructions.py [--quick | --update] [--json FILE] [--functions]

Each row of the baseline (`bench/instructions.json`) is counted again and compared. Exit code 1: a row of the router is
more than 1 % above the baseline, or one of the generator more than 5 %. Exit code 3: compiler or DPDK, on which counts
depend, are not those of the baseline. `--update` replaces the baseline. `--functions` lists the functions of each row.
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
BENCHES = ROOT / "build" / "native" / "bench"
BASELINE = ROOT / "bench" / "instructions.json"
PACKETS = 25_600
MARCH = 3  # the highest level that valgrind emulates
# Functions that are not counted: the bench's own, which replace a driver, and the driver that the generator sends to.
RIG = re.compile(r":(bench_\w+_process|aim_\w+|route_\w+|node_rig_walk|bench_send|bench_take)\b|librte_net_null")
LINE = re.compile(r"^\s*([\d,]+) \(.*?\)\s+(\S.*)$")
FUNCTION = re.compile(r":([^:\s]+) \[")


@dataclass(frozen=True)
class Row:
    """`bench_nodes --path … --routes … --vector …`."""

    path: str
    routes: int
    vector: int

    @property
    def name(self) -> str:
        return f"{self.path}, {self.routes} routes, vector {self.vector}"

    @property
    def command(self) -> list[str]:
        sizes = ["--routes", str(self.routes), "--vector", str(self.vector)]
        return [str(BENCHES / "bench_nodes"), "--march", str(MARCH), "--path", self.path, *sizes]

    counted = "node_rig_walk"
    tolerance = 0.01


@dataclass(frozen=True)
class Load:
    """`bench_generator --load …`, which sends into net_null."""

    load: str
    counted: str = "bench_send"

    @property
    def name(self) -> str:
        return f"generator {self.load}"

    @property
    def command(self) -> list[str]:
        return [str(BENCHES / "bench_generator"), "--load", self.load]

    tolerance = 0.05


ROWS: tuple[Row | Load, ...] = (
    Row("ip4", 10, 256),
    Row("ip4", 10, 4),
    Row("ip4", 100_000, 256),
    Row("ip6", 10, 256),
    Row("mpls", 10, 256),
    Row("l2xc", 10, 256),
    Row("bridge", 10, 256),
    Row("count", 10, 256),
    Row("acl", 10, 256),
    Row("urpf", 10, 256),
    Row("bond-2", 10, 256),
    Row("vx-in", 10, 256),
    Row("vx-out", 10, 256),
    Load("64b, one flow"),
    Load("64b, two counters (live)"),
    Load("64b, tuple (live)"),
    Load("64b, random address (live)"),
    Load("imix, one flow"),
    Load("imix, tuple (live)"),
    Load("64b, signature"),
    Load("64b, signature, received", "bench_take"),
)
QUICK = (
    "ip4, 10 routes, vector 256",
    "generator 64b, two counters (live)",
    "generator 64b, signature, received",
)


def count(row: Row | Load) -> dict[str, float]:
    """Instructions per packet by function, without those of `RIG`."""
    with tempfile.TemporaryDirectory(prefix="wirespeed-") as directory:
        profile = Path(directory) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--collect-atstart=no"]
        command += ["--instr-atstart=no", f"--toggle-collect={row.counted}", *row.command, "--once", str(PACKETS)]
        subprocess.run(command, check=True, capture_output=True)
        annotate = ["callgrind_annotate", "--threshold=100", "--auto=no", str(profile)]
        listing = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout
    functions: dict[str, float] = {}
    for line in listing.splitlines():
        found = LINE.match(line)
        if found and "PROGRAM TOTALS" not in line and not RIG.search(found[2]):
            named = FUNCTION.search(found[2])
            name = named[1] if named else found[2]
            functions[name] = functions.get(name, 0) + int(found[1].replace(",", "")) / PACKETS
    return functions


def tools() -> dict[str, str]:
    """Versions of compiler and DPDK, on which the counts depend."""
    compiler = subprocess.run(["gcc", "-dumpfullversion"], check=True, capture_output=True, text=True).stdout.strip()
    query = ["pkg-config", "--modversion", "libdpdk"]
    return {"gcc": compiler, "dpdk": subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip()}


def show(counts: dict[str, float], before: dict[str, float]) -> None:
    table = Table(title="instructions per packet", title_justify="left", box=box.SIMPLE_HEAD, padding=0)
    table.add_column("path")
    for heading in ("now", "baseline", "change"):
        table.add_column(heading, justify="right")
    for name, now in counts.items():
        base = before.get(name)
        change = f"{now / base - 1:+.1%}" if base else "–"
        table.add_row(name, f"{now:.1f}", f"{base:.1f}" if base else "–", change)
    Console().print(table)


def show_functions(name: str, functions: dict[str, float]) -> None:
    """Print the functions that have at least a hundredth of the row's instructions."""
    total = sum(functions.values())
    found = sorted(functions.items(), key=lambda function: -function[1])
    print(f"{name}: " + ", ".join(f"{function} {count:.1f}" for function, count in found if count >= total / 100))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--quick", action="store_true", help=f"count only: {'; '.join(QUICK)}")
    rows.add_argument("--update", action="store_true", help="make these counts the baseline")
    parser.add_argument("--json", type=Path, help="also write the counts here")
    parser.add_argument("--functions", action="store_true", help="list what each function takes")
    options = parser.parse_args()
    baseline = json.loads(BASELINE.read_text())
    if baseline["tools"] != tools() and not options.update:
        print(f"the baseline was counted with {baseline['tools']}, here are {tools()}: not comparable", file=sys.stderr)
        return 3
    by_function = {row.name: count(row) for row in ROWS if not options.quick or row.name in QUICK}
    counts = {name: sum(functions.values()) for name, functions in by_function.items()}
    before: dict[str, float] = baseline["instructions"]
    show(counts, before)
    for name, functions in by_function.items() if options.functions else ():
        show_functions(name, functions)
    found = {"tools": tools(), "instructions": {name: round(value, 1) for name, value in counts.items()}}
    for target in filter(None, (options.json, BASELINE if options.update else None)):
        target.write_text(json.dumps(found, indent=2) + "\n")
    counted = [row for row in ROWS if row.name in counts]
    limits = {row.name: before[row.name] * (1 + row.tolerance) for row in counted if row.name in before}
    worse = [row for row in counted if row.name in limits and counts[row.name] > limits[row.name]]
    for row in worse if not options.update else []:
        told = f"more than {row.tolerance:.0%} above {before[row.name]}"
        print(f"{row.name}: {counts[row.name]:.1f} instructions per packet, {told}", file=sys.stderr)
    return 1 if worse and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
