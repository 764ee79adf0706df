"""The tester of a lab on this machine: `wirespeed generator` as a child, its ports being the lab's wires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirespeed.machine.child import Child
from wirespeed.machine.ports import free_rpc_port
from wirespeed.model import PLAIN_MTU


@dataclass(frozen=True)
class LabWire:
    """One line of a lab: the tester's port, as `wirespeed generator --port` has it, and the MAC address at the other
    end."""

    port: str
    dut_mac: str


class LabGenerator:
    """A generator whose worker has `cpu` for itself, and whose other threads stay on `control`; `mtu` is the
    largest layer 3 packet that its ports carry."""

    def __init__(
        self,
        wires: Sequence[LabWire],
        cpu: int,
        control: Sequence[int],
        log: Path,
        hugepages: str = "auto",
        name: str = "generator",
        mtu: int = PLAIN_MTU,
    ) -> None:
        self._wires = tuple(wires)
        self._cpu = cpu
        self._control = tuple(control)
        self._log = log
        self._hugepages = hugepages
        self._name = name
        self._mtu = mtu
        self._child: Child | None = None
        self.rpc = ""
        """Its RPC address, once it has started."""

    @property
    def child(self) -> Child:
        assert self._child is not None, "the generator is not started"
        return self._child

    def start(self) -> None:
        """Bring it up, in place of the one there was, if any. EnvironmentFault or its own error when that fails."""
        self.stop()
        self.rpc = f"127.0.0.1:{free_rpc_port()}"
        arguments = ["generator", "--cpu", str(self._cpu), "--main-cpu", ",".join(map(str, self._control))]
        arguments += ["--rpc", self.rpc, "--hugepages", self._hugepages, "--mtu", str(self._mtu)]
        for wire in self._wires:
            arguments += ["--port", wire.port, "--dest-mac", wire.dut_mac]
        cpus = frozenset((self._cpu, *self._control))
        self._child = Child(self._name, arguments, self._log, cpus)
        self._child.start()

    def stop(self) -> None:
        """End it. Harmless when it is gone."""
        if self._child is not None:
            self._child.stop()
            self._child = None

    def __enter__(self) -> LabGenerator:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
