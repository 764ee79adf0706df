"""How a load test ended: per channel the packet balance after the drain, the best rate and where it saturated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed.errors import ConnectionFault, MeasurementError, WirespeedError
from wirespeed.generator.client import PortStats, Snapshot
from wirespeed.loadtest.plan import LoadPlan, Step
from wirespeed.loadtest.result import Channel, Result, Sample
from wirespeed.loadtest.saturation import channel_points, limited_by_tester, saturation_index
from wirespeed.loadtest.streams import Mix
from wirespeed.units import l1_bits

COMPLETE, INTERRUPTED, FAILED = "complete", "interrupted", "failed"

_UNSENT_SHARE = 0.05
_UNSENT_SAMPLES = 5
"""A server that does not count what it could not send is taken for the limit when its last samples fall this short."""


def raise_for_outcome(result: Result) -> None:
    """Raise what ended a failed test: MeasurementError, ConnectionFault or another of the tree."""
    if result.outcome.get("status") == FAILED:
        kind = {5: MeasurementError, 4: ConnectionFault}.get(result.outcome.get("exit_code", 1), WirespeedError)
        raise kind(result.outcome["reason"])


def channel_outcome(
    plan: LoadPlan,
    channel: Channel,
    samples: Sequence[Sample],
    *,
    mix: Mix,
    speed_bps: float | None,
    totals: dict[str, int | float],
    complete: bool,
) -> dict[str, Any]:
    """What `outcome["channels"]["0→1"]` says. Percentages are of the sender's line (L1), None without a line speed;
    rates are None when ramp and hold gave no sample.

    `saturation` is the first load from which loss above `plan.threshold` persists, or None.
    """

    def percent(pps: float) -> float | None:
        return pps * l1_bits(mix.mean_frame_bytes) / speed_bps * 100 if speed_bps else None

    points = channel_points(samples, channel)
    best = max((point.received_pps for point in points), default=None)
    first = saturation_index(
        [point.offered_pps for point in points], [point.loss_ratio for point in points], plan.threshold, complete
    )
    saturation = None
    if first is not None:
        point = points[first]
        saturation = {
            "t": point.t_s,
            "offered_pps": point.offered_pps,
            "offered_percent": percent(point.offered_pps),
            "received_pps": point.received_pps,
        }
    return {
        "mean_frame_bytes": mix.mean_frame_bytes,
        "max_received_pps": best,
        "max_received_percent": None if best is None else percent(best),
        "saturation": saturation,
        "tester_limited": limited_by_tester(points, plan.threshold),
        **totals,
    }


def channel_totals(origin: Snapshot, end: Snapshot, channel: Channel) -> dict[str, int | float]:
    """The packet balance of a whole test; lost is what was sent and did not come back."""

    def total(port: int, counter: str) -> int | None:
        before, after = (_counter(snapshot.ports[port], counter) for snapshot in (origin, end))
        return None if before is None or after is None else after - before

    sent, received = total(channel.tx, "opackets") or 0, total(channel.rx, "ipackets") or 0
    asked = total(channel.tx, "asked")
    balance: dict[str, int | float | None] = {
        "asked_packets": asked,
        "sent_packets": sent,
        "refused_packets": total(channel.tx, "refused"),
        "late_packets": total(channel.tx, "late"),
        "received_packets": received,
        "lost_packets": max(0, sent - received),
        "rx_missed_packets": total(channel.rx, "rx_missed"),
        "loss_ratio": max(0, sent - received) / sent if sent else 0.0,
    }
    return {key: value for key, value in balance.items() if value is not None}


def sent_too_little(points: Sequence[tuple[Sample, Step]], channel: Channel, mix: Mix, speed_bps: float | None) -> bool:
    """Whether a server that keeps no record of unsent packets fell short of the last loads it was asked for.

    `points` are the measured samples with their steps.
    """
    last = points[-_UNSENT_SAMPLES:]
    if not last or not mix.fixed_size or (speed_bps is None and last[-1][1].rate.unit == "percentage"):
        return False
    if any(sample.ports[channel.tx].asked_pps is not None for sample, _ in last):
        return False
    sent = sum(sample.ports[channel.tx].tx_pps * sample.interval_s for sample, _ in last)
    asked = sum(step.rate.pps(mix.mean_frame_bytes, speed_bps or 0) * sample.interval_s for sample, step in last)
    return sent < (1 - _UNSENT_SHARE) * asked


def silent(origin: Snapshot, now: Snapshot, plan: LoadPlan, after_s: float) -> str | None:
    """Why the test means nothing, if a channel has returned no packet at all by now."""
    for channel in plan.channels:
        totals = channel_totals(origin, now, channel)
        if totals["received_packets"] > 0:
            continue
        if totals["sent_packets"] == 0:
            refused = totals.get("refused_packets", 0)
            return (
                f"port {channel.tx} of the generator sent nothing in {after_s:.3g} s"
                + (f" ({refused} packets were refused by its medium)" if refused else "")
                + ": check that its link is up and the other end is connected"
            )
        return (
            f"the DUT returned nothing: {totals['sent_packets']} packets left port {channel.tx} in {after_s:.3g} s and "
            f"none arrived on port {channel.rx}; check the DUT's links, its routes to the profile's addresses and its "
            "neighbour (ARP) entries for the generator"
        )
    return None


def _counter(stats: PortStats, name: str) -> int | None:
    value: int | None = getattr(stats, name)
    return value
