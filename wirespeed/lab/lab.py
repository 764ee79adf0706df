"""What a lab is: a tester's ports wired to a DUT, up between `start` and `stop`."""

from __future__ import annotations

import socket
from typing import Protocol

from wirespeed.dut.dut import Dut
from wirespeed.errors import EnvironmentFault
from wirespeed.lab.placement import LabCpus, place
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

    It is this process's until that ends: other labs, which ask here as well, are not given it before a generator has
    bound it, nor while one is started again.
    """
    for port in range(4501, 4999, 2):
        if (port in _held or _hold(port)) and _is_free(port) and _is_free(port - 1):
            return port
    raise EnvironmentFault("no two free TCP ports between 4500 and 4998 on 127.0.0.1 for the generator's RPC")


_held: set[int] = set()


def _hold(port: int) -> bool:
    """Whether no other process holds it; abstract sockets are a network namespace's, as ports are."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as held:
        try:
            held.bind(f"\0wirespeed-rpc-{port}")
        except OSError:
            return False
        held.detach()  # open until this process ends, however that comes about
    _held.add(port)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
