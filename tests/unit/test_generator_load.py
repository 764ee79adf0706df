"""Load arithmetic: rates of streams, timelines of profiles, factors from multipliers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.generator.load import (
    LoadMultiplier,
    PortRates,
    Timeline,
    check_line_rate,
    new_factor,
    parse_multiplier,
    stream_pps,
    timeline,
)
from wirespeed.generator.rpc import RpcError
from wirespeed.generator.translation import translate
from wirespeed.profiles import load_profile
from wirespeed.profiles.stream_json import RateJson, parse_stream

TEN_G = 10_000_000_000
PACKET = bytes(60)


def bench(**tunables: str) -> Timeline:
    streams, means = [], {}
    for loaded in load_profile("bench", tunables, 0, 0):
        source = parse_stream(loaded["stream"])
        translated = translate(loaded["stream_id"], source)
        means[loaded["stream_id"]] = translated.mean_frame_bytes
        pps = stream_pps(source.mode.rate, translated.mean_frame_bytes, TEN_G)
        streams.append(Stream(**(vars(translated.stream) | {"rate_pps": pps})))
    return timeline(streams, means)


def one_flow(pps: float = 1.0, frame: float = 64.0, **fields: Any) -> Timeline:
    return timeline([Stream(1, PACKET, rate_pps=pps, **fields)], {1: frame})


def burst(number: int, packets: int, **fields: Any) -> Stream:
    mode = StreamMode.MULTI_BURST if fields.get("bursts", 1) > 1 else StreamMode.SINGLE_BURST
    return Stream(number, PACKET, mode=mode, packets=packets, **({"bursts": 1, "rate_pps": 1000.0} | fields))


def own_rates(streams: list[Stream], frames: dict[int, float]) -> Timeline:
    """With the own rates of short bursts, not T-Rex's."""
    return timeline(streams, frames, own_burst_rates=True)


def factor(value: float, kind: str, op: str = "abs", current: float = 1.0, loads: Timeline | None = None) -> float:
    return new_factor(LoadMultiplier(kind, op, value), current, loads or one_flow(), TEN_G)


@pytest.mark.parametrize(
    ("rate", "frame", "pps"),
    [
        (("pps", 1000), 64, 1000),
        (("bps_L2", 512_000), 64, 1000),
        (("bps_L1", 672_000), 64, 1000),
        (("percentage", 100), 64, 14_880_952.38),
        (("percentage", 50), 1514, 407_431.55),
    ],
)
def test_rate_of_a_stream(rate: tuple[Any, float], frame: float, pps: float) -> None:
    assert stream_pps(RateJson(type=rate[0], value=rate[1]), frame, TEN_G) == pytest.approx(pps)


def test_percent_needs_a_line() -> None:
    with pytest.raises(RpcError, match="Effective bandwidth is zero"):
        stream_pps(RateJson(type="percentage", value=1), 64, 0)
    with pytest.raises(RpcError, match="Effective bandwidth is zero"):
        new_factor(LoadMultiplier("percentage", "abs", 50), 1.0, one_flow(), 0)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (3, "raw", 3),
        (14_880_952, "pps", 14_880_952),
        (512_000, "bps", 1000),
        (672_000, "bpsl1", 1000),
        (100, "percentage", 14_880_952.38),
        (10, "percentage", 1_488_095.238),
    ],
)
def test_absolute_multipliers_of_one_64_byte_flow(value: float, kind: str, expected: float) -> None:
    assert factor(value, kind) == pytest.approx(expected)


def test_changes_as_a_recorded_session_saw_them() -> None:
    assert factor(10_000, "pps") == 10_000
    assert factor(20_000, "pps") == 20_000
    assert factor(50, "percentage", "add", current=20_000) == 30_000
    assert factor(1000, "pps", "sub", current=30_000) == 29_000


def test_raw_changes_move_the_factor() -> None:
    assert factor(2, "raw", "add", current=3) == 5
    assert factor(50, "percentage", "sub", current=3) == 1.5


def test_imix_at_line_rate_is_the_articles_figure() -> None:
    loads = bench(size="imix", vm="var2")
    at_line = loads.peak(new_factor(LoadMultiplier("percentage", "abs", 100), 1.0, loads, TEN_G))
    assert at_line.pps == pytest.approx(3_268_000, rel=1e-3)
    assert at_line.l1_bps == pytest.approx(TEN_G)


