"""The benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=2,
    summary="Run the benchmarks of RFC 2544, 9004 and 6201, by frame size.",
    help="""Run the tests of RFC 2544, 9004 (bursts), 6201 (reset) and 5180 (IPv6).

Results name each deviation from the RFC. Ctrl-C stops the traffic and keeps finished rows. FILE.part has the trials
until the test ends.""",
    file="Tests of RFC 2544",
    more="The journal has trials, and rows as `row_of` (the test) and `row`.",
)
