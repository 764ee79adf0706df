"""Options of a soak."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from wirespeed.measurement.option import Option
from wirespeed.measurement.options import MeasurementOptions, Profile
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.units import parse_duration


@dataclass(frozen=True, kw_only=True)
class SoakOptions(MeasurementOptions[SoakResult]):
    """A load held for minutes to days (docs/soak.md).

    `load` is a rate of each direction as text, such as "30%" or "2mpps". `lasting` is a time such as "90" (seconds),
    "10m", "8h" or "3d". `loss` is the loss ratio to show at `confidence`. `patience` is in seconds."""

    profile: Profile = "bench"
    load: Annotated[
        str,
        Option(
            "--load",
            "Load of each direction, such as 30% or 2mpps.",
            stored="load",
            metavar="RATE",
            shown=False,
            setting="load",
            is_needed=True,
        ),
    ] = ""
    of: Annotated[
        Path | None, Option("--of", "A search result, to hold a --share of what it found.", metavar="FILE")
    ] = None
    share: Annotated[str, Option("--share", "Of the goal's lower bound.", metavar="PERCENT")] = "90%"
    goal: Annotated[str, Option("--goal", "Goal of that search.", metavar="NAME", shown="ndr")] = ""
    lasting: Annotated[
        str,
        Option(
            "--for",
            "How long, as 90, 10m, 8h or 3d.",
            stored="duration",
            metavar="TIME",
            shown=False,
            setting="lasting",
            check=parse_duration,
            is_needed=True,
        ),
    ] = ""
    loss: Annotated[str, Option("--show", "Loss ratio that is to be shown.", metavar="RATIO", setting="show")] = "1e-7"
    confidence: Annotated[
        str, Option("--confidence", "At which confidence.", metavar="PERCENT", setting="confidence")
    ] = "95%"
    latency: Annotated[
        str,
        Option(
            "--latency",
            "Stream that latency is measured by, beside the load.",
            stored="latency",
            unit="pps",
            metavar="RATE|none",
            setting="latency",
        ),
    ] = "1kpps"
    patience: Annotated[
        float,
        Option(
            "--patience",
            "Time to wait for a generator that went away.",
            metavar="TIME",
            parse=parse_duration,
        ),
    ] = 60.0
    resume: Annotated[
        Path | None, Option("--resume", "Go on with a soak that ended or died, as its file says.", metavar="FILE")
    ] = None

    @property
    def most_s(self) -> float:
        return parse_duration(self.lasting)


OPTIONS = SoakOptions
