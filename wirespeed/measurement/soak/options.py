"""Options of a soak."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from wirespeed.measurement.option import Option, time_option
from wirespeed.measurement.options import MeasurementOptions, Profile
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.units import parse_duration


@dataclass(frozen=True, kw_only=True)
class SoakOptions(MeasurementOptions[SoakResult]):
    """A load held for minutes to days (docs/soak.md).

    `load` is a rate of each direction as text, such as "30%" or "2mpps". `duration` is a time such as "90" (seconds),
    "10m", "8h" or "3d". `target_loss` is the loss ratio to demonstrate at `confidence`. `reconnect_timeout` is in
    seconds."""

    profile: Profile = "bench"
    load: Annotated[
        str,
        Option(
            "--load",
            "Load per direction, such as 30% or 2mpps.",
            key="load",
            metavar="RATE",
            shown=False,
            is_needed=True,
        ),
    ] = ""
    from_search: Annotated[
        Path | None,
        Option("--from-search", "Hold a --share of the load that this search found.", metavar="FILE"),
    ] = None
    share: Annotated[str, Option("--share", "Share of the lower bound of --goal.", metavar="PERCENT")] = "90%"
    goal: Annotated[str, Option("--goal", "Goal in --from-search.", metavar="NAME", shown="ndr")] = ""
    duration: Annotated[
        str,
        Option(
            "--duration",
            "Duration, such as 90, 10m, 8h or 3d.",
            key="duration",
            metavar="TIME",
            shown=False,
            check=parse_duration,
            is_needed=True,
        ),
    ] = ""
    target_loss: Annotated[
        str, Option("--target-loss", "Loss ratio to demonstrate.", metavar="RATIO", setting="target_loss")
    ] = "1e-7"
    confidence: Annotated[
        str,
        Option("--confidence", "Confidence level of the loss ratio.", metavar="PERCENT", setting="confidence"),
    ] = "95%"
    latency: Annotated[
        str,
        Option("--latency", "Rate of the additional latency stream.", key="latency", unit="pps", metavar="RATE|none"),
    ] = "1kpps"
    reconnect_timeout: Annotated[float, time_option("--reconnect-timeout", "Time to wait for a lost generator.")] = 60.0
    resume: Annotated[
        Path | None,
        Option("--resume", "Continue the soak in this file.", metavar="FILE", group="Result"),
    ] = None

    @property
    def most_s(self) -> float:
        return parse_duration(self.duration)


OPTIONS = SoakOptions
