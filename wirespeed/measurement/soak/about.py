"""A load held for minutes to days, and what that shows of the loss."""

from __future__ import annotations

from wirespeed.measurement.about import About

ABOUT = About(
    order=3,
    summary="Hold a load for minutes to days; report the demonstrated loss ratio.",
    help="""Hold a load for minutes to days; report losses by time and cause, and the demonstrated loss ratio.

Ctrl-C stops the traffic and gives the verdict so far. FILE.part has the counters of each second until the test ends.
After a crash, --resume FILE continues the test, even if the traffic never stopped.""",
    file="A soak",
    more=(
        "Spans: one of the whole soak, the latest 900 seconds, 1440 minutes and 8784 hours; the latest 1000 events and "
        "gaps. The loss of a span is `lost` minus `delayed`. The journal has one line per second and is replaced by "
        "one `state` after 3600 lines."
    ),
)
