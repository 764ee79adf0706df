"""Streams as the generator's core takes them. Names are those of native/include/wirespeed/streams.h."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from wirespeed._native.flow_records import FlowKind


class OpKind(enum.IntEnum):
    VAR = 0
    TUPLE = 1
    WRITE = 2
    WRITE_MASK = 3
    TRIM = 4
    FIX_IP4 = 5
    FIX_L4 = 6
    FIX_ICMP6 = 7


class VarKind(enum.IntEnum):
    INC = 0
    DEC = 1
    RANDOM = 2
    RAND_LIMIT = 3
    LIST = 4
    RANDOM_LIST = 5


class StreamMode(enum.IntEnum):
    CONTINUOUS = 0
    SINGLE_BURST = 1
    MULTI_BURST = 2


MAX_PACKET_BYTES = 9238
"""Longest packet without FCS."""


@dataclass(frozen=True)
class Op:
    """One instruction of a field program; variables are numbered from 0."""

    kind: OpKind
    var: int = 0
    var2: int = 0
    size: int = 0
    big_endian: bool = True
    var_kind: VarKind = VarKind.INC
    min: int = 0
    max: int = 0
    init: int = 0
    step: int = 1
    min2: int = 0
    max2: int = 0
    unlimited: bool = False
    limit: int = 0
    seed: int = 0
    list: tuple[int, ...] = ()
    has_next: bool = False
    next_var: int = 0
    offset: int = 0
    add: int = 0
    mask: int = 0
    shift: int = 0
    l2_len: int = 0
    l3_len: int = 0
    l4: int = 0


@dataclass(frozen=True)
class Stream:
    """One stream; `rate_pps` is at factor 1, `packet` without FCS."""

    id: int
    packet: bytes
    enabled: bool = True
    self_start: bool = True
    start_paused: bool = False
    mode: StreamMode = StreamMode.CONTINUOUS
    rate_pps: float = 1.0
    fixed_rate: bool = False
    packets: int = 0
    bursts: int = 0
    burst_gap_us: float = 0.0
    start_delay_us: float = 0.0
    next_id: int = -1
    loops: int = 0
    ops: tuple[Op, ...] = ()
    cache: int = 0
    pinned: int = 0
    """To the port's core number `pinned` - 1; 0: to none."""
    random_seed: int = 0
    is_null: bool = False
    flow_kind: FlowKind = FlowKind.NONE
    flow_id: int = 0
    flow_signature: bool = False
