"""What a lab is: generator ports wired to a DUT, up between `start` and `stop`."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from wirespeed.errors import EnvironmentFault


@dataclass(frozen=True)
class LabCpus:
    """Which CPU the tester's worker and the DUT's have for themselves, and where all the control threads run.

    With two CPUs control shares the tester's: the tester makes up for the moments it is away, a DUT that is away
    loses packets.
    """

    generator: int
    dut: int
    control: tuple[int, ...]

    @property
    def all(self) -> frozenset[int]:
        return frozenset((self.generator, self.dut, *self.control))

    @property
    def main_cpu(self) -> list[str]:
        """The option that keeps a program's main thread there."""
        return ["--main-cpu", ",".join(str(cpu) for cpu in self.control)]


class Lab(Protocol):
    """A generator that answers at `rpc`, wired to a DUT that forwards 16.0.0.0/8 to port 0, 48.0.0.0/8 to port 1."""

    name: str
    rpc: str
    probe: Callable[[], dict[str, Any]] | None
    """Reads the DUT's telemetry since the last call; None where it has none."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def describe(self) -> dict[str, Any]: ...
    def describe_dut(self) -> dict[str, Any]: ...
    def drops(self) -> int | None:
        """Packets that the DUT has dropped and counted since it started; None where it does not tell."""


def choose_cpus() -> LabCpus:
    """Two CPUs of those this process may use; EnvironmentFault when there is one only."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise EnvironmentFault(
            f"a lab needs two CPUs, one for the tester and one for the router; this process has CPU {usable[0]}"
        )
    return LabCpus(generator=usable[-2], dut=usable[-1], control=tuple(usable[:-2]) or (usable[-2],))


def free_rpc_port() -> int:
    """A TCP port on loopback that is free, as is the one below it (T-Rex publishes there)."""
    for port in range(4501, 4999, 2):
        try:
            for candidate in (port, port - 1):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", candidate))
        except OSError:
            continue
        return port
    raise EnvironmentFault("no two free TCP ports between 4500 and 4998 on 127.0.0.1 for the generator's RPC")
