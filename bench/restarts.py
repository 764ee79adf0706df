#!/usr/bin/env python3
"""Time until traffic flows over memif again after a restart of either side.

    bench/restarts.py [--rounds N] [--within S]

A generator sends through a router that cross-connects two memifs. In each round one of them or both end, by SIGTERM or
SIGKILL, and start again, in either order if both ended. The router is the memif server in the first half of the rounds,
the client in the second. Packets must arrive within S seconds after the last start. Exit code 1: a round failed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

from contenders import Load, send
from harness import spec

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import RemoteError, WirespeedError
from wirespeed.lab.embedded import ROUTER_MACS
from wirespeed.lab.generator import LabGenerator, LabWire
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus

CROSSED = """\
set interface state e0 up
set interface state e1 up
set interface l2 xconnect e0 e1
set interface l2 xconnect e1 e0
"""
LOAD = Load(pps=1e5)
POLL_S = 0.02
ENDS = [["router"], ["generator"], ["router", "generator"], ["generator", "router"]]
SIGNALS = [signal.SIGTERM, signal.SIGKILL]


class Pair:
    """Generator and router on one pair of memifs; `server` ("router" or "generator") is the memif server."""

    def __init__(self, directory: Path, server: str) -> None:
        cpus = choose_cpus()
        roles = {who: "server" if who == server else "client" for who in ("router", "generator")}
        (directory / "router.conf").write_text(CROSSED)
        arguments = ["router", "--cpu", str(cpus.dut), *cpus.main_cpu, "--hugepages", "never", "--max-routes", "1000"]
        arguments += ["--exec", str(directory / "router.conf"), "--socket", str(directory / "router.sock")]
        for index in (0, 1):
            arguments += ["--interface", f"e{index}={spec(directory, index, roles['router'])}"]
        self._router = Child("router", arguments, directory / "router.log")
        wires = [LabWire(spec(directory, index, roles["generator"]), ROUTER_MACS[index]) for index in (0, 1)]
        self._generator = LabGenerator(wires, cpus.generator, cpus.control, directory / "generator.log", "never")
        self._client: GeneratorClient | None = None
        self._is_sending = False

    def start(self, who: str) -> None:
        if who == "router":
            self._router.start()
            return
        self._generator.start()
        self._client = GeneratorClient(self._generator.rpc)
        self._client.connect()
        self._is_sending = False

    def end(self, who: str, how: signal.Signals) -> None:
        if who == "generator" and self._client is not None:
            with suppress(WirespeedError):
                self._client.close()
            self._client = None
        child = self._router if who == "router" else self._generator.child
        os.kill(child.pid, how)
        while child.alive:
            time.sleep(POLL_S)
        child.stop()

    def wait_for_traffic(self, within_s: float) -> float | None:
        """Seconds until packets arrive; None if they do not arrive within `within_s`."""
        assert self._client is not None
        begin = time.monotonic()
        before = self._client.snapshot([1]).ports[1].ipackets
        while (passed_s := time.monotonic() - begin) <= within_s:
            # The generator refuses to start traffic while the port's link is down.
            with suppress(RemoteError):
                if not self._is_sending:
                    send(self._client, LOAD)
                    self._is_sending = True
            if self._client.snapshot([1]).ports[1].ipackets > before + 1000:
                return passed_s
            time.sleep(POLL_S)
        return None

    def close(self) -> None:
        for who in ("generator", "router"):
            with suppress(WirespeedError, AssertionError, ProcessLookupError):
                self.end(who, signal.SIGKILL)


def run_rounds(server: str, rounds: int, within_s: float) -> list[float | None]:
    directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
    pair = Pair(directory, server)
    passed: list[float | None] = []
    try:
        pair.start("router")
        pair.start("generator")
        assert pair.wait_for_traffic(within_s) is not None, "there was no traffic to begin with"
        for ended, how in itertools.islice(itertools.cycle(itertools.product(ENDS, SIGNALS)), rounds):
            for who in ended:
                pair.end(who, how)
            for who in ended:
                pair.start(who)
            passed.append(pair.wait_for_traffic(within_s))
            if passed[-1] is None:
                print(f"server {server}: {how.name} to {' and '.join(ended)}: no traffic in {within_s:g} s", flush=True)
    finally:
        pair.close()
        shutil.rmtree(directory, ignore_errors=True)
    return passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--within", type=float, default=5.0, metavar="S")
    options = parser.parse_args()
    passed = run_rounds("router", options.rounds - options.rounds // 2, options.within)
    passed += run_rounds("generator", options.rounds // 2, options.within)
    seconds = [one for one in passed if one is not None]
    print(f"traffic ran again in {len(seconds)} of {len(passed)} rounds", end="")
    print(f", after {median(seconds):.2f} s, at the most {max(seconds):.2f} s" if seconds else "")
    sys.exit(len(seconds) < len(passed))


if __name__ == "__main__":
    main()