def test_trimmed_sizes_count_with_their_mean() -> None:
    assert bench(vm="size").peak(1.0).l2_bps == pytest.approx((60 + 9212) / 2 * 8 + 32)


def test_latency_streams_are_in_the_total_and_not_moved() -> None:
    streams = [Stream(1, PACKET, rate_pps=1.0), Stream(2, PACKET, rate_pps=1000.0, fixed_rate=True)]
    loads = timeline(streams, {1: 64.0, 2: 64.0})
    moved = new_factor(LoadMultiplier("pps", "abs", 5000), 1.0, loads, TEN_G)
    assert moved == pytest.approx(4000)
    assert loads.peak(moved).pps == pytest.approx(5000)
    with pytest.raises(RpcError, match="enforces a minimum rate of '1000 pps'"):
        new_factor(LoadMultiplier("pps", "abs", 900), 1.0, loads, TEN_G)


@pytest.mark.parametrize("kind", ["pps", "bps", "bpsl1", "percentage"])
def test_latency_streams_alone_are_not_moved_by_any_multiplier(kind: str) -> None:
    loads = timeline([Stream(2, PACKET, rate_pps=1000.0, fixed_rate=True)], {2: 64.0})
    moved = new_factor(LoadMultiplier(kind, "abs", 50), 1.0, loads, TEN_G)
    assert (moved, loads.peak(moved).pps) == (1.0, 1000)


@pytest.mark.parametrize(
    ("others", "as_trex", "own"),
    [((), 500, 0.5), ((Stream(2, PACKET, rate_pps=100.0),), 500 / 101, 500 / 1100)],
    ids=["alone", "beside 100 pps"],
)
def test_short_bursts_weigh_as_little_as_for_a_trex_or_their_own_rate(
    others: tuple[Stream, ...], as_trex: float, own: float
) -> None:
    streams, frames = [burst(1, 20), *others], {1: 64.0, 2: 64.0}
    wanted = LoadMultiplier("pps", "abs", 500)
    assert new_factor(wanted, 1.0, timeline(streams, frames), TEN_G) == pytest.approx(as_trex)
    assert new_factor(wanted, 1.0, own_rates(streams, frames), TEN_G) == pytest.approx(own)


def test_a_short_burst_weighs_14_bytes_a_second_and_one_of_1000_packets_its_rate() -> None:
    frames = {1: 64.0}
    assert timeline([burst(1, 999)], frames).peak(1.0) == PortRates(1, 112)
    assert timeline([burst(1, 1000)], frames).peak(1.0) == PortRates(1000, 512_000)
    assert timeline([burst(1, 20, fixed_rate=True)], frames).peak(1.0).pps == 1000


def test_a_burst_that_follows_itself_is_endless() -> None:
    loads = own_rates([burst(1, 10, bursts=3, next_id=1)], {1: 64.0})
    assert loads.duration_us is None
    assert loads.peak(2.0).pps == 2000


@pytest.mark.parametrize(("value", "kind"), [(20_000, "pps"), (100, "percentage"), (101, "percentage"), (9, "raw")])
def test_nothing_is_left_of_a_load_that_is_taken_away(value: float, kind: str) -> None:
    with pytest.raises(RpcError, match="lower traffic to less than zero"):
        factor(value, kind, "sub", current=9)


@given(
    value=st.floats(1e-3, 1e9), kind=st.sampled_from(["pps", "bps", "bpsl1", "percentage"]), frame=st.floats(64, 9216)
)
def test_asked_is_what_the_profile_then_sends(value: float, kind: str, frame: float) -> None:
    loads = one_flow(pps=3.0, frame=frame)
    load = loads.peak(new_factor(LoadMultiplier(kind, "abs", value), 1.0, loads, TEN_G))
    share = load.l1_bps / TEN_G * 100
    assert {"pps": load.pps, "bps": load.l2_bps, "bpsl1": load.l1_bps, "percentage": share}[kind] == pytest.approx(
        value
    )


