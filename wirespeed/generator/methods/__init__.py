"""The RPC methods, by subject: `METHODS` holds them all once this is imported."""

from wirespeed.generator.methods import (
    captures,
    emulated_hosts,
    flow_sets,
    flows,
    packets,
    port_layers,
    ports,
    process,
    refused,
    session,
    statistics,
    streams,
    tagged_groups,
    traffic,
)
from wirespeed.generator.registry import METHODS

__all__ = [
    "METHODS",
    "captures",
    "emulated_hosts",
    "flow_sets",
    "flows",
    "packets",
    "port_layers",
    "ports",
    "process",
    "refused",
    "session",
    "statistics",
    "streams",
    "tagged_groups",
    "traffic",
]
