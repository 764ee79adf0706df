"""Options of a load test, with the defaults of trex-loadtest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.option import Option, time_option
from wirespeed.measurement.options import MeasurementOptions, Profile
from wirespeed.units import parse_ratio


@dataclass(frozen=True, kw_only=True)
class LoadtestOptions(MeasurementOptions[Result]):
    """A load test (docs/loadtest.md): warm-up, linear ramp, hold, or `steps`.

    Names that end in _s are seconds. A rate is text such as "5mpps", "1kpps", "2gbps" or "50%" of the line, for each
    direction. `fail_threshold` is a share of packets."""

    profile: Profile = "imix"
    warmup_rate: Annotated[
        str,
        Option(
            "-wm --warmup-mult --warmup_mult",
            "Warm-up load per direction.",
            stored="warmup_mult",
            metavar="RATE",
            setting="warmup_rate",
        ),
    ] = "1kpps"
    warmup_s: Annotated[
        float,
        time_option(
            "-wd --warmup-duration --warmup_duration",
            "Duration of the warm-up.",
            stored="warmup_duration",
            setting="warmup_s",
            limits={"ge": 0},
        ),
    ] = 30.0
    ramp_target: Annotated[
        str,
        Option(
            "-rt --rampup-target --rampup_target",
            "Final load: 50 (% of line rate) or 5mpps.",
            stored="rampup_target",
            metavar="LOAD",
            setting="ramp_target",
        ),
    ] = "100"
    ramp_s: Annotated[
        float,
        time_option(
            "-rd --rampup-duration --rampup_duration",
            "Duration of the ramp.",
            stored="rampup_duration",
            setting="ramp_s",
            limits={"ge": 0},
        ),
    ] = 600.0
    hold_s: Annotated[
        float,
        time_option(
            "-hd --hold-duration --hold_duration",
            "Duration at the final load.",
            stored="hold_duration",
            setting="hold_s",
            limits={"ge": 0},
        ),
    ] = 30.0
    steps: Annotated[
        str,
        Option(
            "--steps", "Loads held for -hd each, in place of the ramp.", key="steps", metavar="RATE,...", shown=False
        ),
    ] = ""
    latency: Annotated[
        str,
        Option(
            "--latency",
            "Latency stream per direction; no RATE: 1kpps.",
            key="latency",
            unit="pps",
            metavar="[RATE]",
            shown=False,
            bare="1kpps",
        ),
    ] = ""
    interval: Annotated[
        float, time_option("--interval", "Sample interval.", setting="interval_s", limits={"gt": 0})
    ] = 1.0
    fail_threshold: Annotated[
        float,
        Option(
            "-f --fail-threshold",
            "Loss ratio above which a sample fails.",
            metavar="RATIO",
            parse=parse_ratio,
            setting="fail_threshold",
            limits={"ge": 0, "le": 1},
        ),
    ] = 0.001
    ignore_link_down: Annotated[
        bool, Option("--ignore-link-down", "Go on without link; mark those samples.", key="ignore_link_down", place=6)
    ] = False
    include_disturbed: Annotated[
        bool,
        Option(
            "--include-disturbed",
            "Judge disturbed samples.",
            key="include_disturbed",
            place=6,
            shown="if local, not in a VM",
        ),
    ] = False

    @property
    def most_s(self) -> float:
        steps = len(self.steps.split(",")) if self.steps else 0
        return self.warmup_s + (steps or 1) * self.hold_s + (0.0 if steps else self.ramp_s)


OPTIONS = LoadtestOptions
