"""Options that tests by an RFC share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirespeed.measurement.option import Option, time_option

TRIAL = time_option("--trial", "Trial duration (RFC: 60 s).", setting="trial_s", limits={"gt": 0})
TEST = Option("", "", metavar="[TEST]", row=-1, setting="test", place=-1)
REPEATS = Option("--repeats", "Repeats.", metavar="N", setting="trials", limits={"ge": 1})
Resolution = Annotated[str, Option("--resolution", "Precision of searches.", metavar="SHARE", setting="resolution")]
Show = Annotated[
    Path | None,
    Option("--show", "Print the report of this result file, and exit.", metavar="FILE", group="Result"),
]
