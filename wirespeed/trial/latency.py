"""Latency of a packet group over an interval, from what a server has counted since the group began. Pure.

Our generator tells histograms in nanoseconds (HdrHistogram V2, `hdrh_ns`), a T-Rex in microseconds (`hdrh`) or, where
it has none, counts by their lower bounds: 10, 20 … 100, 200 … microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hdrh.histogram import HdrHistogram

from wirespeed.results.sample import Latency

PERCENTILES = (50.0, 90.0, 99.0, 99.9, 99.99)

_LOWEST_NS, _HIGHEST_NS, _DIGITS = 1, 10_000_000_000, 2


@dataclass(frozen=True)
class LatencyReading:
    """Counts of a packet group up to an instant. `counts` are packets by latency in nanoseconds; each key is the lower
    end of its bucket."""

    counts: Mapping[int, int] = field(default_factory=dict)
    min_us: float = 0.0
    max_us: float = 0.0
    jitter_us: float = 0.0
    lost: int = 0
    out_of_order: int = 0
    duplicates: int = 0


def latency_reading(raw: Mapping[str, Any]) -> LatencyReading:
    """From a group's entry under `latency` in the answer to get_pgid_stats."""
    times, errors = raw.get("lat") or {}, raw.get("er") or {}
    return LatencyReading(
        counts=_counts(times),
        min_us=float(times.get("total_min", 0.0)),
        max_us=float(times.get("total_max", 0.0)),
        jitter_us=float(times.get("jit", 0.0)),
        lost=int(errors.get("drp", 0)),
        out_of_order=int(errors.get("ooo", 0)),
        duplicates=int(errors.get("dup", 0)),
    )


def latency_between(before: LatencyReading | None, after: LatencyReading | None) -> Latency | None:
    """The packets that came in between; None when there were none. Counts that went back began again at 0."""
    if after is None:
        return None
    old = before or LatencyReading()
    if any(count > after.counts.get(value, 0) for value, count in old.counts.items()):
        old = LatencyReading()
    counts = {value: count - old.counts.get(value, 0) for value, count in after.counts.items()}
    counts = {value: count for value, count in sorted(counts.items()) if count > 0}
    if not counts:
        return None
    histogram = HdrHistogram(_LOWEST_NS, _HIGHEST_NS, _DIGITS)
    for value, count in counts.items():
        histogram.record_value(min(value, _HIGHEST_NS), count)
    # Least and most since the beginning are exact when they are of this interval; else its buckets tell.
    least, most = histogram.get_lowest_equivalent_value(min(counts)) / 1000, _top(histogram, max(counts))
    min_us = after.min_us if not old.counts or after.min_us < old.min_us else max(after.min_us, least)
    max_us = after.max_us if not old.counts or after.max_us > old.max_us else min(after.max_us, most)
    percentiles = histogram.get_percentile_to_value_dict(list(PERCENTILES))
    return Latency(
        packets=sum(counts.values()),
        min_us=min_us,
        average_us=min(max(histogram.get_mean_value() / 1000, min_us), max_us),
        max_us=max_us,
        jitter_us=after.jitter_us,
        percentiles={f"{share:g}": min(value / 1000, max_us) for share, value in sorted(percentiles.items())},
        hdr=_text(histogram),
        lost=max(0, after.lost - old.lost),
        out_of_order=max(0, after.out_of_order - old.out_of_order),
        duplicates=max(0, after.duplicates - old.duplicates),
    )


def _top(histogram: HdrHistogram, value: int) -> float:
    return float(histogram.get_highest_equivalent_value(value)) / 1000


def _text(histogram: HdrHistogram) -> str:
    text = histogram.encode()
    return text.decode() if isinstance(text, bytes) else str(text)


def _counts(times: Mapping[str, Any]) -> dict[int, int]:
    for key, unit_ns in (("hdrh_ns", 1), ("hdrh", 1000)):
        if times.get(key):
            return _decoded(str(times[key]), unit_ns)
    bounds = (times.get("histogram") or {}).items()
    return {int(bound) * 1000: int(count) for bound, count in bounds if int(count) > 0}


def _decoded(text: str, unit_ns: int) -> dict[int, int]:
    histogram = HdrHistogram.decode(text)
    counts: dict[int, int] = {}
    for index in range(histogram.counts_len):
        count = histogram.get_count_at_index(index)
        if count:
            value = histogram.get_value_from_index(index) * unit_ns
            counts[value] = counts.get(value, 0) + count
    return counts
