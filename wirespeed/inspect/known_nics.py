"""NICs that load tests are run on, by their PCI ids: what they are called, and what each of their functions has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownNic:
    """`speed_bps` is each port's; `ports` of them share one function. `on_die` are part of a processor, whose links
    carry nothing; `keeps_driver`: DPDK drives it through the kernel's own driver, which stays bound."""

    name: str
    speed_bps: float
    ports: int = 1
    on_die: bool = False
    keeps_driver: bool = False


_G = 1e9

KNOWN = {
    "8086:10c9": KnownNic("82576", _G),
    "8086:10d3": KnownNic("82574L", _G),
    "8086:1539": KnownNic("i211", _G),
    "8086:1533": KnownNic("i210", _G),
    "8086:1536": KnownNic("i210 fibre", _G),
    "8086:1521": KnownNic("i350", _G),
    "8086:1f41": KnownNic("i354", _G, on_die=True),
    "8086:15f3": KnownNic("i225", 2.5 * _G),
    "8086:125c": KnownNic("i226-V", 2.5 * _G),
    "8086:10fb": KnownNic("82599ES", 10 * _G),
    "8086:1528": KnownNic("X540", 10 * _G),
    "8086:1563": KnownNic("X550", 10 * _G),
    "8086:15ac": KnownNic("X552", 10 * _G, on_die=True),
    "8086:15c4": KnownNic("X553", 10 * _G, on_die=True),
    "8086:1572": KnownNic("X710", 10 * _G),
    "8086:158b": KnownNic("XXV710", 25 * _G),
    "8086:1583": KnownNic("XL710", 40 * _G),
    "8086:1584": KnownNic("XL710", 40 * _G),
    "8086:1592": KnownNic("E810-C", 100 * _G),
    "8086:159b": KnownNic("E810-XXV", 25 * _G),
    "15b3:1003": KnownNic("ConnectX-3", 10 * _G, ports=2, keeps_driver=True),
    "15b3:1007": KnownNic("ConnectX-3 Pro", 10 * _G, ports=2, keeps_driver=True),
    "15b3:1013": KnownNic("ConnectX-4", 100 * _G, keeps_driver=True),
    "15b3:1015": KnownNic("ConnectX-4 Lx", 25 * _G, keeps_driver=True),
    "15b3:1017": KnownNic("ConnectX-5", 25 * _G, keeps_driver=True),
    "15b3:1019": KnownNic("ConnectX-5 Ex", 100 * _G, keeps_driver=True),
    "15b3:101b": KnownNic("ConnectX-6", 100 * _G, keeps_driver=True),
    "15b3:101d": KnownNic("ConnectX-6 Dx", 100 * _G, keeps_driver=True),
}
CONNECTX_3 = ("15b3:1003", "15b3:1007")
VIRTUAL_VENDORS = ("1af4", "15ad", "1d0f", "1414")
"""Red Hat (virtio), VMware, Amazon, Microsoft: no link of theirs limits anything."""


def keeps_driver(ids: str) -> bool:
    """True if the NIC keeps its kernel driver under DPDK (mlx4, mlx5)."""
    known = KNOWN.get(ids)
    return known.keeps_driver if known is not None else ids.startswith("15b3:")
