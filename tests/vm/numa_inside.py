"""Runs in a guest with two NUMA nodes of one CPU each: workers' memory is on their own node.

Usage: numa_inside.py KIND CHECKS MAC…; each check reports to the host like those of inside.py. No NIC is used.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from inside_bench import FOLDER, LINE_S, RPC, SOCKET, Failed, Host, Program, tell_check, wait_for

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.profiles import load_profile
from wirespeed.router.client import ask
from wirespeed.units import Rate

NODES = (0, 1)
HUGE_KB, PAGE_KB = 2048, 4
SEGMENT = SOCKET.with_suffix(".stats")
LINES = """
set interface state e0 up
set interface state e1 up
set interface l2 xconnect e0 e1
set interface l2 xconnect e1 e0
set interface rx-placement e0 queue 0 worker 0
set interface rx-placement e1 queue 0 worker 1
"""


def of_nodes(pid: int, *words: str) -> list[int]:
    """kB on each node, for the mappings whose line contains all the words."""
    found = [0 for _ in NODES]
    for line in Path(f"/proc/{pid}/numa_maps").read_text().splitlines():
        if all(word in line for word in words):
            size = HUGE_KB if " huge" in line else PAGE_KB
            for node, pages in re.findall(r"\bN(\d+)=(\d+)", line):
                found[int(node)] += int(pages) * size
    return found


class Guest:
    """The router, started once, and what is asked of it."""

    def __init__(self) -> None:
        lines, config = FOLDER / "lines", FOLDER / "startup.conf"
        lines.write_text(LINES)
        config.write_text(f"unix {{ exec {lines} }}\n")
        ports = ("--interface", "e0=null", "--interface", "e1=null")
        words = ("--cpu", "0,1", "--socket", str(SOCKET), "--max-routes", "1000", "--config", str(config), *ports)
        self.router = Program("router", *words)
        self.router.wait()

    def ask(self, line: str) -> str:
        return ask(SOCKET, line, LINE_S)

    def check_pools(self) -> str:
        """One pool per node, with its buffers there."""
        rows = [row.split() for row in self.ask("show buffers").splitlines()[1:]]
        if [row[:3] for row in rows] != [[f"default-numa-{node}", str(node), str(node)] for node in NODES]:
            raise Failed(f"pools {rows}")
        wanted_kb = [int(row[3]) * int(row[5]) // 1024 for row in rows]
        huge_kb = of_nodes(self.router.process.pid, " huge")
        if any(there < wanted for there, wanted in zip(huge_kb, wanted_kb, strict=True)):
            raise Failed(f"buffers of {wanted_kb} kB, hugepages of {huge_kb} kB on nodes 0 and 1")
        return f"{' and '.join(map(str, wanted_kb))} kB in hugepages of {' and '.join(map(str, huge_kb))} kB"

    def check_counters(self) -> str:
        """The segment's vectors of worker 1, and its graph."""
        pid = self.router.process.pid
        segment_kb, heap_kb = of_nodes(pid, f"file={SEGMENT}"), of_nodes(pid, "heap")
        if not segment_kb[1] or not heap_kb[1]:
            raise Failed(f"statistics {segment_kb} kB, heap {heap_kb} kB on nodes 0 and 1")
        return f"statistics {segment_kb} kB, heap {heap_kb} kB"

    def check_across(self) -> str:
        """Packets received on one node are sent by the other node's worker, and their buffers are returned."""

        def sent() -> list[int]:
            said = self.ask("show interface")
            return [int(number) for number in re.findall(r"tx packets +(\d+)", said)]

        wait_for(lambda: len(sent()) == len(NODES) and min(sent()) > 10_000, "packets of both workers")
        for line in ("set interface state e0 down", "set interface state e1 down"):
            self.ask(line)
        return f"{sent()} sent"

    def check_generator(self) -> str:
        """One pool per node, reported as T-Rex's sockets; packets that each worker makes one by one are sent."""
        generator = Program("generator", "--cpu", "0,1", "--rpc", RPC, "--port", "null", "--port", "null")
        generator.wait()
        client = GeneratorClient(RPC, timeout_s=LINE_S)
        client.connect()
        client.acquire([0, 1], force=True)
        for port in (0, 1):
            client.add_streams(port, load_profile("bench", {"size": "64", "vm": "random"}, port, 0))
        client.start([0, 1], Rate(1000, "pps"))

        def sent() -> list[int]:
            return [int(client.call("get_port_stats", port_id=port)["opackets"]) for port in (0, 1)]

        wait_for(lambda: min(sent()) > 100, "packets of both ports")
        sockets = sorted(client.call("get_utilization")["mbuf_stats"])
        client.release([0, 1])
        generator.kill()
        if sockets != [f"cpu-socket-{node}" for node in NODES]:
            raise Failed(f"pools of {sockets}")
        return " and ".join(sockets)


def main() -> None:
    host = Host()
    FOLDER.mkdir(parents=True)
    host.tell(started=True)
    guest = Guest()
    for name in sys.argv[2].split(","):
        tell_check(host, name, getattr(guest, f"check_{name}"))
    host.tell(end=True)


if __name__ == "__main__":
    main()
