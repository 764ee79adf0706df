"""Counters and latency of packet groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirespeed._native.flow_records import FlowKind
from wirespeed.generator.pgid_stats import pgid_stats
from wirespeed.generator.registry import method
from wirespeed.generator.rpc import Json, bad_parameters

if TYPE_CHECKING:
    from wirespeed.generator.server import Server


@method("get_active_pgids")
def get_active_pgids(server: Server) -> Json:
    """Packet groups of all streams, by type of measurement."""
    groups = server.groups
    return {"ids": {"flow_stats": groups.active(FlowKind.STATS), "latency": groups.active(FlowKind.LATENCY)}}


@method("get_pgid_stats")
def get_pgid_stats(server: Server, pgids: list[Any], order: bool = False) -> Json:
    """Statistics of these packet groups, or of all; missing ones are omitted. `order` adds wirespeed's fields."""
    for pg_id in pgids:
        if isinstance(pg_id, bool) or not isinstance(pg_id, int):
            raise bad_parameters("field 'pgids' is not an array of 'uint32'")
    chosen = server.groups.chosen(pgids)
    by_id = {
        group.hardware_id: group.pg_id
        for group in chosen
        if group.kind is FlowKind.LATENCY and group.hardware_id is not None
    }
    latencies = {by_id[number]: seen for number, seen in server.core.latencies(list(by_id)).items()} if by_id else {}
    told = pgid_stats(chosen, server.groups.counters(chosen), latencies, server.core.flow_faults())
    return told if order else {name: value for name, value in told.items() if name != "order"}
