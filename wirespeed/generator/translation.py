"""From a checked T-Rex stream to a stream of the native core. Pure: the same in, the same out.

What the core cannot do is refused here, when the stream is added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wirespeed._native.stream_records import MAX_PACKET_BYTES, Stream, StreamMode
from wirespeed.generator.rpc import bad_parameters, failed
from wirespeed.later import Later
from wirespeed.units import FCS_BYTES

if TYPE_CHECKING:
    import pydantic

    from wirespeed.generator import field_program, stream_faults
    from wirespeed.profiles import stream_json
    from wirespeed.profiles.stream_json import StreamJson
else:
    field_program = Later("wirespeed.generator.field_program")
    pydantic = Later("pydantic")
    stream_faults = Later("wirespeed.generator.stream_faults")
    stream_json = Later("wirespeed.profiles.stream_json")

MIN_PACKET_BYTES = 14
"""An Ethernet header; the core pads packets to 60 bytes."""

_MOST_BURSTS = (1 << 32) - 1

FLAG_OWN_SRC_MAC = 1
FLAG_NULL_STREAM = 8


@dataclass(frozen=True)
class Addresses:
    """Addresses of a port, for packets that do not have their own."""

    src: bytes
    dst: bytes


@dataclass(frozen=True)
class Translated:
    """A stream without the values known only at the start: addresses, rate, flow id. Sizes include the FCS. `fault` is
    the reason why it cannot be started, which T-Rex reports at the start."""

    stream: Stream
    mean_frame_bytes: float
    fault: str = ""


def checked_stream(stream: dict[str, Any]) -> StreamJson:
    """The stream of a request; RpcError -32602 names the field that is missing or wrong."""
    try:
        return stream_json.StreamJson.model_validate(stream)
    except pydantic.ValidationError as error:
        raise bad_parameters(stream_faults.first_fault(error)) from None


def translate(stream_id: int, stream: StreamJson) -> Translated:
    """Check the stream's meaning and turn it into the core's terms; RpcError -32000 for an invalid stream."""
    packet = stream.packet.binary
    is_null = bool(stream.flags & FLAG_NULL_STREAM)
    if not is_null and not MIN_PACKET_BYTES <= len(packet) <= MAX_PACKET_BYTES:
        bounds = f"between {MIN_PACKET_BYTES} and {MAX_PACKET_BYTES}"
        raise failed(f"Bad packet size provided: {len(packet)}. Should be {bounds}")
    if stream.flow_stats.enabled and stream.flow_stats.vxlan:
        raise failed("flow statistics inside VXLAN are not supported; without 'vxlan' the outer headers are counted")
    if stream.flow_stats.enabled and stream.flow_stats.ieee_1588:
        raise failed("Driver doesn't support IEEE-1588.")
    endless_chain = stream.mode.type == "continuous" and stream.next_stream_id != -1
    padded = max(len(packet), field_program.PADDED_BYTES)
    program = field_program.compile_program(stream.vm, padded)
    length = padded if program.trimmed_to is None else program.trimmed_to
    return Translated(
        Stream(
            id=stream_id,
            packet=packet,
            enabled=stream.enabled,
            self_start=stream.self_start,
            start_paused=stream.start_paused,
            fixed_rate=stream.keeps_own_rate,
            start_delay_us=stream.isg,
            **_following(stream_id, stream),
            ops=program.ops,
            cache=stream.vm.cache,
            pinned=stream.core_id + 1,
            random_seed=stream.random_seed,
            is_null=is_null,
            **_mode(stream),
        ),
        mean_frame_bytes=length + FCS_BYTES,
        fault="a continuous stream never ends, so it cannot have a next stream" if endless_chain else program.fault,
    )


def at_start(
    translated: Translated, source: StreamJson, addresses: Addresses, rate_pps: float, flow_id: int | None
) -> Stream:
    """The stream with what the start brings: addresses where the packet does not keep its own, a rate, a flow."""
    packet = translated.stream.packet
    dst = packet[0:6] if (source.flags >> 1) & 3 == 1 else addresses.dst
    src = packet[6:12] if source.flags & FLAG_OWN_SRC_MAC else addresses.src
    packet = dst + src + packet[12:]
    stream = replace(translated.stream, packet=packet, rate_pps=rate_pps)
    own = source.tpgid if source.flow_order is None else int(source.flow_order)
    number = flow_id if own is None else own
    return stream if number is None else with_flow(stream, source, number)


def with_flow(stream: Stream, source: StreamJson, flow_id: int) -> Stream:
    signature = source.flow_stats.payload_signature
    return replace(stream, flow_kind=source.flow_kind, flow_id=flow_id, flow_signature=signature)


def _following(stream_id: int, stream: StreamJson) -> dict[str, Any]:
    """The next stream, and the number of rounds after which the chain ends. Endless bursts follow themselves."""
    if _is_endless(stream):
        return {"next_id": stream_id, "loops": 0}
    return {"next_id": stream.next_stream_id, "loops": stream.action_count}


def _is_endless(stream: StreamJson) -> bool:
    return isinstance(stream.mode, stream_json.MultiBurstJson) and not stream.mode.count


def _mode(stream: StreamJson) -> dict[str, Any]:
    match stream.mode:
        case stream_json.SingleBurstJson(total_pkts=packets):
            return {"mode": StreamMode.SINGLE_BURST, "packets": packets, "bursts": 1}
        case stream_json.MultiBurstJson(pkts_per_burst=packets, count=bursts, ibg=gap):
            return {
                "mode": StreamMode.MULTI_BURST,
                "packets": packets,
                "bursts": bursts or _MOST_BURSTS,
                "burst_gap_us": gap,
            }
        case _:
            return {"mode": StreamMode.CONTINUOUS}
