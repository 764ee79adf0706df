"""What VPP's binary API costs: a dump of 10 000 interfaces, and requests one after the other.

    bench/api.py [INTERFACES]

The server is the router's, on a core that forwards nothing, for the native one has 1 024 interfaces at most; the client
knows the framing alone. Prints the times as a client sees them, the best of five, and the CPU that the server took on
average.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = [str(_TESTS / "unit"), str(_TESTS / "fakes")]

from api_by_hand import ByHand  # noqa: E402

_SERVER = """
import sys
sys.path.insert(0, sys.argv[1])
from dataclasses import replace
from pathlib import Path
from fake_router import FakeRouterCore
from wirespeed.router.console import Console
from wirespeed.router.server import open_socket, serve

core = FakeRouterCore()
loopback = core.interface(core.add_loopback(0, None))
core.interfaces |= {100 + n: replace(loopback, name=f"loop{n}", parent=100 + n) for n in range(int(sys.argv[3]))}
directory = Path(sys.argv[2])
with open_socket(directory / "router.sock") as control, open_socket(directory / "api.sock") as api:
    serve(Console(core), control, lambda: print("ready", flush=True), api=api)
"""
_REQUESTS = 1000
_REPEATS = 5


def main() -> None:
    interfaces = sys.argv[1] if len(sys.argv) > 1 else "10000"
    with tempfile.TemporaryDirectory() as directory:
        words = [sys.executable, "-c", _SERVER, str(_TESTS / "fakes"), directory, interfaces]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None and server.stdout.readline() == "ready\n"
            with ByHand(Path(directory) / "api.sock") as client:
                _dump(client)
                before = _cpu_s(server.pid)
                dumps = [_timed(lambda: _dump(client)) for _ in range(_REPEATS)]
                between = _cpu_s(server.pid)
                pings = [_timed(lambda: _ping(client)) for _ in range(_REPEATS)]
                after = _cpu_s(server.pid)
            server.terminate()
    print(f"dump of {interfaces} interfaces: {min(dumps):.3f} s, {(between - before) / _REPEATS:.3f} s of CPU")
    each = _REPEATS * _REQUESTS
    print(f"request: {min(pings) / _REQUESTS * 1e6:.0f} µs, {(after - between) / each * 1e6:.0f} µs of CPU")


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _cpu_s(pid: int) -> float:
    """What the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ping(client: ByHand) -> None:
    for _ in range(_REQUESTS):
        client.ask("control_ping_51077d14")


def _dump(client: ByHand) -> int:
    client.send("sw_interface_dump_aa610c27", struct.pack(">I?I", 0xFFFFFFFF, False, 0))
    client.send("control_ping_51077d14")
    last, found = client.numbers["control_ping_reply_f6b0b8ca"], 0
    while struct.unpack_from(">H", client.receive())[0] != last:
        found += 1
    return found


if __name__ == "__main__":
    main()
