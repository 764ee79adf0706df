"""Packet groups on the fake core: lifetimes and numbers, rates, and answers in T-Rex's format."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from fake_generator import FakeGenerator
from hdrh.histogram import HdrHistogram

from wirespeed._native.flow_records import (
    HDR_DIGITS,
    HDR_HIGHEST_NS,
    HDR_LOWEST_NS,
    FlowFaults,
    FlowKind,
    HdrCounts,
    LatencyCounters,
)
from wirespeed._native.stream_records import Stream
from wirespeed.generator import hdr
from wirespeed.generator.packet_groups import PacketGroup, PacketGroups
from wirespeed.generator.pgid_stats import HDR_HIGHEST_US, pgid_stats
from wirespeed.generator.rpc import RpcError

STATS, LATENCY = FlowKind.STATS, FlowKind.LATENCY

# A T-Rex v3.08 while 1000 packets per second of each group go from port 0 to port 1, histogram shortened.
TREX = json.loads(
    """{"flow_stats": {
    "7": {"rb": {"0": 0, "1": 256768}, "rbs": {"0": 0.0, "1": 1023638.38}, "rp": {"0": 0, "1": 2006},
          "rps": {"0": 0.0, "1": 999.65}, "tb": {"0": 257408, "1": 0}, "tbs": {"0": 1023756.81, "1": 0.0},
          "tp": {"0": 2011, "1": 0}, "tps": {"0": 999.76, "1": 0.0}},
    "8": {"rb": {"0": 0, "1": 256896}, "rbs": {"0": 0.0, "1": 1023638.38}, "rp": {"0": 0, "1": 2007},
          "rps": {"0": 0.0, "1": 999.65}, "tb": {"0": 257408, "1": 0}, "tbs": {"0": 1023756.81, "1": 0.0},
          "tp": {"0": 2011, "1": 0}, "tps": {"0": 999.76, "1": 0.0}}},
    "latency": {"8": {"lat": {"average": 6817.0, "histogram": {"1000": 41, "10000": 265, "700": 1}, "jit": 953,
                              "last_max": 24067, "total_max": 24067, "total_min": 430}}, "g": null},
    "ver_id": {"7": 0, "8": 1}}"""
)


def histogram(*values_ns: int) -> HdrHistogram:
    made = HdrHistogram(HDR_LOWEST_NS, HDR_HIGHEST_NS, HDR_DIGITS)
    for value in values_ns:
        made.record_value(value)
    return made


def counts(made: HdrHistogram) -> HdrCounts:
    every = ((index, made.get_count_at_index(index)) for index in range(made.counts_len))
    return tuple((index, count) for index, count in every if count)


def keys(tree: Any) -> Any:
    """The tree's shape: its keys, and whether leaves are numbers."""
    if isinstance(tree, dict):
        return {key: keys(value) for key, value in tree.items()}
    return "number" if isinstance(tree, int | float) else tree


def test_answer_has_t_rexs_shape() -> None:
    flow = (0, 0, 2011, 257408, 0, 0, 0, 2006, 256768, 0, 0, 3, 2, 1)
    bins = [0] * 64
    bins[7 + 18], bins[1 + 27], bins[1 + 36] = 1, 41, 265
    seen = LatencyCounters(
        packets=307, min_ns=430_000, max_ns=24_067_000, sum_ns=307 * 6_817_000, last_max_ns=24_067_000,
        jitter_ns=953_000, histogram=tuple(bins), hdr=counts(histogram(430_000)),
    )  # fmt: skip
    groups = [PacketGroup(7, STATS, 0), PacketGroup(8, LATENCY, 1)]
    answer = json.loads(json.dumps(pgid_stats(groups, {7: flow, 8: flow}, {8: seen}, FlowFaults())))
    times = answer["latency"]["8"]["lat"]
    assert times.pop("hdrh") and times.pop("hdrh_ns")
    assert answer.pop("order") == {key: {"1": {"dup": 3, "ooo": 2, "old": 1}} for key in ("7", "8")}
    assert keys(answer) == keys(TREX)
    assert times == TREX["latency"]["8"]["lat"]
    for name in ("rp", "rb", "tp", "tb"):
        assert answer["flow_stats"]["7"][name] == TREX["flow_stats"]["7"][name]


def test_errors_are_listed_when_there_are_some() -> None:
    seen = LatencyCounters(packets=1, dropped=3, seq_too_high=2, hdr=counts(histogram()))
    answer = pgid_stats([], {}, {8: seen, 9: LatencyCounters(hdr=counts(histogram()))}, FlowFaults(old_flow=4))
    assert answer["latency"]["8"]["er"] == {"drp": 3, "sth": 2}
    assert answer["latency"]["g"] == {"bad_header": 0, "old_flow": 4}
    assert "9" not in answer["latency"]
    assert pgid_stats([], {}, {}, FlowFaults()) == {"flow_stats": None, "latency": {"g": None}, "ver_id": None}


