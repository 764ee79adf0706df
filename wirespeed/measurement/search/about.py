"""The highest loads that a DUT carries, with their bounds."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=1,
    summary="Find NDR and PDR (MLRsearch), MRR, latency at shares of PDR.",
    help="""Find NDR and PDR by MLRsearch; measure MRR, and latency at shares of PDR.

Loads are per direction; the loss ratio is that of all directions together. Ctrl-C stops the traffic and keeps the
bounds so far, marked as irregular. FILE.part has the trials until the test ends.""",
    file="A search",
    more="",
)
