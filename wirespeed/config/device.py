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
        """Execute the operations in order; yields once for each confirmed one. A WirespeedError is the failure of the
        next one, ConnectionFault means that its outcome is unknown; later ones are not executed then. Some may be taken
        from `operations` before earlier ones are confirmed, since a round trip for each would dominate the time."""

    def lacks(self, operation: Operation) -> str | None:
        """A capability that the operation needs and the device lacks; None if the operation may be tried."""
