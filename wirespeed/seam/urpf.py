"""What the control plane asks of the data plane about unicast reverse path forwarding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Network, IPv6Network
from typing import Protocol


class UrpfMode(IntEnum):
    """Whose packets an interface takes: everybody's, those of sources that some route leads back to, or only those
    whose route leads back by that interface; whose it sends: strict, those whose route does not lead there."""

    OFF = 0
    LOOSE = 1
    STRICT = 2


@dataclass(frozen=True)
class Urpf:
    """What an interface looks at; `table` None: sources are looked up in the interface's own."""

    mode: UrpfMode = UrpfMode.OFF
    table: int | None = None


@dataclass(frozen=True)
class UrpfAccepted:
    """Sources that pass where the mode is loose, whatever routes their table has."""

    prefix: IPv4Network | IPv6Network
    table: int = 0


class UrpfCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`; `version` is 4 or 6, `tx` of what goes out."""

    def set_urpf(self, index: int, version: int, urpf: Urpf, tx: bool = False) -> None: ...
    def urpf(self, index: int, version: int, tx: bool = False) -> Urpf: ...
    def set_urpf_accept(self, accepted: UrpfAccepted, on: bool) -> None:
        """UsageError when it is there already, or is not."""

    def urpf_accepted(self) -> Sequence[UrpfAccepted]: ...
