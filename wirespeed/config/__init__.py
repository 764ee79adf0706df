"""The planner: vppcfg's YAML checked, compared with a router, planned in order, and applied."""

__all__ = [
    "api_device",
    "application",
    "check",
    "device",
    "dump",
    "journal",
    "plan",
    "preflight",
    "render",
    "router_device",
    "state",
    "target",
]
