"""The highest loads that a DUT carries, with their bounds."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=1,
    summary="Find NDR, PDR (MLRsearch) and MRR; latency at shares of them.",
    help="""Find NDR and PDR by MLRsearch, MRR, and latency at shares of them.

Loads are per direction, losses of all together. Ctrl-C stops the traffic and keeps what is known, marked as
irregular. Until the end FILE.part has the trials.""",
    file="A search",
    more="",
)
