"""Counters of routers, generators, tests and devices, for Prometheus."""

__all__ = ["exposition", "options", "target", "told"]
