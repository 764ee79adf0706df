"""From a stream's instructions to a field program of the native core. Pure: the same in, the same out.

Values that a variable cannot have are refused when the stream is added, in T-Rex's words. What else the core cannot do
is a fault of the program, which a T-Rex tells at the start, and names its instruction.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wirespeed._native.stream_records import Op, OpKind, VarKind
from wirespeed.generator.rpc import RpcError, failed
from wirespeed.profiles.stream_json import (
    FixHardwareJson,
    FixIcmpv6Json,
    FixIpv4Json,
    FlowVarJson,
    FlowVarRandLimitJson,
    ProgramJson,
    TrimJson,
    TupleFlowVarJson,
    WriteJson,
    WriteMaskJson,
)
from wirespeed.units import FCS_BYTES, MIN_FRAME_BYTES

MAX_VARIABLE_BYTES = 64
"""Limit of the memory of a program's variables. Each takes its size, a tuple 10, a limited random one twice its size
and 4, and the shared state of random ones 4."""

PADDED_BYTES = MIN_FRAME_BYTES - FCS_BYTES
"""Length to which the core pads packets."""

_SEED_BYTES, _TUPLE_BYTES, _UNLIMITED_FLOWS = 4, 10, 1
_L4_BYTES = {11: 8, 13: 20, 17: 0}


@dataclass(frozen=True)
class FieldProgram:
    """`trimmed_to` is the mean length without FCS where the program sets it; `fault` says why it cannot be run."""

    ops: tuple[Op, ...] = ()
    trimmed_to: float | None = None
    fault: str = ""


@functools.lru_cache(maxsize=256)
def compile_program(source: ProgramJson, packet_bytes: int) -> FieldProgram:
    """For packets of the given length; RpcError -32000 for a value that a variable cannot have."""
    for instruction in source.instructions:
        if isinstance(instruction, FlowVarJson | FlowVarRandLimitJson):
            _check_values(instruction)
    program = _Program(packet_bytes)
    try:
        for number, instruction in enumerate(source.instructions):
            try:
                _TRANSLATORS[type(instruction)](program, instruction)
            except RpcError as error:
                return FieldProgram(fault=f"instruction {number} ({instruction.type}): {error.specific}")
        program.link_chains()
    except RpcError as error:
        return FieldProgram(fault=str(error.specific))
    return FieldProgram(tuple(program.ops), program.trimmed_to)


def _check_values(source: FlowVarJson | FlowVarRandLimitJson) -> None:
    low, high = source.min_value or 0, source.max_value or 0
    first, step, listed = low, 1, None
    if isinstance(source, FlowVarJson):
        first, step, listed = source.init_value or 0, source.step, source.value_list
    if step == 0:
        raise failed("VM: step cannot be 0")
    if listed is not None and step > len(listed):
        raise failed("VM: step cannot be bigger than list size")
    if listed is None and high < low:
        raise failed(f"VM: requested flow var max value: '{high}' is smaller than min value: {low}")
    if listed is None and not low <= first <= high:
        wanted = f"should be in range from min value '{low}' to max value '{high}'"
        raise failed(f"VM: requested flow var init value: '{first}' {wanted}")
    largest = (1 << 8 * source.size) - 1
    if max(listed or (high, step)) > largest:
        raise failed(f"VM: requested value is bigger than {largest}")


@dataclass(frozen=True)
class _Variable:
    """`index` in the core, `size` in bytes, and what values it takes."""

    index: int
    size: int
    low: int
    high: int
    mean: float


class _Program:
    """Instructions so far, the variables they defined, and the length that is trimmed to."""

    def __init__(self, packet_bytes: int) -> None:
        self.packet_bytes = packet_bytes
        self.ops: list[Op] = []
        self.trimmed_to: float | None = None
        self._variables: dict[str, _Variable] = {}
        self._variable_bytes = 0
        self._draws = False
        self._chains: dict[int, tuple[str, str]] = {}

    def define(self, name: str, size: int, low: int, high: int, mean: float) -> int:
        if name in self._variables:
            raise failed(f"variable '{name}' is defined twice")
        if low > high:
            raise failed(f"min value {low} is above max value {high}")
        index = len(self._variables)
        self._variables[name] = _Variable(index, size, low, high, mean)
        return index

    def hold(self, size: int) -> None:
        """So many bytes more of variables."""
        self._variable_bytes += size
        if self._variable_bytes > MAX_VARIABLE_BYTES:
            raise failed(
                f"too many variables: they take {self._variable_bytes} bytes, {MAX_VARIABLE_BYTES} are possible "
                "(a tuple takes 10, a limited random one twice its size and 4)"
            )

    def draw(self) -> None:
        """A variable draws from the state of the stream."""
        self.hold(0 if self._draws else _SEED_BYTES)
        self._draws = True

    def variable(self, name: str) -> _Variable:
        if name not in self._variables:
            raise failed(
                f"variable '{name}' is not defined; the program defines {', '.join(self._variables) or 'none'}"
            )
        return self._variables[name]

    def chain(self, name: str, next_var: str | None) -> None:
        """The instruction that comes next advances `next_var`, which may be defined later, when its variable wraps."""
        if next_var is not None:
            self._chains[len(self.ops)] = (name, next_var)

    def link_chains(self) -> None:
        """Fill in what advances what, once all variables are known."""
        for number, (name, next_var) in self._chains.items():
            variable = self._variables.get(next_var)
            if variable is None:
                raise failed(f"variable '{name}' advances '{next_var}', which is not defined")
            self.ops[number] = replace(self.ops[number], has_next=True, next_var=variable.index)

    def check_span(self, offset: int, size: int) -> None:
        if offset + size > self.packet_bytes:
            raise failed(f"bytes {offset} to {offset + size - 1} are outside the packet of {self.packet_bytes} bytes")


def _flow_var(program: _Program, source: FlowVarJson) -> None:
    program.chain(source.name, source.next_var)
    program.hold(source.size)
    if source.op == "random":
        program.draw()
    if source.value_list is not None:
        values = tuple(reversed(source.value_list) if source.op == "dec" else source.value_list)
        index = program.define(source.name, source.size, min(values), max(values), sum(values) / len(values))
        kind = VarKind.RANDOM_LIST if source.op == "random" else VarKind.LIST
        program.ops.append(Op(OpKind.VAR, var=index, size=source.size, var_kind=kind, step=source.step, list=values))
        return
    low, high = source.min_value or 0, source.max_value or 0
    index = program.define(source.name, source.size, low, high, (low + high) / 2)
    first = source.init_value or 0
    kind = {"inc": VarKind.INC, "dec": VarKind.DEC, "random": VarKind.RANDOM}[source.op]
    program.ops.append(
        Op(OpKind.VAR, var=index, size=source.size, var_kind=kind, min=low, max=high, init=first, step=source.step)
    )


def _rand_limit(program: _Program, source: FlowVarRandLimitJson) -> None:
    program.chain(source.name, source.next_var)
    program.hold(2 * source.size + _SEED_BYTES)
    low, high = source.min_value, source.max_value
    index = program.define(source.name, source.size, low, high, (low + high) / 2)
    program.ops.append(
        Op(
            OpKind.VAR,
            var=index,
            size=source.size,
            var_kind=VarKind.RAND_LIMIT,
            min=low,
            max=high,
            init=low,
            limit=source.limit,
            seed=source.seed & 0xFFFF_FFFF,
        )
    )


def _tuple(program: _Program, source: TupleFlowVarJson) -> None:
    program.hold(_TUPLE_BYTES)
    address = program.define(f"{source.name}.ip", 4, source.ip_min, source.ip_max, 0)
    port = program.define(f"{source.name}.port", 2, source.port_min, source.port_max, 0)
    program.ops.append(
        Op(
            OpKind.TUPLE,
            var=address,
            var2=port,
            size=4,
            min=source.ip_min,
            max=source.ip_max,
            init=source.ip_min,
            min2=source.port_min,
            max2=source.port_max,
            unlimited=bool(source.flags & _UNLIMITED_FLOWS),
            limit=source.limit_flows,
        )
    )


def _write(program: _Program, source: WriteJson) -> None:
    variable = program.variable(source.name)
    program.check_span(source.pkt_offset, variable.size)
    program.ops.append(_written(OpKind.WRITE, variable, source, variable.size))


def _write_mask(program: _Program, source: WriteMaskJson) -> None:
    variable = program.variable(source.name)
    # A little-endian one writes what the variable has, as the core explains at WS_OP_WRITE_MASK.
    written = source.pkt_cast_size if source.is_big_endian else min(variable.size, 4)
    program.check_span(source.pkt_offset, written)
    op = _written(OpKind.WRITE_MASK, variable, source, source.pkt_cast_size)
    program.ops.append(replace(op, mask=source.mask, shift=source.shift))


def _written(kind: OpKind, variable: _Variable, source: WriteJson | WriteMaskJson, size: int) -> Op:
    big_endian, offset = source.is_big_endian, source.pkt_offset
    return Op(kind, var=variable.index, size=size, big_endian=big_endian, offset=offset, add=source.add_value)


def _trim(program: _Program, source: TrimJson) -> None:
    variable = program.variable(source.name)
    if variable.low < PADDED_BYTES or variable.high > program.packet_bytes:
        raise failed(
            f"variable '{source.name}' goes from {variable.low} to {variable.high}; "
            f"this packet can be {PADDED_BYTES} to {program.packet_bytes} bytes long"
        )
    program.trimmed_to = variable.mean
    program.ops.append(Op(OpKind.TRIM, var=variable.index, size=variable.size))


def _fix_ipv4(program: _Program, source: FixIpv4Json) -> None:
    program.check_span(source.pkt_offset, 20)
    program.ops.append(Op(OpKind.FIX_IP4, offset=source.pkt_offset))


def _fix_hardware(program: _Program, source: FixHardwareJson) -> None:
    l4 = source.l2_len + source.l3_len
    program.check_span(l4, _L4_BYTES[source.l4_type])
    program.ops.append(
        Op(OpKind.FIX_L4, offset=source.l2_len, l2_len=source.l2_len, l3_len=source.l3_len, l4=source.l4_type)
    )


def _fix_icmpv6(program: _Program, source: FixIcmpv6Json) -> None:
    program.check_span(source.l2_len + source.l3_len, 4)
    program.ops.append(Op(OpKind.FIX_ICMP6, offset=source.l2_len, l2_len=source.l2_len, l3_len=source.l3_len))


_TRANSLATORS: dict[type, Callable[[_Program, Any], None]] = {
    FlowVarJson: _flow_var,
    FlowVarRandLimitJson: _rand_limit,
    TupleFlowVarJson: _tuple,
    WriteJson: _write,
    WriteMaskJson: _write_mask,
    TrimJson: _trim,
    FixIpv4Json: _fix_ipv4,
    FixHardwareJson: _fix_hardware,
    FixIcmpv6Json: _fix_icmpv6,
}
