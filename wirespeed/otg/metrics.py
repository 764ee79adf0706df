"""Metrics of ports and flows, from what the generator counts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.otg.patterns import Json
from wirespeed.otg.requests import TaggedRequest
from wirespeed.otg.setup import Running
from wirespeed.units import L1_OVERHEAD_BYTES

_ALWAYS = ("name", "port_tx", "port_rx", "tags", "location")
"""Columns that identify a metric; no choice of columns leaves them out."""

_SCALES = {"bytes": 1 / 8, "bps": 1.0, "kbps": 1e-3, "mbps": 1e-6}


@dataclass(frozen=True)
class StreamsCounted:
    """Some streams of a flow together; rates in frames and L2 bits per second."""

    frames_tx: int
    frames_rx: int
    bytes_tx: int
    bytes_rx: int
    pps_tx: float
    pps_rx: float
    bps_tx: float
    bps_rx: float

    @property
    def frames(self) -> tuple[int, int]:
        return self.frames_tx, self.frames_rx


def counted(stats: Json, groups: Iterable[int], tx: int, rx: Iterable[int]) -> StreamsCounted:
    """The packet groups in an answer to `get_pgid_stats`, sent by one port and received by others."""
    by_group = stats.get("flow_stats") or {}
    by_stream = [by_group[str(group)] for group in groups if str(group) in by_group]
    receivers = [str(port) for port in rx]

    def sent(name: str) -> Any:
        return sum(group[name][str(tx)] for group in by_stream)

    def received(name: str) -> Any:
        return sum(group[name][port] for group in by_stream for port in receivers)

    frames = int(sent("tp")), int(received("rp")), int(sent("tb")), int(received("rb"))
    return StreamsCounted(*frames, sent("tps"), received("rps"), sent("tbs"), received("rbs"))


def flow_metric(flow: Running, stats: Json, transmit: str, tagged: TaggedRequest, losses_timed: bool) -> Json:
    """One flow; `transmit` is its state."""
    whole = counted(stats, flow.groups, flow.target.port, flow.rx.values())
    metric = {
        "name": flow.flow.name,
        "port_tx": flow.tx,
        "port_rx": next(iter(flow.rx), ""),
        "transmit": transmit,
        **_figures(flow, whole, flow.groups, stats),
    }
    if losses_timed:
        lost = max(_expected(flow, whole.frames_tx) - whole.frames_rx, 0)
        metric["packet_loss_duration"] = {"value": 1000 * lost / flow.streams.pps}
    tags = _tagged(flow, stats, tagged) if tagged.include else []
    return metric | ({"tagged_metrics": tags} if tags else {})


def _tagged(flow: Running, stats: Json, asked: TaggedRequest) -> list[Json]:
    """A metric for each combination of the tags' values."""
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for stream, group in zip(flow.streams.streams, flow.groups, strict=False):
        if stream.tags:
            groups.setdefault(stream.tags, []).append(group)
    wanted = {one.name: [value.lower() for value in one.values] for one in asked.filters}
    metrics = []
    for tags, numbers in groups.items():
        if any(name in wanted and wanted[name] and value not in wanted[name] for name, value in tags):
            continue
        sums = counted(stats, numbers, flow.target.port, flow.rx.values())
        if any(sums.frames) or asked.include_empty_metrics:
            told = [{"name": name, "value": {"choice": "hex", "hex": value}} for name, value in tags]
            figures = {"tags": told} | _figures(flow, sums, numbers, stats)
            metrics.append(only(figures, asked.metric_names))
    return metrics


def _figures(flow: Running, sums: StreamsCounted, groups: Sequence[int], stats: Json) -> Json:
    expected = _expected(flow, sums.frames_tx)
    figures: Json = {
        "frames_tx": str(sums.frames_tx),
        "frames_rx": str(sums.frames_rx),
        "bytes_tx": str(sums.bytes_tx),
        "bytes_rx": str(sums.bytes_rx),
        "frames_tx_rate": sums.pps_tx,
        "frames_rx_rate": sums.pps_rx,
        "loss": 100 * max(expected - sums.frames_rx, 0) / expected if expected else 0.0,
        "tx_l1_rate_bps": sums.bps_tx + 8 * L1_OVERHEAD_BYTES * sums.pps_tx,
        "rx_l1_rate_bps": sums.bps_rx + 8 * L1_OVERHEAD_BYTES * sums.pps_rx,
    }
    for unit, scale in _SCALES.items():
        figures |= {f"tx_rate_{unit}": scale * sums.bps_tx, f"rx_rate_{unit}": scale * sums.bps_rx}
    if flow.timed:
        figures["latency"] = _latency(groups, stats)
    return figures


def _expected(one: Running, frames_tx: int) -> float:
    """Expected number of received frames for the frames sent: more if a network copies them."""
    ratio = one.flow.metrics.rx_tx_ratio
    return frames_tx * (ratio.value if ratio.choice == "value" else len(one.rx))


def _latency(groups: Sequence[int], stats: Json) -> Json:
    """Latency of all groups together; empty before packets arrived."""
    latency, flows = stats.get("latency") or {}, stats.get("flow_stats") or {}
    seen = [
        (latency[str(group)]["lat"], sum(flows[str(group)]["rp"].values()))
        for group in groups
        if (latency.get(str(group)) or {}).get("lat")
    ]
    packets = sum(count for _, count in seen)
    if not packets:
        return {}
    return {
        "minimum_ns": 1000 * min(lat["total_min"] for lat, _ in seen),
        "maximum_ns": 1000 * max(lat["total_max"] for lat, _ in seen),
        "average_ns": 1000 * sum(lat["average"] * count for lat, count in seen) / packets,
    }


def only(metric: Mapping[str, Any], names: Sequence[str]) -> Json:
    """The figures that were asked for; all of them where none is named."""
    return {name: value for name, value in metric.items() if not names or name in (*_ALWAYS, *names)}
