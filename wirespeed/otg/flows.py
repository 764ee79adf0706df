"""From one flow of the model to T-Rex streams. Pure.

One for each frame size of a mix; several where packets are dealt out to them, see `lanes`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.otg.faults import ModelFault
from wirespeed.otg.flow_model import Delay, OtgFlow
from wirespeed.otg.lanes import MOST_LANES, cycle, lane, tag_values, thinned
from wirespeed.otg.packets import Ends, Layer, packet_bytes, read_layers
from wirespeed.otg.patterns import Json
from wirespeed.otg.payloads import is_zeros, payload_bytes
from wirespeed.otg.programs import program
from wirespeed.otg.sizes import SizePart, parts

_OWN_SRC, _OWN_DST = 1, 2
_IN_BPS = {"bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9}
_US = 1e6


@dataclass(frozen=True)
class OneStream:
    """A stream that lacks its packet group, its rate, and the values of the tagged fields in its packets."""

    json: Json
    pps: float
    tags: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FlowStreams:
    """`pps` and `line_bps` are those of all streams together; `duration_s` is -1 where packets end them, or nothing."""

    streams: tuple[OneStream, ...]
    duration_s: float
    pps: float
    line_bps: float


def flow_streams(path: str, flow: OtgFlow, speed_bps: float | None, ends: Sequence[Ends] = (Ends(),)) -> FlowStreams:
    """Sent in turn between each of `ends`, on a line of that speed, if it has one. ModelFault names what the generator
    cannot do."""
    layers = read_layers(path, flow.packet)
    mix = parts(path, flow.size)
    line_bytes = sum(part.share * part.line_bytes for part in mix)
    pps = _pps(path, flow, line_bytes, speed_bps)
    shares = list(zip(mix, _split(flow, mix), strict=True))
    turns = cycle(layers) * len(ends)
    if turns > MOST_LANES:
        text = f"with its metric_tags takes {turns} streams; give {MOST_LANES} at most"
        raise ModelFault(f"{path}.tx_rx.device", text)
    streams: list[OneStream] = []
    for part, packets in shares:
        if packets:
            streams += _part_streams(path, flow, layers, part, packets, pps * part.share, speed_bps, ends)
    timed = flow.duration.choice == "fixed_seconds"
    return FlowStreams(
        tuple(streams), flow.duration.fixed_seconds.seconds if timed else -1.0, pps, pps * 8 * line_bytes
    )


def _pps(path: str, flow: OtgFlow, line_bytes: float, speed_bps: float | None) -> float:
    rate = flow.rate
    if rate.choice == "pps":
        return rate.pps
    if rate.choice != "percentage":
        return float(getattr(rate, rate.choice)) * _IN_BPS[rate.choice] / (8 * line_bytes)
    if speed_bps is None:
        raise ModelFault(f"{path}.rate.percentage", "its port has no line speed; give a rate in pps")
    return rate.percentage / 100 * speed_bps / (8 * line_bytes)


def _part_streams(
    path: str,
    flow: OtgFlow,
    layers: list[Layer],
    part: SizePart,
    packets: int,
    pps: float,
    speed_bps: float | None,
    ends: Sequence[Ends],
) -> Iterator[OneStream]:
    header_bytes = sum(layer.size_bytes for layer in layers)
    if part.size.low < header_bytes:
        raise ModelFault(f"{path}.size", f"headers of {header_bytes} bytes and 4 of FCS do not fit into the frame")
    payload = payload_bytes(path, flow.payload, part.size.high - header_bytes)
    turns = cycle(layers)
    every = turns * len(ends)
    if flow.duration.choice == "burst" and packets % every:
        text = f"bursts of {packets} packets cannot be told apart by {every} values in turn; give a multiple of {every}"
        raise ModelFault(f"{path}.duration.burst.packets", text)
    delay_us = _delay_us(path, flow, speed_bps)
    marked = flow.metrics.enable and not flow.metrics.latency.enable
    for number in range(every):
        count = _lane_packets(flow, packets, number, every)
        if not count:
            continue
        own = lane(layers, number // len(ends), turns)
        size = thinned(f"{path}.size", part.size, number, every)
        packet = packet_bytes(own, payload, ends[number % len(ends)])
        stream: Json = {
            "enabled": True,
            "self_start": True,
            "isg": delay_us + number * _US / pps,
            "flags": _flags(own, ends[number % len(ends)]),
            "action_count": 0,
            "next_stream_id": -1,
            "mode": _mode(path, flow, count, speed_bps) | {"rate": {"type": "pps", "value": pps / every}},
            "packet": {"binary": base64.b64encode(packet).decode(), "meta": ""},
            "vm": {"instructions": program(own, size, packet, is_zeros(flow.payload), marked)},
        }
        yield OneStream(stream, pps / every, tag_values(own))


def _flags(layers: list[Layer], ends: Ends) -> int:
    given, nobody = layers[0].own, Ends()
    own_src = "src" in given or ends.src_mac != nobody.src_mac
    own_dst = "dst" in given or ends.dst_mac != nobody.dst_mac
    return (_OWN_SRC if own_src else 0) | (_OWN_DST if own_dst else 0)


def _split(flow: OtgFlow, mix: list[SizePart]) -> list[int]:
    """Packets of each part, which add up to the requested number; 1 if the time limits them."""
    if flow.duration.choice not in ("fixed_packets", "burst"):
        return [1] * len(mix)
    duration = flow.duration
    total = duration.fixed_packets.packets if duration.choice == "fixed_packets" else duration.burst.packets
    edges, share = [0], 0.0
    for part in mix:
        share += part.share
        edges.append(round(total * min(share, 1.0)))
    edges[-1] = total
    return [after - before for before, after in zip(edges, edges[1:], strict=False)]


def _lane_packets(flow: OtgFlow, packets: int, number: int, every: int) -> int:
    if flow.duration.choice not in ("fixed_packets", "burst"):
        return packets
    return (packets - number + every - 1) // every


def _delay_us(path: str, flow: OtgFlow, speed_bps: float | None) -> float:
    kind = flow.duration.choice
    if kind == "burst":
        return 0.0
    return _in_us(f"{path}.duration.{kind}.delay", getattr(flow.duration, kind).delay, speed_bps)


def _in_us(path: str, delay: Delay, speed_bps: float | None) -> float:
    """Bytes are those of the line."""
    if delay.choice == "nanoseconds":
        return delay.nanoseconds / 1000
    if delay.choice == "microseconds":
        return delay.microseconds
    if speed_bps is None and delay.bytes and delay != type(delay)():
        raise ModelFault(f"{path}.bytes", "its port has no line speed; give the time in nanoseconds")
    return delay.bytes * 8 * _US / speed_bps if speed_bps else 0.0


def _mode(path: str, flow: OtgFlow, packets: int, speed_bps: float | None) -> Json:
    if flow.duration.choice == "fixed_packets":
        return {"type": "single_burst", "total_pkts": packets}
    if flow.duration.choice == "burst":
        burst = flow.duration.burst
        gap_us = _in_us(f"{path}.duration.burst.inter_burst_gap", burst.inter_burst_gap, speed_bps)
        return {"type": "multi_burst", "pkts_per_burst": packets, "count": burst.bursts, "ibg": gap_us}
    return {"type": "continuous"}
