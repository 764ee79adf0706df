"""Deviations from T-Rex's start of loads, chosen by options: rates of short bursts, and staggered starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wirespeed._native.stream_records import Stream, StreamMode


@dataclass(frozen=True)
class StartRules:
    """`own_burst_rates`: short bursts count with their own rate where a load is asked for, see `load.timeline`.

    `spread_starts`: continuous streams without a gap before them start one after the other, evenly, instead of all at
    one instant.
    """

    own_burst_rates: bool = False
    spread_starts: bool = False

    def timed(self, streams: Sequence[Stream], factor: float) -> Sequence[Stream]:
        """The streams as they start at this factor."""
        return list(spread(streams, factor)) if self.spread_starts else streams


def spread(streams: Sequence[Stream], factor: float) -> Iterable[Stream]:
    """Each starts within its own first interval, so that none loses a packet to it."""
    rates = [one.rate_pps * (1.0 if one.fixed_rate else factor) if _goes_on(one) else 0.0 for one in streams]
    step_s, at_s = 1 / max(sum(rates), 1e-9), 0.0
    for stream, rate in zip(streams, rates, strict=True):
        if not rate or stream.start_delay_us:
            yield stream
            continue
        yield replace(stream, start_delay_us=at_s % (1 / rate) * 1e6)
        at_s += step_s


def _goes_on(stream: Stream) -> bool:
    return stream.mode is StreamMode.CONTINUOUS and stream.enabled and stream.self_start
