"""The lab that needs nothing: generator and our router, two processes wired by two memifs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirespeed.dut.errors import drops, parse_errors
from wirespeed.lab.lab import LabCpus, free_rpc_port
from wirespeed.lab.process import Child
from wirespeed.lab.telemetry import RuntimeProbe
from wirespeed.router.client import ask

GENERATOR_MACS = ("02:ee:00:00:00:00", "02:ee:00:00:00:01")
ROUTER_MACS = ("02:fe:00:00:00:00", "02:fe:00:00:00:01")

# Virtual machines lose a CPU for milliseconds now and then; at half of what a lab carries deep rings hold most of what
# comes meanwhile. Twice as deep, the caches no longer hold them and a CPU generates a fifth less.
RING_SLOTS = 8192

INTERFACES_UP = """\
set interface state e0 up
set interface state e1 up
"""
IP4_INTERFACES = f"""\
{INTERFACES_UP}\
set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/30
ip neighbor e0 100.64.1.2 {GENERATOR_MACS[0]}
ip neighbor e1 100.64.2.2 {GENERATOR_MACS[1]}
"""
IP4_ROUTES = """\
ip route add 16.0.0.0/8 via 100.64.1.2
ip route add 48.0.0.0/8 via 100.64.2.2
"""
MPLS_SWAPS = """\
mpls table add 0
set interface mpls e0 enable
set interface mpls e1 enable
mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 17
mpls local-label add 17 eos via 100.64.1.2 e0 out-labels 16
"""
ROUTER_COMMANDS = IP4_INTERFACES + IP4_ROUTES + MPLS_SWAPS


class EmbeddedLab:
    """Generator ↔ memif ↔ router, each with a CPU of its own. `directory` holds sockets and logs."""

    name = "wirespeed"

    def __init__(self, cpus: LabCpus, speed: str = "10G", hugepages: str = "auto") -> None:
        self._cpus = cpus
        self._speed = speed
        self._hugepages = hugepages
        # Socket paths are at most 107 bytes long, so not below a user's own directory.
        self.directory = Path(tempfile.mkdtemp(prefix="wirespeed-"))
        self._router: Child | None = None
        self._generator: Child | None = None
        self.rpc = ""
        self.probe: Callable[[], dict[str, Any]] | None = None

    @property
    def control_socket(self) -> Path:
        return self.directory / "router.sock"

    @property
    def router(self) -> Child:
        assert self._router is not None, "the lab is not up"
        return self._router

    @property
    def generator(self) -> Child:
        assert self._generator is not None, "the lab is not up"
        return self._generator

    def start(self) -> None:
        commands = self.directory / "router.conf"
        commands.write_text(ROUTER_COMMANDS)
        arguments = ["router", "--cpu", str(self._cpus.dut), *self._cpus.main_cpu, "--exec", str(commands)]
        arguments += ["--socket", str(self.control_socket), "--hugepages", self._hugepages]
        for index in (0, 1):
            arguments += ["--interface", f"e{index}={self._wire(index, 'server', ROUTER_MACS[index])}"]
        self._router = Child("router", arguments, self.directory / "router.log", self._cpus.all).start()
        self.probe = RuntimeProbe(self.control_socket)
        self.restart_generator()

    def restart_generator(self) -> None:
        """Bring the generator up, after the one there was has ended or is ended."""
        if self._generator is not None:
            self._generator.stop()
        self.rpc = f"127.0.0.1:{free_rpc_port()}"
        arguments = ["generator", "--cpu", str(self._cpus.generator), "--hugepages", self._hugepages]
        arguments += ["--rpc", self.rpc, *self._cpus.main_cpu]
        for index in (0, 1):
            arguments += ["--port", self._wire(index, "client", GENERATOR_MACS[index])]
            arguments += ["--dest-mac", ROUTER_MACS[index]]
        self._generator = Child("generator", arguments, self.directory / "generator.log", self._cpus.all).start()

    def _wire(self, index: int, role: str, mac: str) -> str:
        depth = f"rxd={RING_SLOTS},txd={RING_SLOTS}"
        return f"memif:{self.directory}/e{index}.sock,id=0,role={role},mac={mac},speed={self._speed},{depth}"

    def stop(self) -> None:
        for child in (self._generator, self._router):
            if child is not None:
                child.stop()
        self._generator = self._router = None
        shutil.rmtree(self.directory, ignore_errors=True)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "embedded",
            "wire": "memif",
            "speed": self._speed,
            "generator_cpu": self._cpus.generator,
            "dut_cpu": self._cpus.dut,
        }

    def describe_dut(self) -> dict[str, Any]:
        return {"name": self.name, "commands": ROUTER_COMMANDS.splitlines()}

    def drops(self) -> int:
        return drops(parse_errors(ask(self.control_socket, "show errors")))
