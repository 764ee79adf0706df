"""The console's commands, by subject: `COMMANDS` holds them all once this is imported."""

from wirespeed.console.commands import (
    capture,
    console,
    hosts,
    packets,
    port_addresses,
    ports,
    push,
    server,
    statistics,
    tagged_groups,
    traffic,
)
from wirespeed.console.commands.registry import ALIASES, COMMANDS, GROUPS

__all__ = [
    "ALIASES",
    "COMMANDS",
    "GROUPS",
    "capture",
    "console",
    "hosts",
    "packets",
    "port_addresses",
    "ports",
    "push",
    "server",
    "statistics",
    "tagged_groups",
    "traffic",
]
