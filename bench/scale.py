#!/usr/bin/env python3
"""Time and memory of a router with many objects: `bench/scale.py [--interfaces N] [--sets N] [--routes N]`, 0 for none.

Measures sub-interfaces with addresses, created and deleted by `exec`; the loss and return of a link that N sets of two
paths use; and routes, with their memory. Prints a line for each.
The times are those of the router's main thread, which shares the machine with polling workers. So compare them only on
a machine that runs nothing else.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirespeed.errors import WirespeedError
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus
from wirespeed.router.client import ask
from wirespeed.router.limits import MOST_ROUTES

PATIENCE_S = 3600.0
SOCKET = "router.sock"
OWN_ROUTES = 1000
"""Capacity for routes of interfaces and tables, in addition to the routes that are added."""
RINGS = ("e0=ring:a", "e1=ring:a")


class Router:
    """A router on two ring ports; `execute` runs command lines from a file."""

    def __init__(self, directory: Path, child: Child) -> None:
        self._directory, self._child = directory, child

    def ask(self, line: str) -> tuple[float, str]:
        """Seconds until the answer, and the answer."""
        began = time.monotonic()
        said = ask(self._directory / SOCKET, line, PATIENCE_S)
        return time.monotonic() - began, said

    def execute(self, lines: Iterator[str]) -> float:
        path = self._directory / "lines"
        path.write_text("".join(f"{line}\n" for line in lines))
        return self.ask(f"exec {path}")[0]

    def resident_mb(self) -> float:
        status = Path(f"/proc/{self._child.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def router(*options: str) -> Iterator[Router]:
    words = [word for interface in RINGS for word in ("--interface", interface)]
    with tempfile.TemporaryDirectory(prefix="wirespeed-scale-") as name:
        directory = Path(name)
        words += ["--socket", str(directory / SOCKET), "--cpu", str(choose_cpus().dut), *options]
        with Child("router", ["router", *words], directory / "router.log") as child:
            yield Router(directory, child.start())


def sub_interfaces(count: int) -> None:
    def up() -> Iterator[str]:
        yield "set interface state e0 up"
        for number in range(count):
            name, tags = f"e0.{number + 1}", f"{number // 4000 + 1} inner-dot1q {number % 4000 + 1}"
            yield f"create sub-interfaces e0 {number + 1} dot1q {tags} exact-match"
            yield f"set interface state {name} up"
            yield f"set interface ip address {name} 10.{number >> 14}.{number >> 6 & 255}.{(number & 63) * 4 + 1}/30"

    with router() as made:
        up_s = made.execute(up())
        down_s = made.execute(f"delete sub-interface e0.{number + 1}" for number in range(count))
    print(f"{count:,} sub-interfaces with addresses: up in {up_s:.1f} s, deleted in {down_s:.1f} s", flush=True)


def path_sets(count: int) -> None:
    hops = int(count**0.5) + 1

    def hop(side: int, number: int) -> str:
        return f"10.{side}.{1 + number // 200}.{1 + number % 200}"

    def destination(number: int) -> str:
        return f"20.{number >> 16}.{number >> 8 & 255}.{number & 255}/32"

    def lines() -> Iterator[str]:
        for side in (0, 1):
            yield f"set interface state e{side} up"
            yield f"set interface ip address e{side} 10.{side}.0.1/16"
            yield from (f"set ip neighbor e{side} {hop(side, n)} 02:00:00:00:0{side}:01" for n in range(hops))
        for number in range(count):
            first, second = hop(0, number // hops), hop(1, number % hops)
            yield f"ip route add {destination(number)} via {first} e0 via {second} e1"

    with router("--max-path-sets", str(count + 1000)) as made:
        made.execute(lines())
        down_s, _ = made.ask("set interface state e0 down")
        up_s, _ = made.ask("set interface state e0 up")
        for number in (0, count // 2, count - 1):
            _, said = made.ask(f"show ip fib {destination(number)}")
            if said.count("via 10.") < 2:
                raise SystemExit(f"scale: {destination(number)} lost a path: {said}")
    print(f"{count:,} sets of two paths: a link lost in {down_s:.3f} s, back in {up_s:.3f} s", flush=True)


def routes(count: int) -> None:
    with router("--max-routes", str(count + OWN_ROUTES)) as made:
        lines = ("set interface state e0 up", "set interface ip address e0 10.0.0.1/24")
        made.execute(iter((*lines, "set ip neighbor e0 10.0.0.2 02:00:00:00:00:01")))
        before_mb = made.resident_mb()
        duration_s, _ = made.ask(f"ip route add 20.0.0.0/32 count {count} via 10.0.0.2 e0")
        took_mb = made.resident_mb() - before_mb
    print(f"{count:,} routes: {count / duration_s:,.0f} a second, {took_mb:,.0f} MB", flush=True)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--interfaces", type=int, default=10_000)
    arguments.add_argument("--sets", type=int, default=100_000)
    arguments.add_argument("--routes", type=int, default=MOST_ROUTES - OWN_ROUTES)
    given = arguments.parse_args()
    for measure, count in ((sub_interfaces, given.interfaces), (path_sets, given.sets), (routes, given.routes)):
        try:
            if count:
                measure(count)
        except WirespeedError as error:
            print(f"scale: {error}", file=sys.stderr)
            return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
