"""Options of a burst test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.option import Option, time_option
from wirespeed.measurement.options import MeasurementOptions, Profile


@dataclass(frozen=True, kw_only=True)
class BurstOptions(MeasurementOptions[BurstResult]):
    """Bursts of growing length at one load.

    `load` is the rate within a burst, of each direction, as text, such as "100%" or "5mpps". `longest_s` is the time
    that the longest burst takes, `rest_s` the pause before each burst."""

    profile: Profile = "bench"
    load: Annotated[str, Option("--load", "Rate within a burst, per direction.", metavar="RATE", key="load")] = "100%"
    first: Annotated[
        int, Option("--first", "Frames of the first burst, per direction.", metavar="N", key="first", limits={"ge": 1})
    ] = 64
    longest_s: Annotated[
        float,
        time_option(
            "--longest", "Duration of the longest burst.", stored="longest", setting="longest_s", limits={"gt": 0}
        ),
    ] = 2.0
    resolution: Annotated[
        str, Option("--resolution", "Precision of the burst length.", metavar="SHARE", key="resolution")
    ] = "1%"
    tries: Annotated[
        int, Option("--tries", "Tries before a length counts as lossy.", metavar="N", key="tries", limits={"ge": 1})
    ] = 3
    rest_s: Annotated[
        float, time_option("--rest", "Pause before each burst.", stored="rest", setting="rest_s", limits={"ge": 0})
    ] = 0.5

    @property
    def most_s(self) -> float:
        # Growing takes twice the longest burst, the search between the last two lengths as much for each halving.
        halvings = 8
        return self.tries * (2 + halvings) * self.longest_s + (24 + halvings * self.tries) * (self.rest_s + 1.0)


OPTIONS = BurstOptions
