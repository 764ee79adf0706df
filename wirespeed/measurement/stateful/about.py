"""The benchmarks of RFC 9693, for devices that keep a state for each flow."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=5,
    summary="Benchmark NAT and firewalls by number of flows (RFC 9693).",
    help="Benchmark NAT and firewalls (RFC 9693). Ctrl-C keeps finished rows.",
    file="Tests of stateful devices",
    more="The journal has trials, and rows as `row_of` (the test) and `row`.",
)
