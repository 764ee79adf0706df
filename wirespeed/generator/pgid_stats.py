"""`get_pgid_stats`: flow counters and latency in T-Rex's form. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirespeed._native.flow_records import (
    HDR_DIGITS,
    HDR_HIGHEST_NS,
    HDR_LOWEST_NS,
    HISTOGRAM_BOUNDS_US,
    Flow,
    FlowFaults,
    Latency,
)
from wirespeed.generator import hdr
from wirespeed.generator.packet_groups import FlowRates, Group

Json = dict[str, Any]

HDR_HIGHEST_US = HDR_HIGHEST_NS // 1000
_HALF_BITS = 7
"""HdrHistogram's stored counts a bucket, for two digits: 2 to the power of this."""

_HDR_COUNTS_US = hdr.index_of(HDR_HIGHEST_US, _HALF_BITS) // (1 << _HALF_BITS) * (1 << _HALF_BITS) + (1 << _HALF_BITS)


def pgid_stats(
    groups: Sequence[Group],
    counters: Mapping[int, tuple[Flow, ...]],
    latencies: Mapping[int, Latency],
    faults: FlowFaults,
) -> Json:
    """Members are null where there is nothing, as T-Rex has it; a latency group is listed once packets came."""
    general = {"bad_header": faults.bad_header, "old_flow": faults.old_flow} if any(vars(faults).values()) else None
    measured = {str(pg_id): _latency(seen) for pg_id, seen in latencies.items() if seen.packets}
    return {
        "flow_stats": {str(one.pg_id): _flow(counters[one.pg_id], one.rates) for one in groups} or None,
        "latency": measured | {"g": general},
        "ver_id": {str(group.pg_id): group.version for group in groups} or None,
    }


def _flow(ports: Sequence[Flow], rates: Sequence[FlowRates]) -> Json:
    rates = rates or (FlowRates(),) * len(ports)
    return {
        "rp": {str(port): flow.rx_packets for port, flow in enumerate(ports)},
        "rb": {str(port): flow.rx_bytes for port, flow in enumerate(ports)},
        "tp": {str(port): flow.tx_packets for port, flow in enumerate(ports)},
        "tb": {str(port): flow.tx_bytes for port, flow in enumerate(ports)},
        "rps": {str(port): round(rate.rx_pps, 2) for port, rate in enumerate(rates)},
        "rbs": {str(port): round(rate.rx_bps, 2) for port, rate in enumerate(rates)},
        "tps": {str(port): round(rate.tx_pps, 2) for port, rate in enumerate(rates)},
        "tbs": {str(port): round(rate.tx_bps, 2) for port, rate in enumerate(rates)},
    }


def _latency(seen: Latency) -> Json:
    """Microseconds, to the nanosecond; error counters that are not 0. `hdrh_ns` is ours: `hdrh` in nanoseconds."""
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
