"""From one flow of the model to T-Rex streams: one for each frame size of a mix, one for all others. Pure."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.model import Flow
from wirespeed.otg.packets import packet_bytes, read_layers
from wirespeed.otg.patterns import Json, Pattern, fixed
from wirespeed.otg.programs import program
from wirespeed.units import FCS_BYTES

MIXES: dict[str, tuple[tuple[int, int], ...]] = {
    "imix": ((64, 7), (570, 4), (1518, 1)),
    "ipsec_imix": ((90, 5867), (92, 200), (594, 2366), (1418, 1567)),
    "ipv6_imix": ((64, 5867), (496, 200), (594, 2366), (1518, 1567)),
    "standard_imix": ((64, 5867), (64, 200), (594, 2366), (1518, 1567)),
    "tcp_imix": ((90, 5867), (92, 200), (594, 2366), (1518, 1567)),
}
"""Frame sizes with FCS and their weights, as the model lists them; its 58 to 62 are the least that Ethernet has."""

_LINE_BYTES = 20
_OWN_SRC, _OWN_DST = 1, 2
_IN_BPS = {"bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9}


@dataclass(frozen=True)
class Part:
    """Frames of one size, or of one range of them. `packets_share` and `line_share` are of the flow's packets and of
    its bytes on the line."""

    size: Pattern
    packets_share: float
    line_share: float


@dataclass(frozen=True)
class FlowStreams:
    """`streams` lack their packet group; `pps` is None where the rate is a share of a line."""

    name: str
    tx: str
    rx: tuple[str, ...]
    streams: tuple[Json, ...]
    duration_s: float
    mean_line_bytes: float
    pps: float | None
    percentage: float | None
    counted: bool
    timed: bool

    def line_share(self, speed_bps: float) -> float:
        """Of a line of that speed."""
        if self.percentage is not None:
            return self.percentage / 100
        return (self.pps or 0.0) * 8 * self.mean_line_bytes / speed_bps


def flow_streams(path: str, flow: Flow) -> FlowStreams:
    """ModelFault names what the generator cannot do."""
    layers = read_layers(path, flow.packet)
    parts = _parts(path, flow)
    line_bytes = sum(part.packets_share * _line_bytes(part.size) for part in parts)
    rate = flow.rate
    pps: float | None = None
    if rate.choice == "pps":
        pps = rate.pps
    elif rate.choice != "percentage":
        pps = getattr(rate, rate.choice) * _IN_BPS[rate.choice] / (8 * line_bytes)
    counts = _split(flow, parts)
    header_bytes = sum(layer.size_bytes for layer in layers)
    streams = []
    for part, packets in zip(parts, counts, strict=True):
        if packets == 0:
            continue
        if part.size.low < header_bytes:
            raise ModelFault(f"{path}.size", f"headers of {header_bytes} bytes and 4 of FCS do not fit into the frame")
        packet = packet_bytes(layers, bytes(part.size.high - header_bytes))
        own_rate: Json = (
            {"type": "percentage", "value": rate.percentage * part.line_share}
            if pps is None
            else {"type": "pps", "value": pps * part.packets_share}
        )
        own = layers[0].own
        streams.append(
            {
                "enabled": True,
                "self_start": True,
                "isg": _delay_us(flow),
                "flags": (_OWN_SRC if "src" in own else 0) | (_OWN_DST if "dst" in own else 0),
                "action_count": 0,
                "next_stream_id": -1,
                "mode": _mode(flow, packets) | {"rate": own_rate},
                "packet": {"binary": base64.b64encode(packet).decode(), "meta": ""},
                "vm": {"instructions": program(layers, part.size, len(packet))},
            }
        )
    return FlowStreams(
        flow.name,
        flow.tx_rx.port.tx_name,
        tuple(flow.tx_rx.port.receivers),
        tuple(streams),
        flow.duration.fixed_seconds.seconds if flow.duration.choice == "fixed_seconds" else -1.0,
        line_bytes,
        pps,
        rate.percentage if pps is None else None,
        flow.metrics.enable,
        flow.metrics.enable and flow.metrics.latency.enable,
    )


def _parts(path: str, flow: Flow) -> list[Part]:
    size = flow.size
    if size.choice == "fixed":
        return [Part(fixed(size.fixed - FCS_BYTES), 1.0, 1.0)]
    if size.choice == "weight_pairs":
        return _mix(path, flow)
    random = size.choice == "random"
    low, high = (size.random.min, size.random.max) if random else (size.increment.start, size.increment.end)
    if low > high:
        raise ModelFault(f"{path}.size.{size.choice}", f"goes from {low} to {high}; give the smaller size first")
    if random:
        values = range(low - FCS_BYTES, high - FCS_BYTES + 1)
        return [Part(Pattern("random", low, count=len(values), low=values[0], high=values[-1]), 1.0, 1.0)]
    values = range(low - FCS_BYTES, high - FCS_BYTES + 1, size.increment.step)
    one = Pattern("increment", values[0], step=size.increment.step, count=len(values), low=values[0], high=values[-1])
    return [Part(one if one.varies else fixed(values[0]), 1.0, 1.0)]


def _mix(path: str, flow: Flow) -> list[Part]:
    given = flow.size.weight_pairs
    pairs = [(one.size, one.weight) for one in given.custom]
    if given.choice == "predefined":
        pairs = list(MIXES[given.predefined])
    if not pairs:
        raise ModelFault(f"{path}.size.weight_pairs.custom", "has no sizes")
    weights = sum(weight for _, weight in pairs)
    line = sum(weight * (size + _LINE_BYTES) for size, weight in pairs)
    return [
        Part(fixed(size - FCS_BYTES), weight / weights, weight * (size + _LINE_BYTES) / line) for size, weight in pairs
    ]


def _line_bytes(size: Pattern) -> float:
    return (size.low + size.high) / 2 + FCS_BYTES + _LINE_BYTES


def _split(flow: Flow, parts: list[Part]) -> list[int]:
    """Packets of each part: all of them together are what was asked; 1 where the time limits them."""
    if flow.duration.choice not in ("fixed_packets", "burst"):
        return [1] * len(parts)
    total = (
        flow.duration.fixed_packets.packets if flow.duration.choice == "fixed_packets" else flow.duration.burst.packets
    )
    edges, share = [0], 0.0
    for part in parts:
        share += part.packets_share
        edges.append(round(total * min(share, 1.0)))
    edges[-1] = total
    return [after - before for before, after in zip(edges, edges[1:], strict=False)]


def _delay_us(flow: Flow) -> float:
    kind = flow.duration.choice
    return 0.0 if kind == "burst" else float(getattr(flow.duration, kind).delay.us)


def _mode(flow: Flow, packets: int) -> Json:
    if flow.duration.choice == "fixed_packets":
        return {"type": "single_burst", "total_pkts": packets}
    if flow.duration.choice == "burst":
        burst = flow.duration.burst
        return {
            "type": "multi_burst",
            "pkts_per_burst": packets,
            "count": burst.bursts,
            "ibg": burst.inter_burst_gap.us,
        }
    return {"type": "continuous"}
