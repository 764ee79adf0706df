"""The lab that needs nothing: generator and our router, two processes wired by two memifs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from wirespeed.dut.router import RouterDut
from wirespeed.errors import error_of
from wirespeed.lab.generator import LabGenerator, LabWire
from wirespeed.machine.child import Child
from wirespeed.machine.placement import LabCpus
from wirespeed.model import PLAIN_MTU
from wirespeed.owned import OwnedDirectory
from wirespeed.results.lab import LabFacts
from wirespeed.router.client import ask
from wirespeed.units import parse_speed

GENERATOR_MACS = ("02:ee:00:00:00:00", "02:ee:00:00:00:01")
ROUTER_MACS = ("02:fe:00:00:00:00", "02:fe:00:00:00:01")

DEEP_SLOTS = 32768
"""Largest ring of a memif. Kernels and hypervisors preempt a CPU for milliseconds now and then; packets wait in the
rings meanwhile, at 64 bytes and line rate for up to 2.2 ms."""

SHALLOW_SLOTS = 8192
_DEEP_NEEDS_BYTES = 4 << 30
"""With deep rings generator and router take 1.1 GB together, 0.5 GB with shallow ones."""

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
IP6_INTERFACES = f"""\
set interface ip address e0 2001:2:0:7fff::1/64
set interface ip address e1 2001:2:0:ffff::1/64
ip neighbor e0 2001:2:0:7fff::2 {GENERATOR_MACS[0]}
ip neighbor e1 2001:2:0:ffff::2 {GENERATOR_MACS[1]}
"""
IP6_ROUTES = """\
ip route add 2001:2::/49 via 2001:2:0:7fff::2
ip route add 2001:2:0:8000::/49 via 2001:2:0:ffff::2
"""
MPLS_SWAPS = """\
mpls table add 0
set interface mpls e0 enable
set interface mpls e1 enable
mpls local-label add 16 eos via 100.64.2.2 e1 out-labels 17
mpls local-label add 17 eos via 100.64.1.2 e0 out-labels 16
"""
ROUTER_COMMANDS = IP4_INTERFACES + IP4_ROUTES + IP6_INTERFACES + IP6_ROUTES + MPLS_SWAPS


def slots_for(meminfo: str, mtu: int = PLAIN_MTU) -> int:
    """Ring sizes of a lab, by the /proc/meminfo of its machine. Pure.

    Rings for jumbo frames are smaller. A frame takes at most five slots, so these rings still hold at least 1.5 ms of
    jumbo frames at line rate; and the tester's buffers are as long as the frames."""
    if mtu > PLAIN_MTU:
        return SHALLOW_SLOTS
    available = next((line.split()[1] for line in meminfo.splitlines() if line.startswith("MemAvailable:")), "0")
    return DEEP_SLOTS if int(available) * 1024 >= _DEEP_NEEDS_BYTES else SHALLOW_SLOTS


def mtu_commands(mtu: int) -> str:
    """Commands that set the MTU of the router's interfaces to `mtu` bytes; () if it is the default. Pure."""
    return "".join(f"set interface mtu {mtu} e{index}\n" for index in (0, 1) if mtu != PLAIN_MTU)


@dataclass(frozen=True)
class RouterChoice:
    """The router of a lab, if it is not this program: `program` is the `wirespeed` of another build. `config` is a
    vppcfg file that is applied, and `exec` a file of commands that are run, after the lab's own configuration."""

    program: Path | None = None
    config: Path | None = None
    exec: Path | None = None


OWN_ROUTER = RouterChoice()


