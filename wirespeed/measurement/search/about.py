"""The highest loads that a DUT carries, with their bounds."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=1,
    summary="Find NDR, PDR (MLRsearch) and MRR; latency at shares of them.",
    help="""Find NDR and PDR by MLRsearch, MRR, and latency at shares of them.

Loads are packets per second of each direction; loss is that of all directions together. Progress goes to standard
error. Ctrl-C stops the traffic and keeps what is known, marked as irregular. Trials are kept in FILE.part as they
come, so that a kill loses none.""",
    file="A search",
    more="",
)
