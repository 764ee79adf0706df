"""Costs of VPP's binary API: a dump of all interfaces, and small requests one after the other.

    bench/api.py [INTERFACES]

The router has INTERFACES loopbacks (default: 10 000). The client only frames and unframes messages, so its own cost is
small. Prints the client's wall-clock time, the lowest of five, and the average CPU time of the router's main thread.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = [str(_TESTS / "unit"), str(_TESTS / "fakes")]

from api_by_hand import ByHand  # noqa: E402

from wirespeed.machine.child import Child  # noqa: E402
from wirespeed.machine.placement import choose_cpus  # noqa: E402
from wirespeed.router.client import ask_in_order  # noqa: E402

_REQUESTS = 1000
_REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("interfaces", nargs="?", type=int, default=10_000, metavar="INTERFACES")
    interfaces = parser.parse_args().interfaces
    cpus = choose_cpus()
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        socket = Path(directory) / "router.sock"
        arguments = ["router", "--cpu", str(cpus.dut), *cpus.main_cpu, "--hugepages", "never", "--socket", str(socket)]
        arguments += ["--interface", f"e0=memif:{directory}/e0.sock,role=server"]
        server = Child("router", arguments, Path(directory) / "router.log")
        stack.callback(server.stop)
        server.start()
        for _ in ask_in_order(socket, [f"create loopback interface instance {n}" for n in range(interfaces)]):
            pass
        client = stack.enter_context(ByHand(Path(directory) / "api.sock"))
        _dump(client)
        before = _cpu_s(server.pid)
        dumps = [_timed(lambda: _dump(client)) for _ in range(_REPEATS)]
        between = _cpu_s(server.pid)
        pings = [_timed(lambda: _ping(client)) for _ in range(_REPEATS)]
        after = _cpu_s(server.pid)
    print(f"dump of {interfaces} interfaces: {min(dumps):.3f} s, {(between - before) / _REPEATS:.3f} s of CPU")
    each = _REPEATS * _REQUESTS
    print(f"request: {min(pings) / _REQUESTS * 1e6:.0f} µs, {(after - between) / each * 1e6:.0f} µs of CPU")


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _cpu_s(pid: int) -> float:
    """CPU time of the process's main thread so far."""
    fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()
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
