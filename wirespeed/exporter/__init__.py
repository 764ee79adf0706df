"""Counters of routers, generators, tests and devices, for Prometheus."""
