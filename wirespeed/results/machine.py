"""Which samples the machine spoilt: workers of tester or DUT were not on their CPUs, and that explains the loss."""

from __future__ import annotations

from wirespeed.results.channel import Channel
from wirespeed.results.sample import Moment, Sample

MARGIN = 2.0
"""A worker that was away for 1 % of the time costs up to 1 % while it is away, and as much again while the other side
makes up for it; more is not the machine's doing."""

WORKERS = 2
"""One of the tester and one of the DUT forward a direction; without their absences, each is charged the mean steal."""


def away_share(before: Sample | None, sample: Sample) -> float | None:
    """The part of the interval, 0 to 1, that the workers which carry a direction were away from their CPUs.

    An absence may begin in one sample and cost packets in the next, so the longest one of `before` counts as well. None
    where nobody measured anything.
    """
    if sample.machine is None or sample.interval_s <= 0:
        return None
    away_s = _away_s(sample.machine)
    if away_s is None:
        return None
    carried_s = _longest_s(before.machine) if before is not None and before.machine is not None else 0.0
    return min(1.0, (away_s + carried_s) / sample.interval_s)


def why_spoilt(before: Sample | None, sample: Sample, channel: Channel, loss_ratio: float) -> str | None:
    """Why the loss of this sample is the machine's doing; None where it is not, or nothing was lost."""
    if loss_ratio <= 0:
        return None
    down = [port for port in (channel.tx, channel.rx) if port in sample.links_down]
    if down:
        return f"port {down[0]} had no link"
    share = away_share(before, sample)
    if not share or not explained(loss_ratio, share):
        return None
    return f"{_who(sample.machine)} away for {share * 100:.3g} % of {sample.interval_s:.3g} s"


def explained(loss_ratio: float, share: float) -> bool:
    """Whether workers that were away for `share` of the time can cost so much."""
    return loss_ratio <= MARGIN * share


def _away_s(moment: Moment) -> float | None:
    absences = [seconds for seconds in (moment.tester_absent_s, moment.dut_absent_s) if seconds is not None]
    if absences:
        return sum(absences)
    if moment.steal_s is None:
        return None
    return moment.steal_s * min(1.0, WORKERS / (moment.cpus or WORKERS))


def _longest_s(moment: Moment) -> float:
    return (moment.tester_longest_absent_s or 0.0) + (moment.dut_longest_absent_s or 0.0)


def _who(moment: Moment | None) -> str:
    tester, dut = (moment.tester_absent_s, moment.dut_absent_s) if moment else (None, None)
    if tester is None and dut is None:
        return "the hypervisor took the CPUs"
    return "the tester's worker was" if (tester or 0) >= (dut or 0) else "the DUT's worker was"
