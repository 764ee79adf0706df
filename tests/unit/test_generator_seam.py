"""The Python side of the generator's seam says the same as native/include/wirespeed.h."""

from __future__ import annotations

from dataclasses import fields
from types import ModuleType
from typing import Any

import pytest

from wirespeed._native.flow_records import (
    FLOWS,
    HISTOGRAM_BOUNDS_US,
    LATENCY_FLOWS,
    MAX_CAPTURES,
    CaptureWhat,
    FlowCounters,
    FlowFaults,
    FlowKind,
    LatencyCounters,
    ProfileState,
)
from wirespeed._native.generator import FrameKinds, PortTraffic, WorkerLoad
from wirespeed._native.stream_records import MAX_PACKET_BYTES, Op, OpKind, Stream, StreamMode, VarKind
from wirespeed._native.stream_rows import StreamRows
from wirespeed.cli.generator import MAX_MTU
from wirespeed.cpus import MAX_WORKERS
from wirespeed.model import MAX_QUEUES
from wirespeed.seam.ports import PortInfo, PortMedium


@pytest.fixture(scope="module")
def native() -> ModuleType:
    module: ModuleType = pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
    return module


def field_names(native: Any, struct: str) -> set[str]:
    return {name for name, _ in native.ffi.typeof(struct).fields}


@pytest.mark.parametrize(
    ("record", "struct", "more"),
    [
        (Op, "struct ws_op", {"list_count"}),
        (Stream, "struct ws_stream", {"packet_len", "op_count"}),
        (PortInfo, "struct ws_port_info", set()),
        (PortTraffic, "struct ws_generator_port", set()),
        (FrameKinds, "struct ws_frame_kinds", set()),
        (WorkerLoad, "struct ws_generator_worker", set()),
        (FlowCounters, "struct ws_flow", set()),
        (LatencyCounters, "struct ws_latency", {"hdr_first", "hdr_end"}),
        (FlowFaults, "struct ws_flow_faults", set()),
        (ProfileState, "struct ws_profile_state", set()),
    ],
)
def test_records_have_the_fields_of_their_structs(native: Any, record: Any, struct: str, more: set[str]) -> None:
    assert {field.name for field in fields(record)} | more == field_names(native, struct)


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        (OpKind, "WS_OP_"),
        (VarKind, "WS_VAR_"),
        (StreamMode, "WS_"),
        (FlowKind, "WS_FLOW_"),
        (CaptureWhat, "WS_CAPTURE_"),
        (PortMedium, "WS_MEDIUM_"),
    ],
)
def test_numbers_are_those_of_the_header(native: Any, kind: Any, prefix: str) -> None:
    assert {member: member.value for member in kind} == {
        member: getattr(native.lib, prefix + member.name) for member in kind
    }


def test_the_longest_packet_fits_the_largest_mtu() -> None:
    assert MAX_PACKET_BYTES == MAX_MTU + 14 + 8  # in two tags


def test_limits_are_those_of_the_header(native: Any) -> None:
    lib = native.lib
    assert (FLOWS, LATENCY_FLOWS, MAX_CAPTURES) == (lib.WS_FLOWS, lib.WS_LATENCY_FLOWS, lib.WS_MAX_CAPTURES)
    assert (MAX_WORKERS, MAX_QUEUES) == (lib.WS_MAX_WORKERS, lib.WS_MAX_QUEUES)
    assert len(HISTOGRAM_BOUNDS_US) == lib.WS_LATENCY_BINS


def test_rows_hold_what_the_records_say(native: Any) -> None:
    """Every field, each with a value of its own, read back member by member."""
    program = (
        Op(
            *(OpKind.WRITE_MASK, 1, 2, 4, False, VarKind.DEC, 5, 6, 7, 8, 9, 10, True, 11, 12, (13, 1 << 63)),
            *(True, 14, 15),
            *(-16, 17, -18, 19, 20, 21),
        ),
        Op(OpKind.FIX_IP4, offset=14),
    )
    streams = [
        Stream(
            *(7, b"first packet", False, False, True, StreamMode.MULTI_BURST, 0.5, True, 1, 2, 3.5, 4.5, -1, 6, program)
        ),
        Stream(8, b"second", cache=9, random_seed=10, is_null=True, flow_kind=FlowKind.STATS, flow_id=11, ops=program),
        Stream(9, b"", next_id=1 << 32, flow_signature=True),
    ]
    packed = StreamRows(streams)
    rows = packed.structs
    for number, stream in enumerate(streams):
        row = rows[number]
        assert bytes(native.ffi.buffer(row.packet, row.packet_len)) == stream.packet
        assert plain(row, stream, "packet", "ops") == plain(stream, stream, "packet", "ops")
        assert row.op_count == len(stream.ops)
        for index, op in enumerate(stream.ops):
            assert plain(row.ops[index], op, "list") == plain(op, op, "list")
            assert list(row.ops[index].list[0 : row.ops[index].list_count]) == list(op.list)
    assert rows[0].ops == rows[1].ops
    assert not rows[2].ops


def plain(source: Any, record: Any, *without: str) -> dict[str, Any]:
    return {one.name: getattr(source, one.name) for one in fields(record) if one.name not in without}
