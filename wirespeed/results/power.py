"""Power in a result: watts at each load, and microjoules per packet with and without idle power. Pure.

`lab.power` of a result names the meter and has the watts before the load. The telemetry of each sample, trial or span
has its watts."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.draw import Draw
from wirespeed.results.figures import rate_text
from wirespeed.results.measurement import MeasurementResult

NEAR = 0.1
"""Watts belong to a rate that differs by at most this share from the packets that came back while they were drawn."""


@dataclass(frozen=True)
class Power:
    """All of a test. `idle` says how the idle watts were come by; `sample_draws` are those of a ramp's samples, where
    `draws` has parts of the ramp."""

    meter: str
    of: str
    idle_w: float | None
    idle: str
    draws: tuple[Draw, ...]
    sample_draws: tuple[Draw, ...]

    @property
    def most(self) -> Draw | None:
        """The load at which the most packets came back while the meter told."""
        known = [draw for draw in self.draws if draw.watts is not None]
        return max(known, key=lambda draw: draw.received_pps, default=None)

    def at(self, rate_pps: float) -> Draw | None:
        """The metered load at which about `rate_pps` came back, the nearest of several; None without one."""

        def apart(draw: Draw) -> float:
            return abs(draw.received_pps - rate_pps)

        near = [draw for draw in self.sample_draws if draw.watts is not None and apart(draw) <= NEAR * rate_pps]
        return min(near, key=apart, default=None)

    @property
    def gaps(self) -> int:
        return sum(draw.gaps for draw in self.draws)


def power_of(result: MeasurementResult) -> Power | None:
    """None of a test without a meter."""
    said = result.lab.power
    if said is None:
        return None
    return Power(said.meter, said.of, result.lab.idle_watts, said.idle, result.draws, result.sample_draws)


def power_line(result: MeasurementResult) -> str:
    """`power: 12.0 W idle, 19.0 W at 15.1 Mpps: 1.26 µJ per packet, 0.46 without idle (constant:19)`; empty without a
    meter."""
    power = power_of(result)
    if power is None:
        return ""
    idle = "" if power.idle_w is None else f"{power.idle_w:.1f} W idle, "
    most = power.most
    if most is None or most.watts is None:
        return f"power: {idle}the meter gave no reading under load ({power.meter})"
    line = f"power: {idle}{most.watts:.1f} W at {rate_text(most.received_pps)}"
    if most.packet_uj is not None:
        line += f": {most.packet_uj:.3g} µJ per packet"
        marginal = most.marginal_uj(power.idle_w)
        line += "" if marginal is None else f", {marginal:.3g} without idle"
    gaps = f"; {power.gaps} samples without a reading" if power.gaps else ""
    return f"{line} ({power.meter}, {power.of}){gaps}"
