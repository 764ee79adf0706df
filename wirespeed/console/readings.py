"""Answers of a server as values: statistics, attributes and streams. Pure; every optional field may be missing."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.renamed import present_keys
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES, l1_bps

Json = Mapping[str, Any]

COUNTERS = ("opackets", "ipackets", "obytes", "ibytes", "oerrors", "ierrors")
EXTENSIONS = {
    "intended": "intended_packets",
    "refused": "refused_packets",
    "late": "late_packets",
    "missed": "rx_missed",
}
"""Counters that T-Rex does not have, by their key in the reply."""

STATES = {"STREAMS": "IDLE", "TX": "TRANSMITTING", "PCAP_TX": "TRANSMITTING PCAP"}
"""States whose name in the console is not that of the protocol."""


@dataclass(frozen=True)
class PortReading:
    """Statistics of one port, or the sum of several. Bits per second are layer 2, counters are since the last clear."""

    port: int | None
    owner: str
    link_up: bool
    state: str
    speed_bps: float
    cpu_percent: float
    tx_pps: float
    tx_bps: float
    rx_pps: float
    rx_bps: float
    counters: Mapping[str, int]

    @property
    def tx_l1_bps(self) -> float:
        return l1_bps(self.tx_bps, self.tx_pps)

    @property
    def line_percent(self) -> float | None:
        """None where the line's speed is not known."""
        return 100 * self.tx_l1_bps / self.speed_bps if self.speed_bps else None

    @property
    def sends(self) -> bool:
        return self.state.startswith("TRANSMITTING")


def port_reading(port: int, stats: Json, status: Json, since: Mapping[str, int] | None = None) -> PortReading:
    """From `get_port_stats` and `get_port_status`, with the counters less those of `since`."""
    attributes = status.get("attr") or {}
    state = str(status.get("state", ""))
    counted = counters(stats)
    return PortReading(
        port=port,
        owner=str(status.get("owner", "")),
        link_up=bool((attributes.get("link") or {}).get("up", True)),
        state=STATES.get(state, state),
        speed_bps=float(attributes.get("speed") or 0) * 1e9,
        cpu_percent=_number(stats, "m_cpu_util"),
        tx_pps=_number(stats, "m_total_tx_pps"),
        tx_bps=_number(stats, "m_total_tx_bps"),
        rx_pps=_number(stats, "m_total_rx_pps"),
        rx_bps=_number(stats, "m_total_rx_bps"),
        counters={name: value - (since or {}).get(name, 0) for name, value in counted.items()},
    )


def counters(stats: Json) -> dict[str, int]:
    """Counters by our names; the extensions only where the server has them."""
    stats = present_keys(stats)
    found = {name: int(stats.get(name, 0)) for name in COUNTERS}
    return found | {ours: int(stats[theirs]) for ours, theirs in EXTENSIONS.items() if theirs in stats}


def total(readings: Sequence[PortReading]) -> PortReading:
    """The sum of ports, as the last column of a table shows it."""
    names = [name for name in (*COUNTERS, *EXTENSIONS) if all(name in reading.counters for reading in readings)]
    return PortReading(
        port=None,
        owner="",
        link_up=True,
        state="",
        speed_bps=0.0,
        cpu_percent=0.0,
        tx_pps=sum(one.tx_pps for one in readings),
        tx_bps=sum(one.tx_bps for one in readings),
        rx_pps=sum(one.rx_pps for one in readings),
        rx_bps=sum(one.rx_bps for one in readings),
        counters={name: sum(one.counters[name] for one in readings) for name in names},
    )


@dataclass(frozen=True)
class StreamReading:
    """One stream as it was added."""

    port: int
    profile: str
    stream_id: int
    name: str
    packet: bytes
    mode: str
    rate: str
    pg_id: int | None
    latency: bool
    next_id: int
    instructions: int

    @property
    def frame_bytes(self) -> int:
        return max(MIN_FRAME_BYTES, len(self.packet) + FCS_BYTES)


_MODES = {"continuous": "Continuous", "single_burst": "Burst", "multi_burst": "Multi-Burst"}


def stream_readings(port: int, profiles: Mapping[str, Mapping[str, Json]]) -> list[StreamReading]:
    """From `get_all_streams`, in the order of profiles and numbers."""
    return [
        _stream_reading(port, profile, int(number), streams[number])
        for profile, streams in sorted(profiles.items())
        for number in sorted(streams, key=int)
    ]


