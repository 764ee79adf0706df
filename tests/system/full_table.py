"""Full tables into the router and out of it again: by `exec`, by Linux, by BGP through Linux.

PYTHONPATH=tests .venv/bin/python tests/system/full_table.py [IPV4-ROUTES [IPV6-ROUTES]]    as root; 1 000 000, 200 000

Prints one line a phase: how long it took, what of that the router's main thread spent on its CPU, and the router's
resident memory then. Where Linux has a part, it does the same before without a router that listens.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread

from harness.waiting import wait_for
from routing_daemons import Bird
from sandbox import IP4, IP6, PAIRED, PORTS, Router, Sandbox, router, sandbox
from test_routing_daemons import bgp, routes_of_linux

from wirespeed.dut.tables import ip4_table, ip6_table

_PATIENCE_S = 900.0
_HERE = Path(__file__).parent
# Reading a million routes back from the kernel is most of the work of a BIRD with a shorter scan time.
_KERNEL = "protocol kernel { scan time 600; ipv4 { export all; }; }\n"


def main_cpu_s(pid: int) -> float:
    """CPU time of the process's main thread."""
    fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def resident_mb(pid: int) -> int:
    """Resident memory, including hugepages."""
    lines = (line.split() for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return sum(int(words[1]) for words in lines if words[0] in ("VmRSS:", "HugetlbPages:")) // 1024


class Table:
    """Prints lines, one at a time."""

    def __init__(self) -> None:
        print(f"{'phase':<44}{'routes':>10}{'wall s':>9}{'router CPU s':>14}{'resident MB':>13}")

    @contextmanager
    def phase(self, name: str, routes: int, pid: int | None = None):
        begin_s, cpu_s = time.monotonic(), main_cpu_s(pid) if pid else 0.0
        yield
        taken_s = time.monotonic() - begin_s
        router_words = f"{main_cpu_s(pid) - cpu_s:>14.1f}{resident_mb(pid):>13}" if pid else f"{'-':>14}{'-':>13}"
        print(f"{name:<44}{routes:>10}{taken_s:>9.1f}{router_words}", flush=True)


def routes_of_router(running: Router) -> int:
    """Routes of both families, including those of the router's own addresses."""
    counts = (running.ask(f"show {family} fib summary").splitlines()[2:] for family in ("ip", "ip6"))
    return sum(int(line.split()[1]) for lines in counts for line in lines)


def by_exec(table: Table, running: Router, directory: Path, prefixes: Sequence[str]) -> None:
    pid = running.process.pid
    before = routes_of_router(running)
    for what, wanted in (("add", len(prefixes)), ("del", 0)):
        file = directory / f"{what}.conf"
        file.write_text("".join(f"ip route {what} {prefix} via {_next_hop(prefix)}\n" for prefix in prefixes))
        with table.phase(f"exec: ip route {what}", len(prefixes), pid):
            running.ask(f"exec {file}")
        assert routes_of_router(running) == before + wanted
        if wanted:
            with table.phase("show ip fib, show ip6 fib", len(prefixes), pid):
                running.ask("show ip fib")
                running.ask("show ip6 fib")


def _next_hop(prefix: str) -> str:
    return "2001:db8:2::2" if ":" in prefix else "10.2.0.2"


def by_linux(table: Table, box: Sandbox, running: Router | None, directory: Path, prefixes: Sequence[str]) -> None:
    file = directory / "routes"
    file.write_text("".join(f"{prefix} {_next_hop(prefix)}\n" for prefix in prefixes))
    for what, wanted in (("add", len(prefixes)), ("del", 0)):
        feeder = box.spawn(sys.executable, str(_HERE / "kernel_routes.py"), what, str(file), "e1", netns="dataplane")
        wait_for(lambda feeder=feeder: "ready" in feeder.said(), "the feeder", _PATIENCE_S)
        name = f"Linux: {what}" + ("" if running else ", no router listens")
        with table.phase(name, len(prefixes), running and running.process.pid):
            assert feeder.popen.wait() == 0, feeder.said()
            if running:
                wait_for(lambda wanted=wanted: routes_of_linux(running) == wanted, "the routes", _PATIENCE_S)


def by_bgp(
    table: Table, box: Sandbox, running: Router | None, prefixes: Sequence[str], is_done: Callable[[int], bool]
) -> None:
    routes = "".join(f"route {prefix} blackhole;\n" for prefix in prefixes)
    peer = Bird(box, "h2", "10.2.0.2", f"protocol static many {{ ipv4;\n{routes}}}\n" + bgp("sender", 65002, 65001))
    own = Bird(box, "dataplane", "10.2.0.1", _KERNEL + bgp("receiver", 65001, 65002))
    wait_for(lambda: own.is_established("peer4"), "the BGP session", _PATIENCE_S)
    for what, wanted in (("session up", len(prefixes)), ("session lost", 0)):
        if not wanted:
            peer.process.kill()
        name = f"BGP: {what}" + ("" if running else ", no router listens")
        with (
            pings(box) if running else nullcontext(),
            table.phase(name, len(prefixes), running and running.process.pid),
        ):
            wait_for(lambda wanted=wanted: is_done(wanted), f"routes after {what}", _PATIENCE_S)
    own.process.end()


@contextmanager
def pings(box: Sandbox):
    """A few pings per second through the router during the block; prints how many were answered."""
    answered: list[bool] = []
    is_over = Event()

    def ask() -> None:
        while not is_over.wait(0.2):
            answered.append(box.ping("h1", "10.2.0.2"))

    box.wait_ping("h1", "10.2.0.2")
    asking = Thread(target=ask)
    asking.start()
    try:
        yield
    finally:
        is_over.set()
        asking.join()
        print(f"  pings through the router meanwhile: {sum(answered)} of {len(answered)} answered")


def run(ip4_routes: int, ip6_routes: int, directory: Path) -> None:
    options = ("--max-routes", str(ip4_routes + 10_000), "--max-ip6-routes", str(ip6_routes + 10_000))
    ip4, ip6 = ip4_table(ip4_routes), ip6_table(ip6_routes)
    table = Table()
    with sandbox(directory) as box:
        box.namespace("h1", "h2", "dataplane")
        with router(box, PORTS, PAIRED + IP4 + IP6, *options) as running:
            box.hosts()
            by_exec(table, running, directory, ip4 + ip6)
            by_linux(table, box, running, directory, ip4 + ip6)
            by_bgp(table, box, running, ip4, lambda wanted: routes_of_linux(running) == wanted)
    with sandbox(directory) as box:
        box.namespace("h2", "dataplane")
        box.run("ip", "link", "add", "e1", "netns", "dataplane", "type", "veth", "peer", "name", "h2", "netns", "h2")
        box.run("ip", "addr", "add", "10.2.0.1/24", "dev", "e1", netns="dataplane")
        box.run("ip", "addr", "add", "2001:db8:2::1/64", "dev", "e1", "nodad", netns="dataplane")
        box.run("ip", "link", "set", "e1", "up", netns="dataplane")
        box.host("h2", "h2", "10.2.0.2/24", "10.2.0.1")
        by_linux(table, box, None, directory, ip4 + ip6)
        before = _kernel_prefixes(box)
        by_bgp(table, box, None, ip4, lambda wanted: _kernel_prefixes(box) == before + wanted)


def _kernel_prefixes(box: Sandbox) -> int:
    """IPv4 prefixes in the kernel's main table."""
    statistics = box.run("cat", "/proc/net/fib_triestat", netns="dataplane")
    return int(statistics.split("Prefixes:")[1].split()[0])


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as place:
        run(*(numbers + [1_000_000, 200_000][len(numbers) :]), Path(place))
