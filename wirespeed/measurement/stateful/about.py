"""The benchmarks of RFC 9693, for devices that keep a state for each flow."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=5,
    summary="NAT and firewalls by number of flows (RFC 9693).",
    help="""Benchmarks of NAT and firewalls with their states (RFC 9693), by number of flows.

First the rate of new flows of which all are validated, then throughput, frame loss and latency over that many states,
each beside the same without the filter. Ctrl-C stops the traffic and keeps what is known. Until the end FILE.part has
the trials.""",
    file="Tests of stateful devices",
    more="The journal has trials, and rows as `row_of` (the test) and `row`.",
)
