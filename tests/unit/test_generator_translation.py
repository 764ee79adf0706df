"""Stream JSON to native streams: supported fields, and refusals with a reason."""

from __future__ import annotations

import base64
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import Op, OpKind, StreamMode, VarKind
from wirespeed.generator.rpc import BAD_PARAMETERS, EXECUTION_FAILED, RpcError
from wirespeed.generator.translation import Addresses, Translated, at_start, checked_stream, translate
from wirespeed.profiles import load_profile

RECORDED = json.loads((Path(__file__).parent / "data" / "trex_client_streams.json").read_text())
PORT = Addresses(src=bytes.fromhex("020000000001"), dst=bytes.fromhex("020000000002"))


def stream_json(*instructions: dict[str, Any], size: int = 60, **fields: Any) -> dict[str, Any]:
    return {
        "enabled": True,
        "self_start": True,
        "isg": 0.0,
        "flags": 0,
        "action_count": 0,
        "next_stream_id": -1,
        "mode": {"type": "continuous", "rate": {"type": "pps", "value": 1}},
        "packet": {
            "binary": base64.b64encode(bytes(range(size % 256)) + bytes(size - size % 256)).decode(),
            "meta": "",
        },
        "vm": {"instructions": list(instructions)},
        "flow_stats": {"enabled": False},
    } | fields


def flow_var(name: str = "a", **fields: Any) -> dict[str, Any]:
    counter = {"type": "flow_var", "name": name, "size": 2, "op": "inc", "step": 1, "split_to_cores": True}
    return counter | {"min_value": 0, "max_value": 100, "init_value": 0, "next_var": None} | fields


def write(name: str = "a", offset: int = 20, **fields: Any) -> dict[str, Any]:
    return {
        "type": "write_flow_var",
        "name": name,
        "pkt_offset": offset,
        "add_value": 0,
        "is_big_endian": True,
    } | fields


def understood(*instructions: dict[str, Any], **fields: Any) -> Translated:
    return translate(5, checked_stream(stream_json(*instructions, **fields)))


def refusal(stream: dict[str, Any]) -> RpcError:
    with pytest.raises(RpcError) as caught:
        translate(5, checked_stream(stream))
    assert caught.value.specific
    return caught.value


def test_every_recorded_stream_of_the_client_is_understood() -> None:
    streams = RECORDED["api"] + [one["stream"] for row in RECORDED["bench"] for one in row["streams"]]
    for number, stream in enumerate(streams):
        assert translate(number, checked_stream(stream)).stream.id == number


@pytest.mark.parametrize("vm", ["none", "var1", "var2", "random", "tuple", "size", "cached"])
@pytest.mark.parametrize("size", ["1514", "imix"])
def test_every_built_in_is_understood(vm: str, size: str) -> None:
    tunables = {"vm": vm} if vm == "size" else {"vm": vm, "size": size}
    for loaded in load_profile("bench", tunables, 0, 0):
        translated = translate(loaded["stream_id"], checked_stream(loaded["stream"]))
        assert translated.stream.cache == (255 if vm == "cached" else 0)


def test_bench_var2_program() -> None:
    (loaded,) = load_profile("bench", {"vm": "var2"}, 0, 0)
    translated = translate(1, checked_stream(loaded["stream"]))
    low, high = 0x10000004, 0x100000FE
    far, farther = 0x30000004, 0x300000FE
    assert translated.stream.ops == (
        Op(OpKind.VAR, var=0, size=4, var_kind=VarKind.INC, min=low, max=high, init=low),
        Op(OpKind.VAR, var=1, size=4, var_kind=VarKind.INC, min=far, max=farther, init=far),
        Op(OpKind.WRITE, var=0, size=4, offset=26),
        Op(OpKind.WRITE, var=1, size=4, offset=30),
        Op(OpKind.FIX_IP4, offset=14),
    )
    assert translated.mean_frame_bytes == 64


def test_variables_count_down() -> None:
    assert understood(flow_var(op="dec", init_value=7, step=3)).stream.ops[0] == Op(
        OpKind.VAR, var=0, size=2, var_kind=VarKind.DEC, min=0, max=100, init=7, step=3
    )


def test_value_lists_run_forward_backward_and_at_random() -> None:
    def listed(op: str) -> tuple[VarKind, tuple[int, ...]]:
        source = {"type": "flow_var", "name": "a", "size": 2, "op": op, "step": 1, "value_list": [1, 5, 9]}
        made = understood(source).stream.ops[0]
        return made.var_kind, made.list

    assert listed("inc") == (VarKind.LIST, (1, 5, 9))
    assert listed("dec") == (VarKind.LIST, (9, 5, 1))
    assert listed("random") == (VarKind.RANDOM_LIST, (1, 5, 9))


