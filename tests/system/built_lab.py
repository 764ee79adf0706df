"""A lab with settings chosen by a test: a wirespeed router with given workers, queues and slots, and the generator at
both ends.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.embedded import GENERATOR_MACS, ROUTER_COMMANDS, ROUTER_MACS
from wirespeed.lab.generator import LabGenerator, LabWire
from wirespeed.machine.child import Child
from wirespeed.machine.placement import choose_cpus
from wirespeed.router.client import ask
from wirespeed.trial.links import wait_for_links


@dataclass(frozen=True)
class BuiltLab:
    rpc: str
    control_socket: Path
    router: Child
    generator: Child

    @property
    def dut(self) -> str:
        return f"router:{self.control_socket}"

    def ask(self, command: str) -> str:
        return ask(self.control_socket, command)


@contextmanager
def built_lab(
    *,
    workers: int = 1,
    rx_queues: int = 1,
    slots: tuple[int, int] = (8192, 8192),
    speed: str = "10G",
    commands: Sequence[str] = (),
    others: Sequence[str] = (),
) -> Iterator[BuiltLab]:
    """`slots` are those of each wire's rings, each way. The second worker has the tester's CPU on a machine with two,
    and is asleep unless it has packets. `others` are ports that no tester is at."""
    cpus = choose_cpus()
    of_workers = [cpus.dut, *(cpu for cpu in sorted(os.sched_getaffinity(0)) if cpu != cpus.dut)][:workers]
    with tempfile.TemporaryDirectory(prefix="wirespeed-built-") as name:
        directory = Path(name)
        socket = directory / "router.sock"

        def port(index: int, role: str, mac: str) -> str:
            rxq, txq = (rx_queues, workers) if role == "server" else (workers, rx_queues)
            head = f"memif:{directory}/e{index}.sock,id=0,role={role},mac={mac},speed={speed}"
            return f"{head},rxd={slots[index]},txd={slots[index]},rxq={rxq},txq={txq}"

        asleep = [f"set interface rx-mode e{index} adaptive" for index in (0, 1)] if workers > 1 else []
        (directory / "router.conf").write_text("\n".join([*ROUTER_COMMANDS.splitlines(), *asleep, *commands, ""]))
        arguments = ["router", "--cpu", ",".join(map(str, of_workers)), *cpus.main_cpu, "--socket", str(socket)]
        arguments += ["--exec", str(directory / "router.conf"), "--max-routes", "70000", "--max-ip6-routes", "1000"]
        for index in (0, 1):
            arguments += ["--interface", f"e{index}={port(index, 'server', ROUTER_MACS[index])}"]
        for other in others:
            arguments += ["--interface", other]
        wires = [LabWire(port(index, "client", GENERATOR_MACS[index]), ROUTER_MACS[index]) for index in (0, 1)]
        generator = LabGenerator(wires, cpus.generator, cpus.control, directory / "generator.log")
        with Child("router", arguments, directory / "router.log", cpus.all) as router:
            router.start()
            with generator, GeneratorClient(generator.rpc) as client:
                client.connect()
                wait_for_links(client)
                yield BuiltLab(generator.rpc, socket, router, generator.child)
