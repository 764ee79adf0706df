"""Streams of a strict T-Rex: required fields, rates and durations."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trex_fields import FAILED, Dead, Fields, Refused

from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES, l1_bits

PACKET_BYTES = (14, 9238)
SMALL_BURST = 1000
"""A burst of fewer packets counts as 1 pps in a multiplier."""

_INSTRUCTIONS = (
    *("fix_checksum_hw", "fix_checksum_ipv4", "fix_checksum_icmpv6", "flow_var", "write_flow_var", "tuple_flow_var"),
    *("trim_pkt_size", "write_mask_flow_var", "flow_var_rand_limit"),
)
_RATES = ("pps", "bps_L1", "bps_L2", "percentage")


@dataclass(frozen=True)
class Stream:
    """`raw` is the stream as it was received, which is also the answer to get_stream."""

    number: int
    raw: dict[str, Any]
    packet: bytes
    group: int | None
    rule: str

    @property
    def frame_bytes(self) -> int:
        return max(len(self.packet) + FCS_BYTES, MIN_FRAME_BYTES)

    @property
    def fixed(self) -> bool:
        """True for latency streams, whose rate does not depend on the multiplier."""
        return self.rule == "latency"

    def rate_pps(self, line_bps: float) -> float:
        rate = self.raw["mode"]["rate"]
        value = float(rate["value"])
        bits = {"bps_L1": l1_bits(self.frame_bytes), "bps_L2": self.frame_bytes * 8}
        if rate["type"] == "percentage":
            return value / 100 * line_bps / l1_bits(self.frame_bytes)
        return value / bits[rate["type"]] if rate["type"] in bits else value

    def weight_pps(self, line_bps: float) -> float:
        """Rate to which a multiplier is applied."""
        if 0 < self.packets < SMALL_BURST:
            return 1.0
        return self.rate_pps(line_bps)

    @property
    def packets(self) -> float:
        """Length of one round; infinite for a continuous stream."""
        mode = self.raw["mode"]
        if mode["type"] == "single_burst":
            return float(mode["total_pkts"])
        if mode["type"] == "multi_burst":
            return float(mode["pkts_per_burst"] * mode["count"]) or math.inf
        return math.inf

    def lasts_s(self, factor: float, line_bps: float) -> float:
        """Duration of one round, with the initial delay and the gaps between bursts."""
        mode = self.raw["mode"]
        gaps = (mode["count"] - 1) * mode.get("ibg", 0) / 1e6 if mode["type"] == "multi_burst" else 0.0
        speed = self.rate_pps(line_bps) * (1 if self.fixed else factor)
        return self.packets / speed + gaps + float(self.raw["isg"]) / 1e6


def read_stream(params: Fields) -> Stream:
    """Read the `stream` of an add_stream, or raise Refused with T-Rex's text."""
    params = Fields(params.raw, FAILED)
    number, stream = params.whole("stream_id"), params.inner("stream")
    mode = stream.inner("mode")
    kind = mode.text("type")
    if kind not in ("continuous", "single_burst", "multi_burst"):
        raise Refused(f"bad stream type provided: '{kind}'")
    rate = mode.inner("rate")
    rate.one_of("type", *_RATES)
    if rate.real("value", positive=True) == 0:
        raise Refused("Rate value should be positive.")
    if kind == "single_burst" and mode.whole("total_pkts") == 0:
        raise Refused("single_burst: 'total_pkts' cannot be zero.")
    if kind == "multi_burst":
        mode.whole("count"), mode.real("ibg", positive=True)
        if mode.whole("pkts_per_burst") == 0:
            raise Refused("multi_burst: 'pkts_per_burst' cannot be zero.")
    for name in ("enabled", "self_start"):
        stream.truth(name)
    for name in ("flags", "action_count"):
        stream.whole(name)
    stream.whole("next_stream_id", "int")
    stream.real("isg", positive=True)
    stream.whole("random_seed", "uint32", 0), stream.whole("core_id", "int", -1)
    packet = packet_of(stream.inner("packet").text("binary"))
    stream.inner("packet").text("meta")
    _check_program(stream.inner("vm"))
    group, rule = _group(stream.inner("flow_stats"))
    return Stream(number, stream.raw, packet, group, rule)


