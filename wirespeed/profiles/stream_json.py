"""T-Rex's stream JSON, checked: the rim where dictionaries become typed values.

Fields that T-Rex requires are required here. Unknown keys (a client's own `name` and `next`) are passed over: the
stream is kept and given back exactly as it came.
"""

from __future__ import annotations

import marshal
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from wirespeed._native.flow_records import FlowKind, FlowOrder
from wirespeed.errors import UsageError
from wirespeed.profiles.packet_text import packet_of

UInt16 = Annotated[int, Field(ge=0, le=0xFFFF)]
UInt32 = Annotated[int, Field(ge=0, le=0xFFFF_FFFF)]
UInt64 = Annotated[int, Field(ge=0, le=0xFFFF_FFFF_FFFF_FFFF)]
Int32 = Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Microseconds = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Size = Literal[1, 2, 4, 8]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


def _missing(field: str) -> PydanticCustomError:
    return PydanticCustomError("missing", "{field} is missing", {"field": field})


class RateJson(_Model):
    type: Literal["pps", "bps_L1", "bps_L2", "percentage"]
    value: Positive


class ContinuousJson(_Model):
    type: Literal["continuous"]
    rate: RateJson


class SingleBurstJson(_Model):
    type: Literal["single_burst"]
    rate: RateJson
    total_pkts: Annotated[int, Field(gt=0, le=0xFFFF_FFFF_FFFF_FFFF)]


class MultiBurstJson(_Model):
    type: Literal["multi_burst"]
    rate: RateJson
    pkts_per_burst: Annotated[int, Field(gt=0, le=0xFFFF_FFFF_FFFF_FFFF)]
    count: UInt32
    """0 is endless."""
    ibg: Microseconds


class PacketJson(_Model):
    binary: bytes
    meta: str

    @field_validator("binary", mode="before")
    @classmethod
    def _decode(cls, value: Any) -> bytes:
        if not isinstance(value, str):
            raise ValueError("expecting base64 text")
        return packet_of(value)


class FlowVarJson(_Model):
    type: Literal["flow_var"]
    name: Name
    next_var: str | None = None
    size: Size
    op: Literal["inc", "dec", "random"]
    value_list: Annotated[list[UInt64], Field(min_length=1, max_length=65536)] | None = None
    step: UInt64
    init_value: UInt64 | None = None
    min_value: UInt64 | None = None
    max_value: UInt64 | None = None

    @model_validator(mode="after")
    def _range_or_list(self) -> FlowVarJson:
        for name in () if self.value_list is not None else ("init_value", "min_value", "max_value"):
            if getattr(self, name) is None:
                raise _missing(name)
        return self


class FlowVarRandLimitJson(_Model):
    type: Literal["flow_var_rand_limit"]
    name: Name
    size: Size
    limit: Annotated[int, Field(gt=0, le=0xFFFF_FFFF)]
    seed: UInt64
    min_value: UInt64
    max_value: UInt64
    next_var: str | None = None


class TupleFlowVarJson(_Model):
    type: Literal["tuple_flow_var"]
    name: Name
    ip_min: UInt32
    ip_max: UInt32
    port_min: UInt16
    port_max: UInt16
    limit_flows: UInt32
    flags: UInt16


class WriteJson(_Model):
    type: Literal["write_flow_var"]
    name: Name
    pkt_offset: UInt16
    add_value: Int32
    is_big_endian: bool


class WriteMaskJson(_Model):
    type: Literal["write_mask_flow_var"]
    name: Name
    pkt_offset: UInt16
    pkt_cast_size: Literal[1, 2, 4]
    mask: UInt32
    shift: Annotated[int, Field(ge=-63, le=63)]
    add_value: Int32
    is_big_endian: bool


class TrimJson(_Model):
    type: Literal["trim_pkt_size"]
    name: Name


class FixIpv4Json(_Model):
    type: Literal["fix_checksum_ipv4"]
    pkt_offset: UInt16


class FixHardwareJson(_Model):
    type: Literal["fix_checksum_hw"]
    l2_len: UInt16
    l3_len: UInt16
    l4_type: Literal[11, 13, 17]


class FixIcmpv6Json(_Model):
    type: Literal["fix_checksum_icmpv6"]
    l2_len: UInt16
    l3_len: UInt16


Instruction = Annotated[
    FixHardwareJson
    | FixIpv4Json
    | FixIcmpv6Json
    | FlowVarJson
    | WriteJson
    | TupleFlowVarJson
    | TrimJson
    | WriteMaskJson
    | FlowVarRandLimitJson,
    Field(discriminator="type"),
]


