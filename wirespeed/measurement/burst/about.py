"""Bursts of growing length on one load; the longest that is forwarded whole."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=4,
    summary="Bursts of growing length; the longest that is forwarded whole.",
    help="""Send frames back to back, in bursts of growing length; the longest that is forwarded whole.

Each burst is twice as long as the one before until one loses frames; the length between is then searched. Frames are
those of one direction. Progress goes to standard error. Ctrl-C stops the traffic and keeps what is known. Bursts are
kept in FILE.part as they come, so that a kill loses none.""",
    file="A burst test",
)