class EmbeddedLab:
    """Generator ↔ memif ↔ router, each with a CPU of its own. `directory` holds sockets and logs; `ring_slots` packets
    wait in a wire each way, as many as there is memory for unless told; `mtu` is the largest layer 3 packet that both
    carry; a wire has `queues` each way."""

    name = "wirespeed over memif"

    def __init__(
        self,
        cpus: LabCpus,
        speed: str = "10G",
        hugepages: str = "auto",
        ring_slots: int | None = None,
        mtu: int = PLAIN_MTU,
        queues: int = 1,
        router: RouterChoice = OWN_ROUTER,
    ) -> None:
        self._queues = queues
        self._choice = router
        self._ring_slots = ring_slots or slots_for(Path("/proc/meminfo").read_text(), mtu)
        self._mtu = mtu
        self._commands = mtu_commands(mtu) + ROUTER_COMMANDS
        self._lines = tuple(filter(None, router.exec.read_text().splitlines())) if router.exec else ()
        self._cpus = cpus
        self._speed = speed
        self._hugepages = hugepages
        # Socket paths are at most 107 bytes long, so not below a user's own directory.
        self._owned = OwnedDirectory("lab", Path(tempfile.gettempdir()))
        self.directory = self._owned.path
        self._router: Child | None = None
        wires = [
            LabWire(self._wire(index, "client", GENERATOR_MACS[index]), dut_mac=ROUTER_MACS[index]) for index in (0, 1)
        ]
        self._generator = LabGenerator(
            wires, cpus.generator, cpus.control, self.directory / "generator.log", hugepages=hugepages, mtu=mtu
        )
        self.dut = RouterDut(self.control_socket, commands=[*self._commands.splitlines(), *self._lines])

    @property
    def control_socket(self) -> Path:
        return self.directory / "router.sock"

    @property
    def rpc(self) -> str:
        return self._generator.rpc

    @property
    def router(self) -> Child:
        assert self._router is not None, "the lab is not up"
        return self._router

    @property
    def generator(self) -> Child:
        return self._generator.child

    @property
    def facts(self) -> LabFacts:
        return LabFacts(
            kind="embedded",
            port_type="memif",
            speed_bps=parse_speed(self._speed),
            cpus=self._cpus.roles,
            topology=self._cpus.topology,
            ring_slots=self._ring_slots,
            mtu=self._mtu,
        )

    def start(self) -> None:
        commands = self.directory / "router.conf"
        commands.write_text(self._commands)
        arguments = ["router", "--cpu", str(self._cpus.dut), *self._cpus.main_cpu, "--exec", str(commands)]
        arguments += ["--socket", str(self.control_socket), "--hugepages", self._hugepages]
        for index in (0, 1):
            arguments += ["--interface", f"e{index}={self._wire(index, 'server', ROUTER_MACS[index])}"]
        self._router = Child(
            "router", arguments, self.directory / "router.log", self._cpus.all, program=self._choice.program
        )
        self._router.start()
        self._configure()
        self.dut.prepare()
        self._generator.start()

    def _configure(self) -> None:
        """Apply the configuration of the router's choice. Raises the error of the first line that the router
        refuses."""
        if self._choice.config is not None:
            words = ["config", "apply", str(self._choice.config), "--socket", str(self.control_socket)]
            words += ["--journal", str(self.directory / "config.journal")]
            applied = subprocess.run(
                [sys.executable, "-m", "wirespeed", *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if applied.returncode:
                said = applied.stderr.strip().splitlines() or [f"exit code {applied.returncode}"]
                raise error_of(applied.returncode, said[-1].removeprefix("wirespeed: "))
        for line in self._lines:
            ask(self.control_socket, line)

    def restart_router(self) -> None:
        """Restart the router with the same configuration; the generator continues to send."""
        self.router.stop()
        self.router.start()
        self._configure()
        self.dut.prepare()

    def restart_generator(self) -> None:
        """Bring the generator up, after the one there was has ended or is ended."""
        self._generator.start()

    def _wire(self, index: int, role: str, mac: str) -> str:
        """The port at one end of a wire; `role` is `client` for the generator's end, `server` for the router's."""
        depth = f"rxd={self._ring_slots},txd={self._ring_slots},rxq={self._queues},txq={self._queues}"
        return f"memif:{self.directory}/e{index}.sock,id=0,role={role},mac={mac},speed={self._speed},{depth}"

    def stop(self) -> None:
        self.dut.close()
        self._generator.stop()
        if self._router is not None:
            self._router.stop()
            self._router = None
        self._owned.remove()