class ProgramJson(_Model):
    """Streams that came with the same program have the same object, so it is what it is by identity."""

    instructions: Annotated[list[Instruction], Field(max_length=256)]
    cache: UInt16 = 0

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


_PROGRAMS_KEPT, _PROGRAM_BYTES_KEPT = 256, 4096
_programs: dict[bytes, ProgramJson] = {}


def _known_program(value: Any, check: ValidatorFunctionWrapHandler) -> ProgramJson:
    """Thousands of streams often differ in their packets only; one look at their program is enough."""
    try:
        text = marshal.dumps(value)
    except ValueError:
        text = b""
    program = _programs.get(text)
    if program is None:
        program = check(value)
        if 0 < len(text) <= _PROGRAM_BYTES_KEPT:
            if len(_programs) == _PROGRAMS_KEPT:
                _programs.clear()
            _programs[text] = program
    return program


class FlowStatsJson(_Model):
    enabled: bool
    stream_id: UInt32 = 0
    rule_type: Literal["stats", "latency", "tpg"] = "stats"
    vxlan: bool = False
    ieee_1588: bool = False
    payload_signature: bool = False
    """Ours: statistics by the end of the payload, for a DUT that rewrites IP headers."""

    @model_validator(mode="after")
    def _names_its_group(self) -> FlowStatsJson:
        if self.enabled and "stream_id" not in self.model_fields_set:
            raise _missing("stream_id")
        return self


class StreamJson(_Model):
    """The mode is checked first: T-Rex names it first among missing fields."""

    mode: Annotated[ContinuousJson | SingleBurstJson | MultiBurstJson, Field(discriminator="type")]
    enabled: bool
    self_start: bool
    start_paused: bool = False
    isg: Microseconds
    flags: UInt16
    action_count: UInt32
    next_stream_id: Annotated[int, Field(ge=-1, le=0xFFFF_FFFF)]
    random_seed: UInt32 = 0
    core_id: Annotated[int, Field(ge=-1, le=0xFFFF)] = -1
    packet: PacketJson
    vm: Annotated[ProgramJson, WrapValidator(_known_program)]
    flow_stats: FlowStatsJson
    flow_set: Literal["each", "random", "answer"] | None = None
    """Ours: the port's flow set writes the packets, of each flow once, of flows drawn at random, or of those that wait
    for the answer of a TCP handshake."""

    @model_validator(mode="after")
    def _is_counted_once(self) -> StreamJson:
        if self.flow_set is not None and self.flow_stats.enabled:
            raise ValueError("a stream of a flow set has no flow_stats; the set counts it")
        return self

    @property
    def pg_id(self) -> int | None:
        counted = self.flow_stats.enabled and self.flow_stats.rule_type != "tpg"
        return self.flow_stats.stream_id if counted else None

    @property
    def tpgid(self) -> int | None:
        """The tagged packet group."""
        tagged = self.flow_stats.enabled and self.flow_stats.rule_type == "tpg"
        return self.flow_stats.stream_id if tagged else None

    @property
    def flow_order(self) -> FlowOrder | None:
        """The order of flows, if a flow set writes the packets."""
        return None if self.flow_set is None else FlowOrder[self.flow_set.upper()]

    @property
    def flow_kind(self) -> FlowKind:
        if self.flow_set is not None:
            return FlowKind.SET
        if not self.flow_stats.enabled:
            return FlowKind.NONE
        kinds = {"stats": FlowKind.STATS, "latency": FlowKind.LATENCY, "tpg": FlowKind.TAGGED}
        return kinds[self.flow_stats.rule_type]

    @property
    def keeps_own_rate(self) -> bool:
        """Latency streams are not multiplied."""
        return self.flow_stats.enabled and self.flow_stats.rule_type == "latency"


def parse_stream(stream: dict[str, Any]) -> StreamJson:
    """The checked stream; UsageError names the field that is missing or wrong."""
    try:
        return StreamJson.model_validate(stream)
    except ValidationError as error:
        raise UsageError(_first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    named = fault.get("ctx", {}).get("field")
    where = ".".join(str(part) for part in (*fault["loc"], *([named] if named else []))) or "stream"
    if fault["type"] == "missing":
        return f"field '{where}' value is null"
    return f"field '{where}': {fault['msg'][:200]}"
