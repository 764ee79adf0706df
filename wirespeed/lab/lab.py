"""A lab: a tester's ports connected to a DUT, up between `start` and `stop`."""

from __future__ import annotations

from typing import Protocol

from wirespeed.dut.dut import Dut
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
