"""Time that links and routes of the machine add to each command.

    python bench/many_links.py [--links N] [--routes N] [--turns N] [WORD...]

Each command runs by turns in two network namespaces: a bare one, and one with N links (ends of veth pairs) and N kernel
routes. Long-running programs run until they are ready. Prints the lowest CPU and wall-clock times in both namespaces,
and the differences. A WORD selects the commands whose names contain it. Commands that need a generator or a router, but
have none here, end when they do not find it. `demo` is left out, since it only runs the two labs.
Needs root. The namespaces are removed at the end.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BARE, MANY = "wsbench-bare", "wsbench-many"
PAIR = "link add v0 type veth peer name w0\nlink set v0 up\nlink set w0 up\naddr add 10.0.0.1/24 dev v0\n"
SERVER = ("-s", "127.0.0.1:1", "-p", "bench", "-q", "-o", "o.json")  # nobody listens there
LAB = ("-p", "bench", "-t", "size=64", "-wd", "0.1", "-rd", "0", "-hd", "1", "-rt", "5kpps", "-q", "-o", "o.json")
BOX = ("--dut", "linux:local")
PREPARE = ("dut", "prepare", *BOX, "--interface", "v0", "--interface", "w0", "--journal", "box.journal", "-q")
RESTORE = ("dut", "restore", *BOX, "--journal", "box.journal", "-q")
RESULT = str(ROOT / "tests/golden/report/wirespeed.json")
PORTS = ("e0=af_packet:v0,speed=10G", "e1=af_packet:w0,speed=10G")
COMMANDS: dict[str, tuple[str, ...]] = {
    "loadtest": ("loadtest", *SERVER),
    "search": ("search", *SERVER),
    "rfc2544": ("rfc2544", "throughput", "-s", "127.0.0.1:1", "-q", "-o", "o.json"),
    "soak": ("soak", "--load", "10%", "--duration", "1", "--reconnect-timeout", "0", *SERVER),
    "loadtest --lab linux": ("loadtest", "--lab", "linux", *LAB),
    "loadtest --lab embedded": ("loadtest", "--lab", "embedded", *LAB),
    "host show": ("host", "show"),
    "host check": ("host", "check"),
    "dut describe": ("dut", "describe", *BOX),
    "dut collect": ("dut", "collect", *BOX, "--duration", "1", "-o", "box.json"),
    "dut prepare --dry-run": (*PREPARE, "--dry-run"),
    "dut prepare": PREPARE,
    "dut restore": RESTORE,
    "campaign": ("campaign", "run", str(ROOT / "campaigns/demo.yaml"), "--dry-run"),
    "testbed check": ("testbed", "check", "bench.yaml"),
    "config plan": ("config", "plan", str(ROOT / "docs/examples/bonds.yaml"), "--offline"),
    "explain": ("explain", RESULT),
    "report": ("report", RESULT, "-o", "report.html"),
    "compare": ("compare", RESULT, RESULT),
    "results add": ("results", "--archive", "corpus", "add", RESULT),
    "results site": ("results", "--archive", "corpus", "site", "site"),
    "console": ("console", "-s", "127.0.0.1:1", "stats"),
    "ctl": ("ctl", "-s", "none.sock", "show version"),
    "stats": ("ctl", "stats", "ls", "-f", "none.sock"),
    "web": ("web", "--listen", "127.0.0.1:0"),
    "exporter": ("exporter", "--listen", "127.0.0.1:0", *BOX),
    "generator": ("generator", "--cpu", "0", "--port", PORTS[0][3:], "--port", PORTS[1][3:]),
    "router": ("router", "--cpu", "0", "--socket", "r.sock", "--interface", PORTS[0], "--interface", PORTS[1]),
    "router, lcp": ("router", "--cpu", "0", "--socket", "r.sock", "--exec", "lcp.conf", "--interface", "e0=null"),
}
BESIDE = {"dut prepare": (None, RESTORE), "dut restore": (PREPARE, None)}
"""Commands to run before and after the command of that name, not measured."""
READY = {"exporter": "http", "web": "http", "generator": "ready", "router": "ready"}
"""Text in the output of a long-running program once it is ready."""
BENCH = """\
tester: {ports: ["af_packet:v0,speed=10G", "af_packet:w0,speed=10G"], cpus: 0, main_cpu: 0}
wires: [{port: 0}, {port: 1}]
dut: {kind: none}
"""
LCP = "set interface state e0 up\nlcp create e0 host-if wsbench0\n"


@contextmanager
def namespaces(links: int, routes: int) -> Iterator[None]:
    pairs = "".join(f"link add v{number} type veth peer name w{number}\n" for number in range(1, links // 2))
    prefixes = (f"{20 + n // 65536}.{n // 256 % 256}.{n % 256}.0/24" for n in range(routes))
    batches = {BARE: PAIR, MANY: PAIR + pairs + "".join(f"route add {one} via 10.0.0.2\n" for one in prefixes)}
    for name in batches:  # left by a run that was killed
        subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)
    try:
        for name, batch in batches.items():
            subprocess.run(["ip", "netns", "add", name], check=True)
            subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
            subprocess.run(["ip", "-n", name, "-batch", "-"], input=batch, text=True, check=True)
        yield
    finally:
        for name in batches:
            subprocess.run(["ip", "netns", "del", name], check=False)


def cost(namespace: str, words: tuple[str, ...], directory: Path) -> tuple[float, float]:
    """CPU seconds and wall-clock seconds of a command. SIGTERM ends a long-running program once it is ready."""
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = ["ip", "netns", "exec", namespace, sys.executable, "-m", "wirespeed", *words]
    with subprocess.Popen(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if words[0] in READY and READY[words[0]] in line:
                program.send_signal(signal.SIGTERM)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu_s, time.monotonic() - began_s


def turn(title: str, namespace: str, directory: Path) -> tuple[float, float]:
    """Cost of a command, with the commands of `BESIDE` before and after it."""
    before, after = BESIDE.get(title, (None, None))
    if before is not None:
        cost(namespace, before, directory)
    found = cost(namespace, COMMANDS[title], directory)
    if after is not None:
        cost(namespace, after, directory)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--links", type=int, default=4000)
    parser.add_argument("--routes", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # removes the namespaces, too
    with tempfile.TemporaryDirectory() as name, namespaces(given.links, given.routes):
        directory = Path(name)
        (directory / "lcp.conf").write_text(LCP)
        (directory / "bench.yaml").write_text(BENCH)
        print(
            f"{'':<24}  bare: CPU, wall       {given.links} links, {given.routes} routes: CPU, wall   more: CPU, wall"
        )
        for title in COMMANDS:
            if given.words and not any(word in title for word in given.words):
                continue
            turn(title, BARE, directory)  # the first run reads its files from disk
            turns = [[turn(title, namespace, directory) for namespace in (BARE, MANY)] for _ in range(given.turns)]
            rows = [[min(costs) for costs in zip(*(both[which] for both in turns), strict=True)] for which in (0, 1)]
            rows.append([many - bare for bare, many in zip(*rows, strict=True)])
            print(
                f"{title:<24}  " + "   ".join(f"{cpu_s:8.2f} s {wall_s:6.2f} s" for cpu_s, wall_s in rows), flush=True
            )


if __name__ == "__main__":
    main()