def _stream_reading(port: int, profile: str, number: int, stream: Json) -> StreamReading:
    mode = stream.get("mode") or {}
    rate = mode.get("rate") or {}
    flow = stream.get("flow_stats") or {}
    words = {"pps": "pps", "bps_L1": "bps L1", "bps_L2": "bps L2", "percentage": "%"}
    kind = _MODES.get(str(mode.get("type")), str(mode.get("type", "?")))
    if "total_pkts" in mode:
        kind += f" {mode['total_pkts']}"
    elif "pkts_per_burst" in mode:
        kind += f" {mode.get('count', '?')}x{mode['pkts_per_burst']}"
    return StreamReading(
        port=port,
        profile=profile,
        stream_id=number,
        name=str(stream.get("name") or "-"),
        packet=base64.b64decode((stream.get("packet") or {}).get("binary", "")),
        mode=kind,
        rate=f"{rate.get('value', 0):g} {words.get(str(rate.get('type')), str(rate.get('type')))}",
        pg_id=int(flow["stream_id"]) if flow.get("enabled") else None,
        latency=flow.get("rule_type") == "latency",
        next_id=int(stream.get("next_stream_id", -1)),
        instructions=len((stream.get("vm") or {}).get("instructions") or ()),
    )


@dataclass(frozen=True)
class FlowStatistics:
    """Flow statistics of one packet group over all ports; `latency` if it is measured."""

    pg_id: int
    tx_packets: int
    rx_packets: int
    tx_bytes: int
    rx_bytes: int
    tx_pps: float
    rx_pps: float
    tx_bps: float
    rx_bps: float
    latency: LatencyStatistics | None = None


@dataclass(frozen=True)
class LatencyStatistics:
    """Microseconds; the histogram is (lower bound, count) from low to high; errors by T-Rex's names."""

    min_us: float
    max_us: float
    average_us: float
    last_max_us: float
    jitter_us: float
    histogram: tuple[tuple[int, int], ...]
    errors: Mapping[str, int]


ERRORS = {"drp": "dropped", "dup": "dup", "ooo": "out_of_order", "sth": "seq_too_high", "stl": "seq_too_low"}


def flow_readings(answer: Json, since: Json | None = None) -> list[FlowStatistics]:
    """From `get_pgid_stats`; counts less those of `since` where the group is still the same one."""
    since = since or {}
    now, before = answer.get("flow_stats") or {}, since.get("flow_stats") or {}
    versions, old_versions = answer.get("ver_id") or {}, since.get("ver_id") or {}
    latency, old_latency = answer.get("latency") or {}, since.get("latency") or {}
    flows = []
    for key in sorted(now, key=int):
        same = versions.get(key) == old_versions.get(key)
        flows.append(
            _flow_reading(
                int(key),
                now[key],
                before.get(key, {}) if same else {},
                latency.get(key),
                (old_latency.get(key) or {}) if same else {},
            )
        )
    return flows


def _flow_reading(pg_id: int, now: Json, before: Json, latency: Json | None, old_latency: Json) -> FlowStatistics:
    def count(name: str) -> int:
        return int(_sum(now.get(name)) - _sum(before.get(name)))

    return FlowStatistics(
        pg_id=pg_id,
        tx_packets=count("tp"),
        rx_packets=count("rp"),
        tx_bytes=count("tb"),
        rx_bytes=count("rb"),
        tx_pps=_sum(now.get("tps")),
        rx_pps=_sum(now.get("rps")),
        tx_bps=_sum(now.get("tbs")),
        rx_bps=_sum(now.get("rbs")),
        latency=_latency_reading(latency, old_latency) if latency else None,
    )


def _latency_reading(now: Json, before: Json) -> LatencyStatistics:
    measured, errors = now.get("lat") or {}, now.get("er") or {}
    old_bins = (before.get("lat") or {}).get("histogram") or {}
    old_errors = before.get("er") or {}
    bins = {
        int(low): int(count) - int(old_bins.get(low, 0)) for low, count in (measured.get("histogram") or {}).items()
    }
    return LatencyStatistics(
        min_us=_number(measured, "total_min"),
        max_us=_number(measured, "total_max"),
        average_us=_number(measured, "average"),
        last_max_us=_number(measured, "last_max"),
        jitter_us=_number(measured, "jit"),
        histogram=tuple(sorted((low, count) for low, count in bins.items() if count)),
        errors={name: int(errors.get(key, 0)) - int(old_errors.get(key, 0)) for key, name in ERRORS.items()},
    )


def _sum(per_port: Json | None) -> float:
    return float(sum((per_port or {}).values()))


def _number(fields: Json, name: str) -> float:
    return float(fields.get(name) or 0)
