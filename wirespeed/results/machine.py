"""Disturbed samples: preemption of workers of tester or DUT that explains their loss."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wirespeed.results.channel import Channel
from wirespeed.results.figures import percent_text
from wirespeed.results.sample import Preemption, Sample

MARGIN = 2.0
"""Preemption for a share of the time explains a loss of up to this multiple of it: packets lost in the meantime, and
the catch-up burst afterwards."""

_NO_LINK = "had no link"

NOTHING_BACK, ALWAYS_PREEMPTED = 0.999, 0.9
"""A loss of a whole sample, and the share of it for which workers must have been preempted to explain that."""

_DOWN = re.compile(r"\b(?:interface|subinterface|link|port|carrier)\b.*\bdown\b|\bblackholed\b", re.IGNORECASE)

WORKERS = 2
"""A direction is forwarded by one worker of the tester and one of the DUT. If their preemption is not measured, each is
charged the mean steal."""


def preempted_share(before: Sample | None, sample: Sample) -> float | None:
    """Share of the interval, 0 to 1, for which the workers of a direction were preempted; None if it was not measured.

    A preemption may begin in one sample and cost packets in the next, so the longest one of `before` counts as well."""
    if sample.preemption is None or sample.interval_s <= 0:
        return None
    preempted_s = _preempted_s(sample.preemption)
    if preempted_s is None:
        return None
    carried_s = _longest_s(before.preemption) if before is not None and before.preemption is not None else 0.0
    return min(1.0, (preempted_s + carried_s) / sample.interval_s)


def why_disturbed(before: Sample | None, sample: Sample, channel: Channel, loss_ratio: float) -> str | None:
    """The reason if the host caused the loss of this sample; None if not, or if nothing was lost.

    Links decide first: the tester's own, and the DUT's by its counters. Preemption excuses a loss that is not larger
    than it can explain."""
    if loss_ratio <= 0:
        return None
    if down := _down(sample, channel):
        return down
    share = preempted_share(before, sample)
    if not share or not explained(loss_ratio, share) or not can_excuse(sample, share, loss_ratio):
        return None
    return f"{_who(sample.preemption)} preempted for {percent_text(share * 100)} % of {sample.interval_s:.3g} s"


def _down(sample: Sample, channel: Channel) -> str:
    """The first port of the channel that lost its link."""
    return next((f"port {port} {_NO_LINK}" for port in (channel.tx, channel.rx) if port in sample.links_down), "")


def is_preemption(why: str | None) -> bool:
    """True if the reason of a disturbance is preemption, not a lost link."""
    return why is not None and not why.endswith(_NO_LINK)


def can_excuse(sample: Sample, share: float, loss_ratio: float) -> bool:
    """False if preemption for `share` of the time cannot be the cause of a loss: the DUT counted packets for a link or
    interface that was down, or nothing came back although the workers ran for a good part of the time."""
    return not _dut_was_down(sample) and (loss_ratio < NOTHING_BACK or share >= ALWAYS_PREEMPTED)


def _dut_was_down(sample: Sample) -> bool:
    """True if the DUT counted packets for an interface or link of its own that was down."""
    drops = sample.dut.get("drops") if isinstance(sample.dut, Mapping) else None
    if not isinstance(drops, Mapping):
        return False
    return any(_DOWN.search(str(reason)) and isinstance(count, int) and count > 0 for reason, count in drops.items())


def most_lost(moment: Preemption, pps: float, ring_slots: int = 0) -> float | None:
    """The most packets that a direction of `pps` can have lost by preemption of workers during a trial; None if it was
    not measured.

    A preempted worker forwards nothing. Packets beyond the capacity of the rings are lost immediately, and as many
    again in the catch-up burst. The rings are empty when a trial begins, so they absorb at least `ring_slots` packets;
    0 if their size is not known."""
    preempted_s = _preempted_s(moment)
    if preempted_s is None:
        return None
    longest_s = max(moment.tester_longest_preemption_s or 0.0, moment.dut_longest_preemption_s or 0.0) or preempted_s
    held_s = ring_slots / pps if pps > 0 else 0.0
    beyond = max(0.0, 1 - held_s / longest_s) if longest_s > 0 else 0.0
    return max(0.0, pps * preempted_s * (1 + beyond) - ring_slots)


def why_trial_disturbed(sample: Sample, channel: Channel, shortfall: float, most: float | None) -> str | None:
    """The reason if the host caused all that a trial is missing: preemption can explain up to `most` packets. None if
    not, or if nothing is missing."""
    if shortfall <= 0:
        return None
    if down := _down(sample, channel):
        return down
    if most is None or shortfall > most or sample.preemption is None:
        return None
    return preemption_text(sample.preemption, most)


def preemption_text(moment: Preemption | None, most: float) -> str:
    """A phrase with the preempted worker, the time, and the up to `most` lost packets that this explains."""
    preempted_s = (_preempted_s(moment) if moment is not None else None) or 0.0
    return f"{_who(moment)} preempted for {preempted_s * 1e3:,.1f} ms, which explains up to {most:,.0f} lost packets"


def explained(loss_ratio: float, share: float) -> bool:
    """True if preemption for `share` of the time can explain the loss."""
    return loss_ratio <= MARGIN * share


def _preempted_s(moment: Preemption) -> float | None:
    preemptions = [seconds for seconds in (moment.tester_preempted_s, moment.dut_preempted_s) if seconds is not None]
    if preemptions:
        return sum(preemptions)
    if moment.steal_s is None:
        return None
    return moment.steal_s * min(1.0, WORKERS / (moment.cpus or WORKERS))


def _longest_s(moment: Preemption) -> float:
    return (moment.tester_longest_preemption_s or 0.0) + (moment.dut_longest_preemption_s or 0.0)


def _who(moment: Preemption | None) -> str:
    tester, dut = (moment.tester_preempted_s, moment.dut_preempted_s) if moment else (None, None)
    if tester is None and dut is None:
        return "the CPUs were"
    return "the tester's worker was" if (tester or 0) >= (dut or 0) else "the DUT's worker was"
