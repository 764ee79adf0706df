"""What the control plane asks of the data plane about unicast reverse path forwarding."""

from __future__ import annotations

from enum import IntEnum
from typing import Protocol


class UrpfMode(IntEnum):
    """Whose packets an interface takes: everybody's, those of sources that some route leads back to, or only those
    whose route leads back by that interface."""

    OFF = 0
    LOOSE = 1
    STRICT = 2


class UrpfCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`; `version` is 4 or 6."""

    def set_urpf(self, index: int, version: int, mode: UrpfMode) -> None: ...
    def urpf(self, index: int, version: int) -> UrpfMode: ...