@pytest.mark.parametrize("values", [(), (1,), (255, 256, 257, 1000), (12_345_678,) * 3, tuple(range(1, 10**10, 7**9))])
def test_histograms_are_read_by_hdrhistogram(values: tuple[int, ...]) -> None:
    made = histogram(*values)
    text = hdr.encode(counts(made), HDR_LOWEST_NS, HDR_HIGHEST_NS, HDR_DIGITS)
    read = HdrHistogram.decode(text)
    assert counts(read) == counts(made)
    assert read.get_total_count() == len(values)
    assert [read.get_value_at_percentile(p) for p in (0, 50, 99)] == [
        made.get_value_at_percentile(p) for p in (0, 50, 99)
    ]
    answer = pgid_stats([], {}, {1: LatencyCounters(packets=max(1, len(values)), hdr=counts(made))}, FlowFaults())
    micros = HdrHistogram.decode(answer["latency"]["1"]["lat"]["hdrh"].encode())
    assert micros.get_total_count() == len(values)
    assert micros.highest_trackable_value == HDR_HIGHEST_US
    if values:
        assert micros.get_max_value() == pytest.approx(max(values) / 1000, rel=0.02, abs=1)


def test_indices_are_hdrhistograms() -> None:
    made = histogram()
    for value in (0, 1, 127, 128, 255, 256, 511, 512, 99_999, HDR_HIGHEST_NS):
        made.reset()
        made.record_value(value)
        ((index, _),) = counts(made)
        assert hdr.index_of(value, 7) == index
        assert hdr.value_at(index, 7) == made.get_lowest_equivalent_value(value)


def test_groups_live_from_their_first_stream_to_their_last() -> None:
    core = FakeGenerator()
    groups = PacketGroups(core)
    groups.join(7, STATS)
    groups.join(70, STATS)
    groups.join(7, STATS)
    groups.join(8, LATENCY)
    assert [group.version for group in groups.chosen([])] == [0, 2, 1]
    assert groups.hardware_ids([70, 7, 70, 8]) == {70: 0, 7: 1, 8: 0}
    groups.leave(7)
    assert groups.active(STATS) == [7, 70]
    groups.leave(7)
    assert groups.active(STATS) == [70]
    groups.join(9, STATS)
    groups.join(7, STATS)
    assert [group.version for group in groups.chosen([7, 9, 999])] == [4, 3]
    core.calls.clear()
    assert groups.hardware_ids([9]) == groups.hardware_ids([9]) == {9: 1}
    assert core.calls == [("reset_flows", STATS, (1,))]
    with pytest.raises(RpcError, match="Can't use same pg_id"):
        groups.join(8, STATS)
    with pytest.raises(RpcError, match="Can't use same pg_id"):
        groups.join(9, LATENCY)


def test_there_are_as_many_groups_as_t_rex_has() -> None:
    groups = PacketGroups(FakeGenerator())
    for kind, limit, words in ((STATS, 1023, "1023 pg_ids with statistics"), (LATENCY, 128, "128 pg_ids with latency")):
        first = 10_000 * kind
        for pg_id in range(first, first + limit):
            groups.join(pg_id, kind)
        groups.hardware_ids(range(first, first + limit))
        assert sorted(one.hardware_id for one in groups.chosen([]) if one.kind is kind) == list(range(limit))
        with pytest.raises(RpcError, match=words):
            groups.join(first - 1, kind)


def test_rates_follow_the_counters() -> None:
    core = FakeGenerator()
    groups = PacketGroups(core)
    groups.join(7, STATS)
    stream = Stream(1, b"x" * 60, rate_pps=1000.0, flow_kind=STATS, flow_id=groups.hardware_ids([7])[7])
    core.start(0, [stream], 1.0, -1.0)
    groups.observe()
    (group,) = groups.chosen([7])
    rates = []
    for _ in range(20):
        core.advance(0.5)
        groups.observe()
        told = pgid_stats([group], groups.counters([group]), {}, FlowFaults())["flow_stats"]["7"]
        rates.append((told["tps"]["0"], told["rps"]["1"]))
    assert rates == [(pytest.approx(1000, rel=0.01),) * 2] * 20
    counters = groups.counters([group])
    told = pgid_stats([group], counters, {}, FlowFaults())["flow_stats"]["7"]
    assert told["tps"] == {"0": pytest.approx(1000, rel=0.01), "1": 0}
    assert told["rps"] == {"0": 0, "1": pytest.approx(1000, rel=0.01)}
    assert told["tbs"] == {"0": pytest.approx(512_000, rel=0.01), "1": 0}
    assert told["rbs"] == {"0": 0, "1": pytest.approx(512_000, rel=0.01)}
    counters = groups.counters([group, replace(group, pg_id=9, hardware_id=None)])
    assert counters[7] == (0, 0, 10_000, 640_000, 0, 0, 0, 10_000, 640_000, 0, 0, 0, 0, 0)
    assert counters[9] == (0,) * 14
