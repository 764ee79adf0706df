"""Load arithmetic: what a profile sends at multiplier 1, and the factor that gives an asked rate. Pure.

A profile's rates add up over time as streams start and end, so "its rate" is the highest sum along its timeline.
Latency streams keep their own rate: they are in the total, and no factor moves them.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.generator.parameters import one_of, read
from wirespeed.generator.rpc import bad_parameters, failed
from wirespeed.units import L1_OVERHEAD_BYTES, Rate, format_si

if TYPE_CHECKING:
    from wirespeed.profiles.stream_json import RateJson

LINE_RATE_TOLERANCE = 1.0001
MAX_EVENTS = 1000
"""Endless timelines are looked at so far, beyond one beginning and end of each stream."""

_UNITS: dict[str, Literal["pps", "bpsl1", "bps", "percentage"]] = {
    "pps": "pps",
    "bps_L1": "bpsl1",
    "bps_L2": "bps",
    "percentage": "percentage",
}
_NO_BANDWIDTH = "Effective bandwidth is zero: the speed of this port is not known; give the load in pps or bps"
_NOTHING_ASKED = (
    "Effective bandwidth is zero, this means that your dpdk driver does not know the link throughput (virtual), "
    "please use absolute bandwidth  0"
)
"""T-Rex's words for an update to a load of 0."""


@dataclass(frozen=True)
class PortRates:
    """Packets and layer 2 bits (FCS included) a second."""

    pps: float = 0.0
    l2_bps: float = 0.0

    @property
    def l1_bps(self) -> float:
        return self.l2_bps + self.pps * L1_OVERHEAD_BYTES * 8

    def __add__(self, other: PortRates) -> PortRates:
        return PortRates(self.pps + other.pps, self.l2_bps + other.l2_bps)

    def times(self, factor: float) -> PortRates:
        return PortRates(self.pps * factor, self.l2_bps * factor)


SHORT_BURST_PACKETS = 1000
SHORT_BURST_LOAD = PortRates(1.0, 14 * 8)
"""Load that T-Rex assigns to a burst of fewer packets: one packet per second, of a bare Ethernet header."""


@dataclass(frozen=True)
class LoadStep:
    """A stream comes in (positive) or ends (negative) at a time of the run."""

    time_us: float
    stream_id: int
    change: PortRates
    fixed: bool


@dataclass(frozen=True)
class Timeline:
    """Steps in order of time; `duration_us` is None for an endless one."""

    steps: tuple[LoadStep, ...]
    duration_us: float | None

    def peak(self, factor: float) -> PortRates:
        """The highest load along the way, by layer 1 bits."""
        # In plain numbers: a port may have twenty thousand streams, and a start asks four times.
        pps = l2_bps = 0.0
        highest, highest_l1, at_us = (0.0, 0.0), 0.0, -1.0
        for step in (*self.steps, _END):
            if step.time_us != at_us:
                l1 = l2_bps + pps * L1_OVERHEAD_BYTES * 8
                if l1 > highest_l1:
                    highest, highest_l1 = (pps, l2_bps), l1
                at_us = step.time_us
            scale = 1.0 if step.fixed else factor
            pps += step.change.pps * scale
            l2_bps += step.change.l2_bps * scale
        return PortRates(*highest)


_END = LoadStep(math.inf, -1, PortRates(), fixed=True)


@dataclass(frozen=True)
class LoadMultiplier:
    """`mul` of start, update and update_streams."""

    type: str
    op: str
    value: float


def parse_multiplier(mul: dict[str, Any], starts: bool = False) -> LoadMultiplier:
    """Check `mul`; what starts takes `abs` only."""
    kind, op, value = read(mul, "type", str), read(mul, "op", str), mul.get("value")
    one_of("type", kind, ("raw", "bps", "bpsl1", "pps", "percentage"))
    one_of("op", op, ("abs", "add", "sub"))
    if isinstance(value, str):
        raise bad_parameters("'value' is 'string', expecting 'unsigned double'")
    value = read(mul, "value", float)
    if value < 0:
        raise bad_parameters("'value' has negative value.")
    if starts and op != "abs":
        raise bad_parameters("start message can only specify absolute speed rate")
    if starts and not value:
        raise bad_parameters("multiplier can't be zero")
    if not value:
        raise failed(_NOTHING_ASKED)
    if not 0 < value < 1e18:
        raise failed(f"multiplier {value:g} is not a number above zero")
    return LoadMultiplier(str(kind), str(op), float(value))


def stream_pps(rate: RateJson, mean_frame_bytes: float, speed_bps: float) -> float:
    """Packets per second of one stream at factor 1; percent needs a line."""
    if rate.type == "percentage" and not speed_bps:
        raise failed(_NO_BANDWIDTH)
    return Rate(rate.value, _UNITS[rate.type]).pps(mean_frame_bytes, speed_bps)


