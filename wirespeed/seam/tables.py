"""Tables of routes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag


class FlowField(IntFlag):
    """Fields by which flows are distinguished, in VPP's order. `REVERSE` hashes the source in place of the destination,
    `SYMMETRIC` both directions of a flow alike; `FLOWLABEL` is for IPv6 only."""

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
"""The default fields by IP version."""


@dataclass(frozen=True)
class RouteTable:
    """A table of routes of one IP version; 0 is the default one."""

    version: int
    id: int
    name: str
    route_count: int
    flow_hash: FlowField = _IP4_FLOWS
