"""The benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=2,
    summary="The benchmarks of RFC 2544, 9004 and 6201, by frame size.",
    help="""Benchmarks of RFC 2544, 9004 (bursts), 6201 (reset), 5180 (IPv6) by size.

Results name each difference from the RFC. Ctrl-C stops the traffic and keeps what is known. Until the end FILE.part
has the trials.""",
    file="Tests of RFC 2544",
    more="The journal has trials, and rows as `row_of` (the test) and `row`.",
)
