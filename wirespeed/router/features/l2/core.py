"""Values of bridge domains and their stations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BridgeDomain:
    """`uu_flood`: to stations that are not known. `age_min` 0: learnt addresses stay. `bvi`: its own interface."""

    id: int
    learn: bool = True
    forward: bool = True
    flood: bool = True
    uu_flood: bool = True
    age_min: int = 0
    bvi: int | None = None


@dataclass(frozen=True)
class L2FibEntry:
    """Interface of a bridge domain behind which an address is; None: frames to it are dropped."""

    domain: int
    mac: str
    interface: int | None
    is_static: bool = True
    age_s: int = 0
