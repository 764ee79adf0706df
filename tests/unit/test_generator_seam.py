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
    Flow,
    FlowFaults,
    FlowKind,
    Latency,
    ProfileState,
)
from wirespeed._native.generator import (
    MAX_PACKET_BYTES,
    Op,
    OpKind,
    PortTraffic,
    Stream,
    StreamMode,
    VarKind,
    WorkerLoad,
)


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
        (PortTraffic, "struct ws_generator_port", set()),
        (WorkerLoad, "struct ws_generator_worker", set()),
        (Flow, "struct ws_flow", set()),
        (Latency, "struct ws_latency", set()),
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
    ],
)
def test_numbers_are_those_of_the_header(native: Any, kind: Any, prefix: str) -> None:
    assert {member: member.value for member in kind} == {
        member: getattr(native.lib, prefix + member.name) for member in kind
    }


def test_longest_packet_leaves_room_for_the_fcs(native: Any) -> None:
    assert MAX_PACKET_BYTES == native.lib.WS_PACKET_LEN - 4


def test_limits_are_those_of_the_header(native: Any) -> None:
    lib = native.lib
    assert (FLOWS, LATENCY_FLOWS, MAX_CAPTURES) == (lib.WS_FLOWS, lib.WS_LATENCY_FLOWS, lib.WS_MAX_CAPTURES)
    assert len(HISTOGRAM_BOUNDS_US) == lib.WS_LATENCY_BINS
