"""The seam between control and data plane: records that cross it, and protocols of the calls."""

__all__ = ["addresses", "counting", "flow_sets", "graph", "interfaces", "ip6", "ports", "routes", "tables"]
