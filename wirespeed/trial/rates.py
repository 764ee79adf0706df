"""Conversion of rates by a port's line speed, and the check against line rate. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.errors import UsageError
from wirespeed.results.outcome import PortFacts
from wirespeed.units import Rate, line_rate_pps

LINE_TOLERANCE = 1.0001
"""Highest accepted rate, as a multiple of line rate; the same as T-Rex's."""


def of_line(rate: Rate, line_bps: float | None) -> Rate:
    """Percent as bits of another line than the port's own, where one is given; other rates as they are."""
    if line_bps is None or rate.unit != "percentage":
        return rate
    return Rate(rate.value / 100 * line_bps, "bpsl1")


def narrowest_pps(what: str, rate: Rate, ports: Mapping[int, PortFacts], frame_bytes: Mapping[int, float]) -> float:
    """`rate` in packets per second of each direction, by the slowest of the senders in `frame_bytes`. UsageError if the
    rate needs the line speed of a port that has none."""
    rates = []
    for port, length in frame_bytes.items():
        speed = ports[port].speed_bps
        if speed is None and rate.unit != "pps":
            raise UsageError(
                f"{what} of {rate}: port {port} has no line speed to convert it; give the generator's port an option "
                "such as speed=10G, or give --line 10G, or packets per second such as 5mpps"
            )
        rates.append(rate.pps(length, speed or 0))
    return min(rates)


def check_rate(what: str, rate: Rate, port: int, frame_size_bytes: float, speed_bps: float | None) -> None:
    """UsageError when port `port` cannot carry `rate` in frames of `frame_size_bytes` on average."""
    if speed_bps is None:
        if rate.unit == "percentage":
            raise UsageError(
                f"{what} of {rate}: port {port} has no line speed, so a percentage means nothing; give the "
                "generator's port an option such as speed=10G, or give --line 10G, or a rate such as 5mpps"
            )
        return
    line_pps = line_rate_pps(frame_size_bytes, speed_bps)
    if rate.pps(frame_size_bytes, speed_bps) > line_pps * LINE_TOLERANCE:
        raise UsageError(
            f"{what} of {rate} exceeds the line rate of port {port}: {speed_bps / 1e9:g} Gb/s carry at most "
            f"{line_pps:,.0f} pps of {frame_size_bytes:g} bytes"
        )
