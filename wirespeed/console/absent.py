"""Words of T-Rex's console that are no commands here, and what to do instead."""

from __future__ import annotations

_GROUPS = "tagged packet groups are not supported; count flows with flow_stats (`start … -t flow=fs`, `stats -s`)"
_TREX_ONLY = "is for those who work on T-Rex's own console"

ABSENT = {
    **{
        f"tpg_{word}": _GROUPS
        for word in (
            "clear_stats",
            "clear_tx_stats",
            "clear_unknown_tags",
            "disable",
            "enable",
            "show_unknown_tags",
            "stats",
            "tags",
            "tx_stats",
            "update",
        )
    },
    "ns": "network namespaces are not supported; a port is one host, see `l3` and `ipv6`",
    "debug": _TREX_ONLY,
    "plugins": _TREX_ONLY,
    "verbose": f"{_TREX_ONLY}; `events` shows what happened at the server",
}