@given(up=st.floats(1, 1e6), start=st.floats(1, 1e6), kind=st.sampled_from(["pps", "bps", "bpsl1", "raw"]))
def test_adding_and_taking_away_again_changes_nothing(up: float, start: float, kind: str) -> None:
    higher = factor(up, kind, "add", current=start)
    assume(higher > start)
    assert factor(up, kind, "sub", current=higher) == pytest.approx(start, rel=1e-6)


def test_line_rate_is_kept_with_a_tolerance() -> None:
    full = one_flow().peak(factor(100, "percentage"))
    check_line_rate(full, TEN_G)
    check_line_rate(full.times(1.00005), TEN_G)
    check_line_rate(full.times(2), 0)
    with pytest.raises(RpcError) as caught:
        check_line_rate(full.times(2), TEN_G)
    assert caught.value.specific == "Expected L1 B/W: '20 Gbps' exceeds port line rate: '10 Gbps'"


@pytest.mark.parametrize(
    ("mul", "code"),
    [
        ({}, -32602),
        ({"type": "kpps", "op": "abs", "value": 1}, -32602),
        ({"type": "pps", "op": "times", "value": 1}, -32602),
        ({"type": "pps", "op": "abs", "value": 0}, -32000),
        ({"type": "pps", "op": "abs", "value": -1}, -32602),
        ({"type": "pps", "op": "abs", "value": float("inf")}, -32602),
        ({"type": "pps", "op": "abs", "value": True}, -32602),
        ({"type": "pps", "op": "abs", "value": "1"}, -32602),
        ({"type": ["pps"], "op": "abs", "value": 1}, -32602),
    ],
)
def test_multipliers_that_cannot_be_read(mul: dict[str, Any], code: int) -> None:
    with pytest.raises(RpcError) as caught:
        parse_multiplier(mul)
    assert caught.value.code == code


def test_start_takes_absolute_loads_only() -> None:
    with pytest.raises(RpcError, match="can only specify absolute speed rate"):
        parse_multiplier({"type": "pps", "op": "add", "value": 1}, starts=True)


def test_streams_that_follow_each_other_do_not_add_up() -> None:
    first, second = burst(1, 100, next_id=2), burst(2, 50, self_start=False, rate_pps=3000.0)
    loads = own_rates([first, second], {1: 64.0, 2: 64.0})
    assert loads.peak(1.0).pps == 3000
    assert loads.duration_us == pytest.approx(100_000 + 49 / 3000 * 1e6)


def test_streams_beside_each_other_add_up() -> None:
    loads = own_rates([Stream(1, PACKET, rate_pps=5.0), burst(2, 10, start_delay_us=1e6)], {1: 64.0, 2: 64.0})
    assert loads.peak(2.0).pps == 2010
    assert loads.duration_us is None


def test_closed_chain_ends_after_its_rounds() -> None:
    first = burst(1, 100, start_delay_us=1000.0, next_id=2)
    second = burst(2, 10, bursts=5, burst_gap_us=50_000.0, self_start=False, next_id=1, loops=3)
    loads = timeline([first, second], {1: 64.0, 2: 128.0})
    assert len(loads.steps) == 3 * (2 + 10)
    assert loads.duration_us == pytest.approx(3 * (1000 + 100_000 + 5 * 10_000 + 4 * 50_000) - 1000)


def test_endless_chain_is_looked_at_so_far() -> None:
    loads = own_rates([burst(1, 1, next_id=1)], {1: 64.0})
    assert loads.duration_us is None
    assert loads.peak(1.0).pps == 1000


def test_disabled_streams_and_streams_nobody_starts_send_nothing() -> None:
    streams = [Stream(1, PACKET, enabled=False), Stream(2, PACKET, self_start=False)]
    assert timeline(streams, {1: 64.0, 2: 64.0}) == Timeline((), 0.0)
    assert timeline(streams, {1: 64.0, 2: 64.0}).peak(1.0) == PortRates()


def test_the_load_of_ten_thousand_streams_is_the_sum_of_all() -> None:
    loads = timeline([Stream(i, PACKET, rate_pps=2.0) for i in range(10_000)], dict.fromkeys(range(10_000), 64.0))
    assert loads.peak(3.0).pps == 60_000
    assert loads.peak(3.0).l2_bps == 60_000 * 64 * 8