def test_variables_are_bounded_by_what_they_take_together() -> None:
    """T-Rex's limit: 64 bytes, whatever the number of variables."""
    assert len(understood(*(flow_var(str(n), size=1) for n in range(64))).stream.ops) == 64
    assert len(understood(*(flow_var(str(n), size=2, op="random") for n in range(30))).stream.ops) == 30
    limited = {"type": "flow_var_rand_limit", "size": 8, "limit": 5, "seed": 1, "min_value": 0, "max_value": 9}
    tuple_ = {"type": "tuple_flow_var", "ip_min": 1, "ip_max": 9, "port_min": 1, "port_max": 9}
    tuple_ |= {"limit_flows": 0, "flags": 0}
    for most, one in ((32, flow_var()), (30, flow_var(op="random")), (3, limited), (6, tuple_)):
        fault = understood(*({**one, "name": str(n)} for n in range(most + 1))).fault
        assert "too many variables" in fault and f"instruction {most} " in fault


def test_tuple_takes_two_variables() -> None:
    fields = {"ip_min": 1, "ip_max": 9, "port_min": 1025, "port_max": 2048, "limit_flows": 100, "flags": 0}
    instructions = [{"type": "tuple_flow_var", "name": "t", **fields}, write("t.port", 34), write("t.ip", 26)]
    tuple_op, port, address = understood(*instructions).stream.ops
    assert (tuple_op.var, tuple_op.var2, tuple_op.min, tuple_op.max) == (0, 1, 1, 9)
    assert (tuple_op.min2, tuple_op.max2, tuple_op.limit) == (1025, 2048, 100)
    assert (port.var, port.size, address.var, address.size) == (1, 2, 0, 4)
    assert not tuple_op.unlimited
    instructions[0]["flags"] = 1
    assert understood(*instructions).stream.ops[0].unlimited


def test_masked_write_checksums_and_random_lists() -> None:
    ops = understood(
        {"type": "flow_var_rand_limit", "name": "r", "size": 2, "limit": 50, "seed": 7, "min_value": 3, "max_value": 9},
        {
            "type": "write_mask_flow_var",
            "name": "r",
            "pkt_offset": 36,
            "pkt_cast_size": 2,
            "mask": 0xFF0,
            "shift": -4,
            "add_value": -1,
            "is_big_endian": False,
        },
        {"type": "fix_checksum_hw", "l2_len": 14, "l3_len": 20, "l4_type": 11},
        {"type": "fix_checksum_icmpv6", "l2_len": 14, "l3_len": 40},
    ).stream.ops
    assert ops == (
        Op(OpKind.VAR, size=2, var_kind=VarKind.RAND_LIMIT, min=3, max=9, init=3, limit=50, seed=7),
        Op(OpKind.WRITE_MASK, size=2, big_endian=False, offset=36, add=-1, mask=0xFF0, shift=-4),
        Op(OpKind.FIX_L4, offset=14, l2_len=14, l3_len=20, l4=11),
        Op(OpKind.FIX_ICMP6, offset=14, l2_len=14, l3_len=40),
    )


def test_trim_makes_the_mean_size() -> None:
    size = flow_var(op="random", init_value=60, min_value=60, max_value=120)
    translated = understood(size, {"type": "trim_pkt_size", "name": "a"}, size=124)
    assert translated.stream.ops[1] == Op(OpKind.TRIM, var=0, size=2)
    assert translated.mean_frame_bytes == 94


def test_short_packets_count_as_padded() -> None:
    assert understood(size=20).mean_frame_bytes == 64
    assert understood(size=1510).mean_frame_bytes == 1514


def test_modes_and_chains() -> None:
    rate = {"type": "pps", "value": 10}
    single = understood(mode={"type": "single_burst", "rate": rate, "total_pkts": 100}, next_stream_id=7).stream
    assert (single.mode, single.packets, single.bursts, single.next_id) == (StreamMode.SINGLE_BURST, 100, 1, 7)
    mode = {"type": "multi_burst", "rate": rate, "pkts_per_burst": 10, "count": 5, "ibg": 50000.0}
    multi = understood(mode=mode, action_count=3, isg=2.5, self_start=False, start_paused=True).stream
    assert (multi.mode, multi.packets, multi.bursts, multi.burst_gap_us) == (StreamMode.MULTI_BURST, 10, 5, 50000.0)
    assert (multi.loops, multi.start_delay_us, multi.self_start, multi.start_paused) == (3, 2.5, False, True)


