#!/usr/bin/env python3
"""Cycles per packet of nodes compared with another revision: ratios from interleaved runs of `bench_nodes`.

    bench/nodes_against.py REVISION [--rounds N] [--path NAME]… [--vector N]… [--march LEVEL] [--json FILE]
    bench/nodes_against.py --against BUILD_DIR …

`bench_nodes` of `build/` is compared with that of REVISION, built in a temporary folder, or that of BUILD_DIR, an
existing meson build. They take turns row by row, so that both run on the machine in the same state. Each prints the
fastest time of a fixed piece of work; rounds count only if these times are equal within 5 %. The ratio, now to before,
is the median of these rounds.
Exit code 1: a program failed, and the table has the rounds before; 2: bad arguments.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rounds import rounds_of

from wirespeed.errors import WirespeedError

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path("native") / "bench" / "bench_nodes"
ALIKE = 1.05
VECTORS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MACHINE = re.compile(r"the fixed work took ([\d.]+) ticks")
HEADING = re.compile(r"^path\s+routes\s+order((?:\s+\d+)+)\s+samples", re.MULTILINE)
# Path, routes, order, then ticks per packet for each vector size of the heading.
ROW = re.compile(r"^(\S+)\s+(\d+)\s+\S+((?:\s+\d+\.\d)+)\s", re.MULTILINE)


class ProgramFailed(WirespeedError):
    """A build or a bench failed; the text includes the last line of its output."""


@dataclass(frozen=True)
class Sample:
    """One run of one row: ticks per packet by vector size, and the fastest time of the fixed work in ticks."""

    ticks: dict[int, float]
    fixed: float


@dataclass(frozen=True)
class Comparison:
    """Medians in ticks per packet of a row at one vector size, and the ratio now to before, of `rounds` rounds."""

    path: str
    routes: int
    vector: int
    before: float
    now: float
    ratio: float
    least: float
    most: float
    rounds: int


def run(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        raise ProgramFailed(f"{Path(command[0]).name} {' '.join(command[1:3])}: exit code {done.returncode}: {words}")
    return done.stdout


def listed(build: Path) -> list[tuple[str, int]]:
    """Paths and numbers of routes that `bench_nodes --quick` measures, one pair per row."""
    lines = run([str(build / PROGRAM), "--list"]).splitlines()
    return [(path, int(routes)) for path, routes in map(str.split, lines)]


@contextmanager
def built(revision: str) -> Iterator[Path]:
    """The build directory of a revision, with its `bench_nodes`."""
    tools = Path(sys.executable).parent
    with tempfile.TemporaryDirectory(prefix="wirespeed-against-") as scratch:
        tree = Path(scratch)
        run(["git", "-C", str(ROOT), "archive", "--output", str(tree / "tree.tar"), revision])
        run(["tar", "-xf", "tree.tar"], cwd=tree)
        setup = [
            str(tools / "meson"),
            "setup",
            "build",
            "-Dpython=false",
            "--buildtype=release",
            "-Db_ndebug=if-release",
        ]
        run(setup, cwd=tree)
        run([str(tools / "ninja"), "-C", "build", str(PROGRAM)], cwd=tree)
        yield tree / "build"


def sample(printed: str, path: str, routes: int) -> Sample | None:
    """The row of `path` and `routes` in the output of bench_nodes, or None."""
    machine, heading = MACHINE.search(printed), HEADING.search(printed)
    row = next((row for row in ROW.finditer(printed) if (row[1], int(row[2])) == (path, routes)), None)
    if not machine or not heading or not row:
        return None
    vectors = map(int, heading[1].split())
    return Sample(dict(zip(vectors, map(float, row[3].split()), strict=True)), float(machine[1]))


def measure(build: Path, path: str, routes: int, march: int) -> Sample:
    arguments = ["--quick", "--path", path, "--routes", str(routes), "--march", str(march)]
    found = sample(run([str(build / PROGRAM), *arguments]), path, routes)
    if not found:
        raise ProgramFailed(f"{build / PROGRAM} printed no row of {path} with {routes} routes")
    return found


def compare(path: str, routes: int, vector: int, pairs: list[tuple[Sample, Sample]]) -> Comparison:
    """`pairs` are (before, now) of each round."""
    alike = [p for p in pairs if max(p[0].fixed, p[1].fixed) <= ALIKE * min(p[0].fixed, p[1].fixed)]
    ticks = [(before.ticks[vector], now.ticks[vector]) for before, now in alike] or [(float("nan"), float("nan"))]
    ratios = [now / before for before, now in ticks]
    return Comparison(
        path,
        routes,
        vector,
        statistics.median(before for before, _ in ticks),
        statistics.median(now for _, now in ticks),
        statistics.median(ratios),
        min(ratios),
        max(ratios),
        len(alike),
    )


def show(comparisons: list[Comparison]) -> None:
    table = Table(title="ticks per packet", title_justify="left", box=box.SIMPLE_HEAD, padding=0)
    table.add_column("path")
    for heading in ("routes", "vector", "before", "now", "ratio", "least", "most", "rounds"):
        table.add_column(heading, justify="right")
    for row in comparisons:
        figures = [f"{row.before:.1f}", f"{row.now:.1f}", f"{row.ratio:.2f}", f"{row.least:.2f}", f"{row.most:.2f}"]
        table.add_row(row.path, f"{row.routes:,}".replace(",", " "), str(row.vector), *figures, str(row.rounds))
    Console().print(table)


def interleave(before: Path, options: argparse.Namespace) -> tuple[list[Comparison], int]:
    """The comparisons, and the exit code."""
    now = ROOT / "build"
    rows: list[tuple[str, int]] = options.rows
    pairs: dict[tuple[str, int], list[tuple[Sample, Sample]]] = {}
    with rounds_of("nodes_against") as progress:
        for turn in range(options.rounds):
            for row in rows:
                progress.at = f"round {turn + 1} of {options.rounds}, {row[0]} with {row[1]} routes"
                # Odd and even rounds begin with different programs.
                order = (before, now) if turn % 2 else (now, before)
                first, second = (measure(build, *row, options.march) for build in order)
                pairs.setdefault(row, []).append((first, second) if turn % 2 else (second, first))
    # The program of an older revision may measure fewer vector sizes.
    shared = {row: [size for size in of[0][0].ticks if size in of[0][1].ticks] for row, of in pairs.items()}
    wanted = options.vector or VECTORS
    compared = [compare(*row, vector, pairs[row]) for row in pairs for vector in shared[row] if vector in wanted]
    return compared, progress.exit_code


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("revision", nargs="?", help="git revision to build in a scratch tree and compare with")
    parser.add_argument("--against", type=Path, metavar="BUILD_DIR", help="existing build to compare with")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each row in each program (default 7)")
    parser.add_argument(
        "--path",
        action="append",
        metavar="NAME",
        help="only rows of this path; repeat for more (default all of `bench_nodes --list`)",
    )
    parser.add_argument(
        "--vector",
        action="append",
        type=int,
        choices=VECTORS,
        metavar="N",
        help=f"only this many packets per vector; repeat for more (default all: {' '.join(map(str, VECTORS))})",
    )
    parser.add_argument("--march", type=int, default=0, help="x86-64 level of both (default 0, the best of the CPU)")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    if (options.revision is None) == (options.against is None):
        parser.error("give either a REVISION or --against BUILD_DIR")
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: give at least 1")
    for build in filter(None, (ROOT / "build", options.against)):
        if not (build / PROGRAM).is_file():
            parser.error(f"{build / PROGRAM} is missing; build it: ninja -C {build} {PROGRAM}")
    known = listed(ROOT / "build")
    paths = dict.fromkeys(path for path, _ in known)
    for path in options.path or ():
        if path not in paths:
            parser.error(f"--path {path}: give one of {', '.join(paths)}")
    options.rows = [row for row in known if not options.path or row[0] in options.path]
    return options


def main() -> int:
    try:
        options = parse()
        if options.against:
            comparisons, exit_code = interleave(options.against, options)
        else:
            with built(options.revision) as before:
                comparisons, exit_code = interleave(before, options)
    except ProgramFailed as error:
        print(f"nodes_against: {error}", file=sys.stderr)
        return 1
    show(comparisons)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in comparisons], indent=2) + "\n")
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
