"""Options of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.measurement.option import Option, time_option
from wirespeed.measurement.options import MeasurementOptions, Profile, RepeatDisturbed
from wirespeed.measurement.search.result import SearchResult


@dataclass(frozen=True, kw_only=True)
class SearchOptions(MeasurementOptions[SearchResult]):
    """A search for NDR, PDR and MRR (docs/search.md).

    `least` and `most` bound the loads: rates of each direction as text, such as "9001pps" or "100%". `time_s` is the
    most seconds that the search takes. `goal` are goals as `--goal` takes them, such as ("ndr", "pdr=0.1%")."""

    profile: Profile = "bench"
    goal: Annotated[
        tuple[str, ...],
        Option(
            "--goal",
            "Goal: ndr, pdr, pdr=1%, or NAME:loss=,exceed=, initial=,final=,sum=,width=; repeatable.",
            metavar="GOAL",
            shown="preset's",
            setting="goal",
        ),
    ] = ()
    preset: Annotated[
        str,
        Option(
            "--preset",
            "Goals and their parameters.",
            key="preset",
            metavar="csit|rfc2544|tst009|quick",
            choices=("csit", "rfc2544", "tst009", "quick"),
        ),
    ] = "csit"
    least: Annotated[
        str, Option("--min", "Lowest load per direction.", stored="min", metavar="RATE", setting="least")
    ] = "9001pps"
    most: Annotated[
        str, Option("--max", "Highest load per direction.", stored="max", metavar="RATE", setting="most")
    ] = "100%"
    time_s: Annotated[
        float, time_option("--time", "Time limit of the search.", stored="time", setting="time_s", limits={"gt": 0})
    ] = 1200.0
    mrr: Annotated[
        str,
        Option(
            "--mrr",
            "MRR in N trials of S seconds (no value: 10x1); no search without --goal.",
            metavar="[NxS]",
            shown=False,
            bare="10x1",
            setting="mrr",
        ),
    ] = ""
    latency: Annotated[
        str,
        Option(
            "--latency",
            "Latency at 0,10,50,90 % of PDR; no value: 9kpps,5.",
            metavar="[RATE[,S]]",
            shown=False,
            bare="9kpps",
            setting="latency",
        ),
    ] = ""
    repeat_disturbed: RepeatDisturbed = None

    @property
    def most_s(self) -> float:
        return self.time_s


OPTIONS = SearchOptions