def timeline(streams: Sequence[Stream], mean_frame_bytes: dict[int, float], own_burst_rates: bool = False) -> Timeline:
    """Start and end of each stream, at factor 1. Short bursts have T-Rex's weight, which is almost 0, unless they
    count with their own rates."""
    by_id = {stream.id: stream for stream in streams if stream.enabled}
    due = [
        (stream.start_delay_us, index, stream.id) for index, stream in enumerate(by_id.values()) if stream.self_start
    ]
    heapq.heapify(due)
    rounds: dict[int, int] = {}
    steps: list[LoadStep] = []
    endless, last_us = False, 0.0
    most = MAX_EVENTS + 2 * len(by_id)
    while due and len(steps) < most:
        start_us, order, stream_id = heapq.heappop(due)
        stream = by_id[stream_id]
        rate = _weight(stream, mean_frame_bytes[stream_id], own_burst_rates)
        if stream.mode is StreamMode.CONTINUOUS:
            steps.append(LoadStep(start_us, stream_id, rate, stream.fixed_rate))
            endless = True
            continue
        end_us = start_us
        for burst in range(min(stream.bursts, MAX_EVENTS)):
            begin_us = end_us + (stream.burst_gap_us if burst else 0.0)
            end_us = begin_us + stream.packets / stream.rate_pps * 1e6
            steps.append(LoadStep(begin_us, stream_id, rate, stream.fixed_rate))
            steps.append(LoadStep(end_us, stream_id, rate.times(-1), stream.fixed_rate))
        last_us = max(last_us, end_us - 1e6 / stream.rate_pps)  # the last packet goes out an interval before the end
        rounds[stream_id] = rounds.get(stream_id, 0) + 1
        following = by_id.get(stream.next_id)
        if following is not None and rounds[stream_id] != stream.loops:
            heapq.heappush(due, (end_us + following.start_delay_us, order, following.id))
    steps.sort(key=lambda step: step.time_us)
    return Timeline(tuple(steps), None if endless or due else last_us)


def _weight(stream: Stream, mean_frame_bytes: float, own_burst_rates: bool) -> PortRates:
    if stream.is_null:
        return PortRates()
    short = stream.mode is not StreamMode.CONTINUOUS and stream.packets < SHORT_BURST_PACKETS
    if short and not (own_burst_rates or stream.fixed_rate):
        return SHORT_BURST_LOAD
    return PortRates(stream.rate_pps, stream.rate_pps * mean_frame_bytes * 8)


def new_factor(mul: LoadMultiplier, current: float, loads: Timeline, speed_bps: float) -> float:
    """The factor that `mul` requests for a port at factor `current`.

    A port with latency streams only has none: the request changes nothing.
    """
    if loads.steps and all(step.fixed for step in loads.steps):
        return mul.value if (mul.type, mul.op) == ("raw", "abs") else current
    fixed, moved = loads.peak(0.0), loads.peak(1.0)
    movable = PortRates(moved.pps - fixed.pps, moved.l2_bps - fixed.l2_bps)
    if mul.op != "abs":
        sign = 1 if mul.op == "add" else -1
        if mul.type == "percentage":
            factor = current * (1 + sign * mul.value / 100)
        elif mul.type == "raw":
            factor = current + sign * mul.value
        else:
            factor = current + sign * mul.value / _movable(movable, mul.type)
    elif mul.type == "raw":
        factor = mul.value
    else:
        asked, unit = mul.value, mul.type
        if unit == "percentage":
            if not speed_bps:
                raise failed(_NO_BANDWIDTH)
            asked, unit = mul.value / 100 * speed_bps, "bpsl1"
        factor = (asked - _by_unit(fixed, unit)) / _movable(movable, unit)
    if factor > 0:
        return factor
    if mul.op != "abs":
        raise failed("Update request will lower traffic to less than zero")
    raise failed(
        f"the latency streams' own rate enforces a minimum rate of '{fixed.pps:g} pps', '{_short(fixed.l1_bps)}' L1; "
        "give a higher load, also for the warm-up"
    )


def check_line_rate(load: PortRates, speed_bps: float) -> None:
    """More than the line takes is refused, with a tolerance of 0.01 %."""
    if speed_bps and load.l1_bps > speed_bps * LINE_RATE_TOLERANCE:
        raise failed(f"Expected L1 B/W: '{_short(load.l1_bps)}' exceeds port line rate: '{_short(speed_bps)}'")


def _short(bps: float) -> str:
    """`20 Gbps`, `12.5 Gbps`."""
    number, _, unit = format_si(bps, "bps").partition(" ")
    return f"{float(number):g} {unit}"


def _by_unit(load: PortRates, unit: str) -> float:
    return {"pps": load.pps, "bps": load.l2_bps, "bpsl1": load.l1_bps}[unit]


def _movable(load: PortRates, unit: str) -> float:
    amount = _by_unit(load, unit)
    if amount <= 0:
        raise failed("no stream has a rate that a multiplier could change")
    return amount