@pytest.mark.parametrize(
    ("flags", "dst", "src"),
    [
        (0, PORT.dst, PORT.src),
        (1, PORT.dst, bytes(range(6, 12))),
        (2, bytes(range(6)), PORT.src),
        (3, bytes(range(6)), bytes(range(6, 12))),
        (4, PORT.dst, PORT.src),
    ],
)
def test_addresses_are_the_ports_unless_the_packet_brings_its_own(flags: int, dst: bytes, src: bytes) -> None:
    source = checked_stream(stream_json(flags=flags))
    packet = at_start(translate(1, source), source, PORT, 1.0, None).packet
    assert packet == dst + src + bytes(range(12, 60))


def test_latency_streams_keep_their_rate() -> None:
    flow = {"enabled": True, "stream_id": 8, "rule_type": "latency", "vxlan": False, "ieee_1588": False}
    latency = checked_stream(stream_json(flow_stats=flow))
    stream = at_start(translate(1, latency), latency, PORT, 1.0, 3)
    assert (stream.fixed_rate, stream.flow_kind, stream.flow_id) == (True, FlowKind.LATENCY, 3)
    counted = checked_stream(stream_json(flow_stats=flow | {"rule_type": "stats"}))
    stream = at_start(translate(1, counted), counted, PORT, 1.0, 3)
    assert (stream.fixed_rate, stream.flow_kind) == (False, FlowKind.STATS)


@pytest.mark.parametrize(
    ("instructions", "said"),
    [
        ([write("b")], "variable 'b' is not defined; the program defines none"),
        ([flow_var(), write("b")], "the program defines a"),
        ([flow_var(), flow_var()], "defined twice"),
        ([flow_var(str(n)) for n in range(33)], "too many variables: they take 66 bytes, 64 are possible"),
        ([flow_var(), write(offset=59)], "outside the packet of 60 bytes"),
        ([flow_var(size=8), write(offset=53)], "bytes 53 to 60 are outside"),
        ([flow_var(), {"type": "trim_pkt_size", "name": "a"}], "can be 60 to 60 bytes long"),
        ([{"type": "fix_checksum_ipv4", "pkt_offset": 41}], "bytes 41 to 60 are outside"),
        ([{"type": "fix_checksum_hw", "l2_len": 14, "l3_len": 40, "l4_type": 11}], "bytes 54 to 61 are outside"),
        ([{"type": "fix_checksum_icmpv6", "l2_len": 17, "l3_len": 40}], "bytes 57 to 60 are outside"),
    ],
)
def test_programs_that_mean_nothing_have_a_fault(instructions: list[dict[str, Any]], said: str) -> None:
    made = understood(*instructions)
    assert said in made.fault and made.fault.startswith(f"instruction {len(instructions) - 1} (")
    assert not made.stream.ops


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        (flow_var(min_value=5, max_value=4), "VM: requested flow var max value: '4' is smaller than min value: 5"),
        (flow_var(max_value=65536), "VM: requested value is bigger than 65535"),
        (flow_var(step=65536), "VM: requested value is bigger than 65535"),
        (
            flow_var(init_value=101),
            "VM: requested flow var init value: '101' should be in range from min value '0' to max value '100'",
        ),
        (flow_var(step=0), "VM: step cannot be 0"),
        (flow_var(value_list=[1, 2], step=3), "VM: step cannot be bigger than list size"),
        (flow_var(value_list=[65536]), "VM: requested value is bigger than 65535"),
    ],
)
def test_values_that_a_variable_cannot_have(instruction: dict[str, Any], said: str) -> None:
    error = refusal(stream_json(write("nobody"), instruction))
    assert (error.code, error.specific) == (EXECUTION_FAILED, said)


def test_a_list_may_be_longer_than_that_of_a_trex() -> None:
    """A load of a full table has 65 536 of its routes, one more than T-Rex accepts."""
    values = list(range(65_536))
    listed = flow_var(size=4, value_list=values, max_value=(1 << 32) - 1)
    assert len(understood(listed, write(pkt_offset=26)).stream.ops[0].list) == len(values)


@pytest.mark.parametrize("missing", ["add_value", "is_big_endian", "step", "init_value", "min_value", "max_value"])
def test_fields_of_instructions_that_are_missing(missing: str) -> None:
    instruction = write() if missing in write() else flow_var()
    del instruction[missing]
    assert refusal(stream_json(instruction)).specific == f"field '{missing}' value is null"


@pytest.mark.parametrize("value", [1 << 31, -(1 << 31) - 1])
def test_what_is_added_has_32_bits(value: int) -> None:
    assert refusal(stream_json(flow_var(), write(add_value=value))).specific == "'add_value' is 'int', expecting 'int'"
    assert understood(flow_var(), write(add_value=(1 << 31) - 1)).stream.ops[1].add == (1 << 31) - 1


