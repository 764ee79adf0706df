"""What the control plane asks of the data plane about tables of routes, labels, and routes by the million."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Protocol

from wirespeed.seam.routes import Path


class FlowField(IntFlag):
    """What tells flows apart, in VPP's order. `REVERSE` hashes the source in the destination's place, `SYMMETRIC` both
    directions of a flow alike; `FLOWLABEL` is of IPv6."""

    SRC = 1
    DST = 2
    SPORT = 4
    DPORT = 8
    PROTO = 16
    REVERSE = 32
    SYMMETRIC = 64
    FLOWLABEL = 128


_IP4_FLOWS = FlowField.SRC | FlowField.DST | FlowField.SPORT | FlowField.DPORT | FlowField.PROTO
FLOW_HASH = {4: _IP4_FLOWS, 6: _IP4_FLOWS | FlowField.FLOWLABEL}
"""By IP version, of a table that has no others."""


@dataclass(frozen=True)
class Table:
    """A table of routes of one IP version; 0 is the default one."""

    version: int
    id: int
    name: str
    route_count: int
    flow_hash: FlowField = _IP4_FLOWS


@dataclass(frozen=True)
class MplsRoute:
    """What becomes of packets with a label; `payload` is the IP version behind one that ends the stack, else 0."""

    label: int
    bottom: bool
    payload: int
    paths: tuple[Path, ...]
    is_static: bool = True
    index: int = field(default=0, compare=False)
    """What it is counted by."""


class TablesCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`."""

    def add_table(self, version: int, table: int, name: str) -> None: ...
    def delete_table(self, version: int, table: int) -> None: ...
    def tables(self, version: int) -> Sequence[Table]: ...
    def set_table(self, index: int, version: int, table: int) -> None:
        """Look packets of an interface up in this table."""

    def set_flow_hash_seed(self, seed: int) -> None:
        """The number of 32 bits that is part of the choice among paths; flows move when it changes."""

    def flow_hash_seed(self) -> int: ...
    def set_flow_hash(self, version: int, table: int, fields: FlowField) -> None:
        """Which fields choose among paths, of packets that come in by interfaces of the table."""

    def add_mpls_table(self) -> None: ...
    def delete_mpls_table(self) -> None: ...
    def has_mpls_table(self) -> bool: ...
    def set_mpls(self, index: int, on: bool) -> None: ...
    def set_mpls_route(self, route: MplsRoute) -> None: ...
    def delete_mpls_route(self, label: int, bottom: bool) -> None: ...
    def mpls_route(self, label: int, bottom: bool) -> MplsRoute | None: ...
    def mpls_routes(self) -> Sequence[MplsRoute]:
        """In order of label; UsageError when there is no table."""

    def run_route_lines(self, text: bytes, offset: int) -> tuple[int, int]:
        """Do the plain route lines that stand at the offset: how many bytes and lines these were, 0 for none."""
