"""`get_pgid_stats`: flow counters and latency in T-Rex's form. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirespeed._native.flow_records import (
    FLOW_FIELDS,
    HDR_DIGITS,
    HDR_HIGHEST_NS,
    HDR_LOWEST_NS,
    HISTOGRAM_BOUNDS_US,
    FlowFaults,
    LatencyCounters,
)
from wirespeed.generator import hdr
from wirespeed.generator.packet_groups import PacketGroup

Json = dict[str, Any]

HDR_HIGHEST_US = HDR_HIGHEST_NS // 1000
_PORTS = [str(port) for port in range(32)]
_HALF_BITS = 7
"""HdrHistogram's stored counts a bucket, for two digits: 2 to the power of this."""

_HDR_COUNTS_US = hdr.index_of(HDR_HIGHEST_US, _HALF_BITS) // (1 << _HALF_BITS) * (1 << _HALF_BITS) + (1 << _HALF_BITS)


def pgid_stats(
    groups: Sequence[PacketGroup],
    counters: Mapping[int, tuple[int, ...]],
    latencies: Mapping[int, LatencyCounters],
    faults: FlowFaults,
) -> Json:
    """`counters` by pg_id, as `FlowsSnapshot` has them.

    Empty members are null, as in T-Rex; a latency group is listed once packets arrived. `order` is an extension,
    present with groups: group, receiving port, and signed packets that were duplicates, reordered, or too late to
    distinguish.
    """
    general = {"bad_header": faults.bad_header, "old_flow": faults.old_flow} if any(vars(faults).values()) else None
    measured = {str(pg_id): _latency(seen) for pg_id, seen in latencies.items() if seen.packets}
    order = {str(one.pg_id): found for one in groups if (found := _order(counters[one.pg_id]))}
    return {
        "flow_stats": {str(one.pg_id): _flow(counters[one.pg_id], one.rates) for one in groups} or None,
        "latency": measured | {"g": general},
        "ver_id": {str(group.pg_id): group.version for group in groups} or None,
    } | ({"order": order} if groups else {})


def _order(counts: Sequence[int]) -> Json:
    """Ports with counts that are not 0."""
    ports = _PORTS[: len(counts) // FLOW_FIELDS]
    placed = zip(counts[4::FLOW_FIELDS], counts[5::FLOW_FIELDS], counts[6::FLOW_FIELDS], strict=True)
    return {
        port: {"dup": again, "ooo": late, "old": unknown}
        for port, (again, late, unknown) in zip(ports, placed, strict=True)
        if again or late or unknown
    }


def _flow(counts: Sequence[int], rates: Sequence[float]) -> Json:
    """Counts of each port, and its rates of packets and bits."""
    ports = _PORTS[: len(counts) // FLOW_FIELDS]
    document: Json = {
        name: dict(zip(ports, counts[at::FLOW_FIELDS], strict=True)) for at, name in enumerate(("rp", "rb", "tp", "tb"))
    }
    if not any(rates):
        zero = dict.fromkeys(ports, 0.0)
        return document | {"rps": zero, "rbs": zero, "tps": zero, "tbs": zero}
    for at, (name, unit) in enumerate((("rps", 1), ("rbs", 8), ("tps", 1), ("tbs", 8))):
        document[name] = {port: round(unit * rate, 2) for port, rate in zip(ports, rates[at::FLOW_FIELDS], strict=True)}
    return document


def _latency(seen: LatencyCounters) -> Json:
    """Microseconds, to the nanosecond; error counters that are not 0. `hdrh_ns` is an extension: `hdrh` in
    nanoseconds."""
    errors = {
        "drp": seen.dropped,
        "ooo": seen.out_of_order,
        "dup": seen.duplicate,
        "sth": seen.seq_too_high,
        "stl": seen.seq_too_low,
    }
    errors = {name: count for name, count in errors.items() if count}
    times = {
        "average": round(seen.sum_ns / seen.packets / 1000, 3),
        "total_min": seen.min_ns / 1000,
        "total_max": seen.max_ns / 1000,
        "last_max": seen.last_max_ns / 1000,
        "jit": seen.jitter_ns / 1000,
        "histogram": {
            str(bound): count for bound, count in zip(HISTOGRAM_BOUNDS_US, seen.histogram, strict=True) if count
        },
        "hdrh": hdr.encode(
            hdr.rescaled(seen.hdr, 1000, _HALF_BITS, _HDR_COUNTS_US), 1, HDR_HIGHEST_US, HDR_DIGITS
        ).decode(),
        "hdrh_ns": hdr.encode(seen.hdr, HDR_LOWEST_NS, HDR_HIGHEST_NS, HDR_DIGITS).decode(),
    }
    return {"lat": times} | ({"er": errors} if errors else {})