def test_chained_variables_may_be_defined_in_any_order() -> None:
    source = checked_stream(stream_json(flow_var("a", next_var="c"), flow_var("b"), flow_var("c", next_var="b")))
    ops = translate(1, source).stream.ops
    assert [(op.var, op.has_next, op.next_var) for op in ops] == [(0, True, 2), (1, False, 0), (2, True, 1)]
    ops = understood(flow_var("a", op="random", next_var="b"), flow_var("b")).stream.ops
    assert [(op.var_kind, op.has_next, op.next_var) for op in ops] == [
        (VarKind.RANDOM, True, 1),
        (VarKind.INC, False, 0),
    ]
    assert understood(flow_var("a", next_var="z")).fault == "variable 'a' advances 'z', which is not defined"


def test_null_streams_need_no_packet() -> None:
    assert translate(1, checked_stream(stream_json(flags=8, size=0))).stream.is_null


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"size": 13}, "Should be between 14 and 9238"),
        ({"size": 9239}, "Should be between 14 and 9238"),
        (
            {"packet": {"binary": "not base64", "meta": ""}},
            "Bad packet size provided: 2. Should be between 14 and 9238",
        ),
    ],
)
def test_streams_that_cannot_be_sent(fields: dict[str, Any], said: str) -> None:
    error = refusal(stream_json(**fields))
    assert error.code == EXECUTION_FAILED
    assert said in str(error.specific)


@pytest.mark.parametrize("missing", sorted(set(stream_json())))
def test_required_fields_are_named(missing: str) -> None:
    stream = stream_json()
    del stream[missing]
    error = refusal(stream)
    assert (error.code, error.specific) == (BAD_PARAMETERS, f"field '{missing}' value is null")


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("enabled",), 1, "enabled"),
        (("isg",), -1, "isg"),
        (("isg",), "1", "isg"),
        (("flags",), 1.5, "flags"),
        (("next_stream_id",), -2, "next_stream_id"),
        (("mode", "type"), "forever", "forever"),
        (("mode", "rate", "type"), "kpps", "type"),
        (("mode", "rate", "value"), -1, "value"),
        (("mode", "rate", "value"), float("inf"), "mode.continuous.rate.value"),
        (("mode", "rate"), None, "rate"),
        (("packet", "binary"), 5, "packet.binary"),
        (("vm", "instructions"), {}, "instructions"),
        (("vm", "instructions"), [{"type": "jump"}], "type"),
        (("vm", "instructions"), [{}], "type"),
        (("vm", "instructions"), [flow_var(size=3)], "size"),
        (("vm", "instructions"), [flow_var(max_value=1 << 64)], "max_value"),
        (("vm", "instructions"), [flow_var(max_value=None)], "max_value"),
        (("flow_stats", "enabled"), "yes", "enabled"),
    ],
)
def test_wrong_values_name_their_field(path: tuple[str, ...], value: object, field: str) -> None:
    stream = stream_json()
    target: Any = stream
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    error = refusal(stream)
    assert error.code == BAD_PARAMETERS
    assert f"'{field}'" in str(error.specific)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 1 << 70) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_whatever_replaces_a_part_is_understood_or_refused(data: st.DataObject) -> None:
    stream = copy.deepcopy(data.draw(st.sampled_from(RECORDED["api"])))
    spots = list(_spots(stream))
    container, key = data.draw(st.sampled_from(spots))
    container[key] = data.draw(JSON_VALUES)
    try:
        translated = translate(1, checked_stream(stream))
    except RpcError as error:
        assert error.specific
    else:
        assert translated.mean_frame_bytes >= 64


def _spots(value: Any) -> Any:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _spots(value[key])


def test_streams_with_one_program_share_it_and_its_faults_are_told_each_time() -> None:
    one, same = understood(flow_var(), write()), understood(flow_var(), write())
    assert one.stream.ops is same.stream.ops
    assert understood(flow_var(max_value=101), write()).stream.ops != one.stream.ops
    assert understood(flow_var(), write(), size=100).stream.ops == one.stream.ops
    for _ in range(2):
        assert "outside the packet of 60 bytes" in understood(flow_var(), write(offset=80)).fault
        with pytest.raises(RpcError, match=r"field 'size' can only be one of"):
            understood(flow_var(size=3), write())


def test_bursts_without_a_count_follow_themselves() -> None:
    mode = {"type": "multi_burst", "rate": {"type": "pps", "value": 1.0}, "pkts_per_burst": 5, "count": 0, "ibg": 10.0}
    stream = translate(7, checked_stream(stream_json() | {"mode": mode})).stream
    assert (stream.next_id, stream.loops, stream.bursts) == (7, 0, (1 << 32) - 1)
