"""Bursts of growing length at one load; the longest without loss."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=4,
    summary="Find the longest burst that is forwarded without loss.",
    help="""Send bursts of growing length; find the longest that is forwarded without loss.

A length is a number of frames per direction. It doubles until bursts lose frames; then a binary search follows. Ctrl-C
stops the traffic and keeps the bounds so far. FILE.part has the bursts until the test ends.""",
    file="A burst test",
)
