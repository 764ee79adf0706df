"""Values of link impairment: packets that a port deliberately loses, delays or duplicates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Impairment:
    """Impairment of a port's transmitted packets. `loss`, `duplicate` and `reorder` are shares of packets, 0 to 1;
    losses are `loss_burst` consecutive packets on average; a packet is delayed by `delay_ns`, and by up to `jitter_ns`
    more."""

    loss: float = 0.0
    loss_burst: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    delay_ns: int = 0
    jitter_ns: int = 0
    seed: int = 1


@dataclass(frozen=True)
class ImpairmentCounters:
    """Packets since the impairment began; `held` wait now. What found no room to wait is dropped (`no_room`), what
    could not be copied is not doubled (`no_copy`)."""

    packets: int = 0
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0
    delayed: int = 0
    held: int = 0
    no_room: int = 0
    no_copy: int = 0
