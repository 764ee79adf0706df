"""What a lab is: a tester's ports wired to a DUT, up between `start` and `stop`."""

from __future__ import annotations

from typing import Protocol

from wirespeed.dut.dut import Dut
from wirespeed.errors import EnvironmentFault
from wirespeed.lab.placement import LabCpus, place
from wirespeed.lab.ports import free_pair
from wirespeed.lab.topology import read_topology
from wirespeed.results.lab import LabFacts


class Lab(Protocol):
    """A generator that answers at `rpc`, wired to a DUT that forwards 16.0.0.0/8 to port 0, 48.0.0.0/8 to port 1.

    `dut` is prepared by `start` and closed by `stop`.
    """

    name: str

    @property
    def dut(self) -> Dut: ...
    @property
    def rpc(self) -> str: ...
    @property
    def facts(self) -> LabFacts: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


def choose_cpus() -> LabCpus:
    """The CPUs of a lab on this machine; EnvironmentFault when this process may use one only."""
    return place(read_topology())


def free_rpc_port() -> int:
    """A TCP port on loopback that is free, as is the one below it (T-Rex publishes there).

    No other lab gets it before a generator has bound it, nor while a generator is started again.
    """
    port = free_pair(range(4501, 4999, 2))
    if port is None:
        raise EnvironmentFault("no two free TCP ports between 4500 and 4998 on 127.0.0.1 for the generator's RPC")
    return port
