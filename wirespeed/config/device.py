"""Interface of a configured device: it can be read, and it performs operations in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from wirespeed.config.operations import Operation
from wirespeed.config.state import RouterState


class ConfigDevice(Protocol):
    def read(self) -> RouterState:
        """Present configuration. ConnectionFault if the device does not answer."""

    def run(self, operations: Iterable[Operation]) -> Iterator[None]:
        """Do them in their order; yields once for each that was answered as done. A WirespeedError says why the next
        one was not, ConnectionFault that nobody knows; none behind it is done then. Some may be taken from
        `operations` before those in front of them are done: a round trip for each would be most of the time."""

    def lacks(self, operation: Operation) -> str | None:
        """A capability that the operation needs and the device lacks; None if the operation may be tried."""
