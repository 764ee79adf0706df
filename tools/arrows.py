#!/usr/bin/env python3
"""Draw which folder of native/ calls which, and name the circles of files that call each other.

  tools/arrows.py [BUILD]      DOT text of the folders' arrows, with the number of symbols of each;
                               `tools/arrows.py | dot -Tsvg >arrows.svg` is the picture

An arrow is a symbol that one object needs and another defines, read with `nm` from the objects of BUILD (`build`), so
it counts calls and data, not includes. Constructors that register their file draw no arrow.
Exit code: 0 without circles, 1 with circles (named on standard error), 2 if objects are missing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("wire", "graph", "dev", "router", "generator", "linux")

Arrows = dict[str, dict[str, set[str]]]
"""The symbols that a file (below native/) needs from another."""


def objects(build: Path) -> dict[str, str]:
    """Source (below native/) by object of the product (no tests or benches); FileNotFoundError if one is not built."""
    of = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        source = os.path.relpath(Path(command["directory"], command["file"]), ROOT / "native")
        if source.startswith(tuple(f"{part}/" for part in PARTS)) and "/lib" in command["output"]:
            of[str(build / command["output"])] = source
    if missing := [path for path in of if not Path(path).exists()]:
        raise FileNotFoundError(f"{missing[0]} is not built; run tools/setup.sh")
    return of


def arrows(build: Path) -> Arrows:
    """Arrows between source files; the objects of one source for several x86-64 levels count as one."""
    of = objects(build)
    listed = subprocess.run(["nm", "-Ag", *of], capture_output=True, text=True, check=True).stdout
    defines: dict[str, str] = {}
    needs: dict[str, set[str]] = defaultdict(set)
    for line in listed.splitlines():
        path, words = line.split(":", 1)
        *_, kind, symbol = words.split()
        if kind == "U":
            needs[of[path]].add(symbol)
        else:
            defines[symbol] = of[path]
    found: Arrows = defaultdict(lambda: defaultdict(set))
    for user, symbols in needs.items():
        for symbol in symbols & defines.keys():
            if defines[symbol] != user:
                found[user][defines[symbol]].add(symbol)
    return found


def circles(to: Arrows) -> list[list[str]]:
    """Groups of files in which each file reaches all others of its group, largest group first."""
    reached: dict[str, set[str]] = {}
    for start in to:
        seen: set[str] = set()
        left = [*to[start]]
        while left:
            if (file := left.pop()) not in seen:
                seen.add(file)
                left += to.get(file, ())
        reached[start] = seen
    groups = {
        tuple(sorted(other for other in seen if start in reached.get(other, ())))
        for start, seen in reached.items()
        if start in seen
    }
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def picture(to: Arrows) -> str:
    """Folders and their arrows as DOT text, each arrow with its number of symbols."""
    between: Counter[tuple[Path, Path]] = Counter()
    for user, used in to.items():
        for file, symbols in used.items():
            between[Path(user).parent, Path(file).parent] += len(symbols)
    lines = [f'  "{a}" -> "{b}" [label={count}]' for (a, b), count in sorted(between.items()) if a != b]
    return "\n".join(["digraph native {", "  node [shape=box]", *lines, "}"])


def main(arguments: list[str]) -> int:
    try:
        to = arrows(Path(*arguments).resolve() if arguments else ROOT / "build")
    except FileNotFoundError as missing:
        print(f"arrows: {missing}", file=sys.stderr)
        return 2
    print(picture(to))
    for group in (found := circles(to)):
        print(f"arrows: a circle of {len(group)} files: {' '.join(group)}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
