"""What a load test does when: the plan as a value, and the steps that follow from it. Pure; nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.loadtest.result import Channel
from wirespeed.loadtest.saturation import DEFAULT_THRESHOLD
from wirespeed.units import Rate, line_rate_pps, parse_rate

MIN_INTERVAL_S = 0.01
LINE_TOLERANCE = 1.0001
"""How much above the line a rate may be before it is refused; T-Rex tolerates as much."""


@dataclass(frozen=True)
class LoadPlan:
    """One load test, with the defaults of trex-loadtest.

    With `force` the ports are taken from whoever holds them, and traffic starts even where a link is down.
    `lab`, `dut` and `versions` describe the set-up; they go into the result as they are. `output_file` is only
    recorded.
    """

    profile: str
    tunables: dict[str, str] = field(default_factory=dict)
    warmup_rate: Rate = Rate(1000.0, "pps")  # noqa: RUF009 - frozen
    warmup_s: float = 30.0
    ramp_target: Rate = Rate(100.0, "percentage")  # noqa: RUF009 - frozen
    ramp_s: float = 600.0
    hold_s: float = 30.0
    unidirectional: bool = False
    interval_s: float = 1.0
    threshold: float = DEFAULT_THRESHOLD
    force: bool = False
    name: str = ""
    output_file: str = "-"
    lab: dict[str, Any] = field(default_factory=dict)
    dut: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def channels(self) -> tuple[Channel, ...]:
        return (Channel(0, 1),) if self.unidirectional else (Channel(0, 1), Channel(1, 0))

    @property
    def senders(self) -> tuple[int, ...]:
        return tuple(channel.tx for channel in self.channels)

    @property
    def total_s(self) -> float:
        return self.warmup_s + self.ramp_s + self.hold_s

    def variables(self, server: str) -> dict[str, Any]:
        """The `vars` of the result file, by the names that trex-loadtest gives them."""
        target = self.ramp_target
        return {
            "server": server,
            "profile_file": self.profile,
            "tunables": ",".join(f"{key}={value}" for key, value in self.tunables.items()),
            "output_file": self.output_file,
            "warmup_mult": str(self.warmup_rate),
            "warmup_duration": self.warmup_s,
            "rampup_target": target.value if target.unit == "percentage" else str(target),
            "rampup_duration": self.ramp_s,
            "hold_duration": self.hold_s,
            "unidirectional": self.unidirectional,
        }


@dataclass(frozen=True)
class Step:
    """A stretch of one constant load, closed by a sample. Times count from the start of traffic."""

    phase: str
    start_s: float
    end_s: float
    rate: Rate


def steps(plan: LoadPlan) -> tuple[Step, ...]:
    """The whole schedule. A ramp step carries the load that the line has at its end, so the last one is the target."""
    target = plan.ramp_target
    out: list[Step] = []
    start_s = 0.0
    for phase, duration_s in (("warm-up", plan.warmup_s), ("ramp", plan.ramp_s), ("hold", plan.hold_s)):
        n = max(1, round(duration_s / plan.interval_s)) if duration_s > 0 else 0
        for index in range(n):
            load = {
                "warm-up": plan.warmup_rate,
                "ramp": Rate(target.value * (index + 1) / n, target.unit),
                "hold": target,
            }[phase]
            out.append(Step(phase, start_s + duration_s * index / n, start_s + duration_s * (index + 1) / n, load))
        start_s += duration_s
    return tuple(out)


def check_plan(plan: LoadPlan) -> None:
    """UsageError when the plan cannot be run on any line."""
    for what, value in (("warm-up", plan.warmup_s), ("ramp-up", plan.ramp_s), ("hold", plan.hold_s)):
        if not (math.isfinite(value) and value >= 0):
            raise UsageError(f"{what} duration {value:g} is no time: give seconds, 0 or more")
    if plan.ramp_s + plan.hold_s <= 0:
        raise UsageError("ramp-up and hold both last 0 s, so there is nothing to measure: give -rd or -hd a duration")
    if not (math.isfinite(plan.interval_s) and plan.interval_s >= MIN_INTERVAL_S):
        raise UsageError(f"interval {plan.interval_s:g} is too short: give at least {MIN_INTERVAL_S} s a sample")
    if not (math.isfinite(plan.threshold) and 0 <= plan.threshold < 1):
        raise UsageError(f"fail threshold {plan.threshold:g} is no loss ratio: give 0 to below 1, such as 0.001")
    target = plan.ramp_target
    if target.unit == "percentage" and target.value > 100:
        raise UsageError(f"ramp target {target} is more than the line carries: give at most 100")


def check_rate(what: str, rate: Rate, port: int, frame_size_bytes: float, speed_bps: float | None) -> None:
    """UsageError when port `port` cannot carry `rate` in frames of `frame_size_bytes` on average."""
    if speed_bps is None:
        if rate.unit == "percentage":
            raise UsageError(
                f"{what} of {rate}: port {port} has no line speed, so a percentage means nothing; give the "
                "generator's port speed=10G or so, or a rate such as 5mpps"
            )
        return
    line_pps = line_rate_pps(frame_size_bytes, speed_bps)
    if rate.pps(frame_size_bytes, speed_bps) > line_pps * LINE_TOLERANCE:
        raise UsageError(
            f"{what} of {rate} exceeds the line of port {port}: {speed_bps / 1e9:g} Gb/s carry at most "
            f"{line_pps:,.0f} pps of {frame_size_bytes:g} bytes"
        )


def parse_target(text: str) -> Rate:
    """A ramp target: `100` is percent of the line, as trex-loadtest has it; any rate with a unit will do too."""
    try:
        percent = float(text)
    except ValueError:
        return parse_rate(text)
    if not (math.isfinite(percent) and percent > 0):
        raise UsageError(f"ramp target {text!r} is no load: give percent of the line above 0, or a rate such as 5mpps")
    return Rate(percent, "percentage")


def parse_tunables(text: str) -> dict[str, str]:
    """`size=64,vm=var2` as a dictionary."""
    tunables: dict[str, str] = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise UsageError(f"tunables {text!r}: {word!r} is not KEY=VALUE; write them as size=64,vm=var2")
        tunables[key] = value
    return tunables
