"""Warm up, ramp the load linearly, hold it; write a result file."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=0,
    summary="Warm up, ramp the load linearly, hold it; write a result file.",
    help="""Warm up, ramp the load linearly, hold it; write a result file.

Ctrl-C stops the traffic and keeps the samples so far. FILE.part has them until the test ends, also after a kill.""",
    file="A load test",
    more=(
        "Files of trex-loadtest have no `schema`. The fields of `ending` are in "
        "`outcome`. Reports judge the samples again by the stored threshold and balance; the stored judgement is the "
        "one printed when the test ended."
    ),
)