def packet_of(text: str) -> bytes:
    least, most = PACKET_BYTES
    try:
        packet = base64.b64decode(text, validate=True)
    except binascii.Error:
        packet = b""
    if not least <= len(packet) <= most:
        raise Refused(f"Bad packet size provided: {len(packet)}. Should be between {least} and {most}")
    return packet


def _group(flow: Fields) -> tuple[int | None, str]:
    if not flow.truth("enabled"):
        return None, ""
    group, rule = flow.whole("stream_id"), flow.text("rule_type")
    if flow.truth("ieee_1588", False):
        raise Refused("Driver doesn't support IEEE-1588.")
    return group, rule


def _check_program(program: Fields) -> None:
    program.whole("cache", "uint16", 0)
    for raw in program.listed("instructions"):
        one = Fields(raw, FAILED)
        kind = one.one_of("type", *_INSTRUCTIONS)
        if kind in ("flow_var", "flow_var_rand_limit") and "value_list" not in raw:
            _check_variable(one, kind)


def _check_variable(one: Fields, kind: str) -> None:
    size = _size(one)
    if kind == "flow_var":
        one.one_of("op", "inc", "dec", "random")
    elif one.whole("limit", "uint64") == 0:
        raise Refused("VM: request random flow var variable with limit of zero '")
    least, most = one.whole("min_value", "uint64"), one.whole("max_value", "uint64")
    if most >= 1 << 8 * size:
        raise Refused(f"VM: requested value is bigger than {(1 << 8 * size) - 1}")
    if most < least:
        raise Refused(f"VM: requested flow var max value: '{most}' is smaller than min value: {least}")
    if most - least + 1 == 1 << 64:
        raise Dead("an 8-byte variable over its whole range: division by zero")
    first = one.whole("init_value", "uint64", least)
    if kind == "flow_var" and not least <= first <= most:
        raise Refused(
            f"VM: requested flow var init value: '{first}' should be in range from min value '{least}' "
            f"to max value '{most}'"
        )


def _size(one: Fields) -> int:
    size = one.raw.get("size")
    if size not in (1, 2, 4, 8):
        raise one.refuse("field 'size' can only be one of ['1' ,'2' ,'4' ,'8']")
    return int(size)


def factor_of(streams: Mapping[int, Stream], mul: Fields, line_bps: float, now: float) -> float:
    """The factor for a multiplier; `now` is the current one."""
    kind, value = mul.raw["type"], float(mul.raw["value"])
    if kind == "raw":
        return _changed(mul.raw["op"], now, value)

    def weigh(stream: Stream) -> float:
        pps = stream.weight_pps(line_bps)
        units = {"pps": 1.0, "bps": stream.frame_bytes * 8.0}
        return pps * units.get(kind, l1_bits(stream.frame_bytes))

    fixed = sum(weigh(stream) for stream in streams.values() if stream.fixed)
    free = sum(weigh(stream) for stream in streams.values() if not stream.fixed)
    if kind == "percentage":
        value = value / 100 * (line_bps if mul.raw["op"] == "abs" else free * now + fixed)
    whole = _changed(mul.raw["op"], free * now + fixed, value)
    if whole < 0:
        raise Refused("Update request will lower traffic to less than zero")
    if whole == 0:
        raise Refused(
            "Effective bandwidth is zero, this means that your dpdk driver does not know the link throughput "
            "(virtual), please use absolute bandwidth  0"
        )
    if whole < fixed:
        raise Refused(f"Latency/flow stats streams enforces a minimum rate of '{fixed:g}'")
    return (whole - fixed) / free if free else math.inf


def _changed(op: str, now: float, value: float) -> float:
    return {"abs": value, "add": now + value, "sub": now - value}[op]


def l1_bps(streams: Mapping[int, Stream], factor: float, line_bps: float) -> float:
    """Load of streams on a link at a factor."""
    speeds = ((stream, stream.weight_pps(line_bps)) for stream in streams.values())
    scaled = ((stream, pps if stream.fixed else pps * factor) for stream, pps in speeds)
    return sum(pps * l1_bits(stream.frame_bytes) for stream, pps in scaled)
