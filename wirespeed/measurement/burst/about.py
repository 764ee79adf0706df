"""Bursts of growing length on one load; the longest that is forwarded whole."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=4,
    summary="Bursts of growing length; the longest that is forwarded whole.",
    help="""Send frames back to back, in bursts of growing length; the longest that is forwarded whole.

Lengths are frames per direction; they double until a burst loses frames, then the length between is searched. Ctrl-C
stops the traffic and keeps what is known. Until the end FILE.part has the bursts.""",
    file="A burst test",
)
