#!/usr/bin/env python3
"""Cost of the planner: a configuration of many sub-interfaces checked, planned, and applied to a wirespeed router.

    bench/config.py [--interfaces N] [--no-apply]

The configuration has N sub-interfaces over four ports, each with an MTU and an address. `plan` is the plan from an
empty router to this configuration. `change` is the plan from it to one in which every address differs. `apply` carries
out three plans on a router: from nothing to the first configuration, to the second one, and back to nothing. CPU
seconds are those of this process, and in brackets those of the router's main thread. Memory is this process's peak.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

from wirespeed.config.apply import run, verify
from wirespeed.config.check import check_text
from wirespeed.config.plan import plan
from wirespeed.config.render import cli_text
from wirespeed.config.router_device import RouterDevice
from wirespeed.config.schema import Config
from wirespeed.config.target import bare_state, target_state
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus

PORTS = 4
_Value = TypeVar("_Value")


def text(interfaces: int, network: int) -> bytes:
    """A configuration with `interfaces` sub-interfaces, whose addresses are in `network`.0.0.0/8."""
    lines = ["interfaces:"]
    for port in range(PORTS):
        lines += [f"  e{port}:", "    mtu: 9000", "    sub-interfaces:"]
        for number in range(port, interfaces, PORTS):
            address = f"{network}.{number >> 8}.{number & 255}.1/24"
            outer, inner = divmod(number // PORTS, 4000)
            tags = f"{{dot1ad: {outer + 2}, inner-dot1q: {inner + 1}, exact-match: true}}"
            lines += [
                f"      {number + 1}:",
                f"        mtu: {1500 + 4 * (number % 3)}",
                f"        addresses: [{address}]",
            ]
            lines.append(f"        encapsulation: {tags}")
    return "\n".join(lines).encode()


def valid(given: bytes) -> Config:
    checked = check_text(given, "bench.yaml")
    assert checked.config is not None and not checked.findings, checked.findings[:3]
    return checked.config


def timed(what: str, work: Callable[[], _Value], router: int | None = None) -> _Value:
    """The result of `work`. Prints its wall-clock time, its CPU time (of process `router` too) and the peak memory."""
    wall, cpu, other = time.perf_counter(), time.process_time(), main_thread_s(router)
    result = work()
    wall, cpu, other = time.perf_counter() - wall, time.process_time() - cpu, main_thread_s(router) - other
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    theirs = "" if router is None else f" (router {other:.2f})"
    print(f"{what:<40} {wall:6.2f} s, {cpu:6.2f} s of CPU{theirs}, {memory:4.0f} MB", flush=True)
    return result


def main_thread_s(process: int | None) -> float:
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process}/task/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def apply(directory: Path, configs: Sequence[Config]) -> None:
    cpus = choose_cpus()
    socket = directory / "router.sock"
    arguments = ["router", "--cpu", str(cpus.dut), *cpus.main_cpu, "--hugepages", "never", "--max-routes", "200000"]
    arguments += ["--socket", str(socket)]
    for port in range(PORTS):
        arguments += ["--interface", f"e{port}=memif:{directory}/e{port}.sock,role=server"]
    with ExitStack() as stack:
        child = Child("router", arguments, directory / "router.log")
        stack.callback(child.stop)
        child.start()
        device = RouterDevice(socket)
        for what, config in zip(("from nothing", "other addresses", "to nothing"), configs, strict=True):
            target = target_state(config)
            made = plan(device.read(), target)
            failure = timed(f"apply {what}: {len(made.steps)} steps", partial(run, made, device), child.pid)
            assert failure is None, failure
            failure = timed("  verify", partial(verify, device, target), child.pid)
            assert failure is None, failure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interfaces", type=int, default=10_000, help="sub-interfaces (10000)")
    parser.add_argument("--no-apply", action="store_true", help="without a router")
    given = parser.parse_args()
    count = given.interfaces
    before, after = text(count, 10), text(count, 11)
    config = timed(f"check: {count} interfaces, {len(before) >> 10} KB", lambda: valid(before))
    other = valid(after)
    bare, first, second = bare_state(config), target_state(config), target_state(other)
    made = timed(f"plan: {count} new interfaces", lambda: plan(bare, first))
    timed(f"lines: {len(made.steps)} steps", lambda: cli_text(made))
    made = timed(f"change: {count} addresses for others", lambda: plan(first, second))
    assert len(made.steps) == 2 * count, len(made.steps)
    if not given.no_apply:
        with tempfile.TemporaryDirectory() as directory:
            apply(Path(directory), (valid(before), other, valid(text(0, 10))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
