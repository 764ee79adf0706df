"""How long a table of ROUTES routes takes from one BIRD by BGP to another, by Linux into the router, and out again.

.venv/bin/python tests/system/full_table.py [ROUTES]     as root; 1 000 000 unless given
"""

import sys
import tempfile
import time
from pathlib import Path

from routing_daemons import Bird, static_routes
from sandbox import IP4, PAIRED, PORTS, router, sandbox, wait_for
from test_routing_daemons import KERNEL, bgp, routes_of_linux

_PATIENCE_S = 600.0


def main_cpu_s(pid: int) -> float:
    """CPU time of the process's main thread."""
    fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def resident_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status[status.index("VmRSS:") :].split()[1]) // 1024


def run(routes: int, directory: Path) -> None:
    options = ("--max-routes", str(max(20_000, routes * 5 // 4)))
    with sandbox(directory) as box:
        box.namespace("h1", "h2", "dataplane")
        with router(box, PORTS, PAIRED + IP4, *options) as running:
            box.hosts()
            peer = Bird(box, "h2", "10.2.0.2", static_routes(routes) + bgp("sender", 65002, 65001))
            own = Bird(box, "dataplane", "10.2.0.1", KERNEL + bgp("receiver", 65001, 65002))
            wait_for(lambda: own.is_established("peer"), "the BGP session", _PATIENCE_S)
            pid = running.process.pid
            for what, wanted in (("in", routes), ("out", 0)):
                begin_s, cpu_s = time.monotonic(), main_cpu_s(pid)
                if not wanted:
                    peer.process.kill()
                wait_for(lambda wanted=wanted: routes_of_linux(running) == wanted, f"routes {what}", _PATIENCE_S)
                taken_s, cpu_s = time.monotonic() - begin_s, main_cpu_s(pid) - cpu_s
                print(
                    f"{routes} routes {what}: {taken_s:.1f} s, {cpu_s:.1f} s of them "
                    f"on the router's main thread; resident {resident_mb(pid)} MB"
                )
                assert box.ping("h1", "10.2.0.2")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        run(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, Path(place))
