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


def most_lost(moment: Moment, pps: float, ring_slots: int = 0) -> float | None:
    """The most packets that a direction of `pps` can have lost by workers that were away for moments of a trial; None
    where nobody measured that.

    While either is away nothing is forwarded, and that much of what the DUT could have done is gone. What comes in an
    absence beyond what the rings hold is lost at once, and once more as the tester makes up for it. `ring_slots` wait
    at least once, as the rings are empty when a trial begins; 0 where they are not known.
    """
    away_s = _away_s(moment)
    if away_s is None:
        return None
    longest_s = max(moment.tester_longest_absent_s or 0.0, moment.dut_longest_absent_s or 0.0) or away_s
    held_s = ring_slots / pps if pps > 0 else 0.0
    beyond = max(0.0, 1 - held_s / longest_s) if longest_s > 0 else 0.0
    return max(0.0, pps * away_s * (1 + beyond) - ring_slots)


def why_trial_spoilt(sample: Sample, channel: Channel, shortfall: float, most: float | None) -> str | None:
    """Why what a trial lacks is the machine's doing: absences can have cost it, `most` packets; None where they cannot,
    or nothing lacks."""
    if shortfall <= 0:
        return None
    down = [port for port in (channel.tx, channel.rx) if port in sample.links_down]
    if down:
        return f"port {down[0]} had no link"
    if most is None or shortfall > most or sample.machine is None:
        return None
    return absence_text(sample.machine, most)


def absence_text(moment: Moment | None, most: float) -> str:
    """Who was away for how long, and that it can have cost `most` packets."""
    away_s = (_away_s(moment) if moment is not None else None) or 0.0
    return f"{_who(moment)} away for {away_s * 1e3:,.1f} ms, which explains up to {most:,.0f} lost packets"


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
        return "the CPUs were"
    return "the tester's worker was" if (tester or 0) >= (dut or 0) else "the DUT's worker was"
