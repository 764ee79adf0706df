"""What a configuration is applied to: anything that can be read, and that does one operation at a time."""

from __future__ import annotations

from typing import Protocol

from wirespeed.config.operations import Operation
from wirespeed.config.state import State


class Device(Protocol):
    def read(self) -> State:
        """What it is set to now. ConnectionFault when it does not answer."""

    def run(self, operation: Operation) -> None:
        """Do it; back when it is done. A WirespeedError says why not, ConnectionFault that nobody knows."""

    def lacks(self, operation: Operation) -> str | None:
        """What it has not, that the operation needs; None where it may be tried."""
