"""The benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=2,
    summary="The benchmarks of RFC 2544, 9004 and 6201, by frame size.",
    help="""Measure as RFC 2544 has it, with RFC 9004 (bursts), 6201 (reset) and 5180 (IPv6), by frame size.

Loads are frames per second of each direction, both at once unless -u. Where a test differs from the RFC, as by
shorter trials, its result says so. Ctrl-C stops the traffic and keeps what is known. Trials are kept in FILE.part
as they come, so that a kill loses none.""",
    file="Tests of RFC 2544",
    more="The journal has trials, and rows as `row_of` (the test) and `row`.",
)
