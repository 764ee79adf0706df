"""A soak's memory: rolling up loses nothing, and a week takes no more room than a day."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from wirespeed.measurement.soak.chronicle import KEPT, KEPT_EVENTS, Chronicle, merged
from wirespeed.measurement.soak.result import (
    DutSpan,
    Gap,
    LatencySpan,
    LossEvent,
    SoakFlow,
    SoakResult,
    SoakSettings,
    SoakVerdict,
    Span,
)
from wirespeed.results.channel import Channel
from wirespeed.units import Rate

WIRE = Channel(0, 1)
EMPTY = SoakResult("x", SoakSettings(), Rate(1000, "pps"), 1000.0, 60.0, SoakVerdict(1e-3, 0.95), directions=(WIRE,))


def second(at_s: float, lost: int = 0, offered: int = 1000, delayed: int = 0) -> Span:
    latency = LatencySpan(10, 0, 1.0, 2.0 + at_s / 1e6, 9.0, 8.0)
    flow = SoakFlow(offered, offered - lost, lost, delayed, latency=latency)
    return Span(at_s, 1.0, {WIRE: flow}, 1.0 if lost else 0.0)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(50, 10**7), st.integers(0, 9)), min_size=1, max_size=300),
    st.floats(0, 5000),
)
@settings(max_examples=50, deadline=None)
def test_totals_are_conserved_at_every_width(seconds: list[tuple[int, int, int]], began_s: float) -> None:
    chronicle = Chronicle(EMPTY)
    for index, (lost, offered, later) in enumerate(seconds):
        chronicle.add(second(began_s + index, lost, offered, later))
    lost, offered = sum(one[0] - one[2] for one in seconds), sum(one[1] for one in seconds)
    for width in KEPT:
        spans = chronicle.spans(width)
        assert sum(span.lost for span in spans) == lost
        assert sum(span.offered for span in spans) == offered
        assert sum(span.watched_s for span in spans) == len(seconds)
        assert sum(span.flows[WIRE].received for span in spans) == sum(one[1] - one[0] for one in seconds)
    assert chronicle.total is not None
    assert (chronicle.total.lost, chronicle.total.offered) == (lost, offered)
    assert chronicle.watched_s == len(seconds)


@given(st.lists(st.integers(0, 5), min_size=3, max_size=40), st.data())
@settings(max_examples=30, deadline=None)
def test_rolling_up_does_not_depend_on_where_it_began(lost: list[int], data: st.DataObject) -> None:
    spans = [second(at_s, count) for at_s, count in enumerate(lost)]
    cut = data.draw(st.integers(1, len(spans) - 1))

    def together(some: list[Span]) -> Span:
        whole = some[0]
        for one in some[1:]:
            whole = merged(whole, one)
        return whole

    whole, parts = together(spans), merged(together(spans[:cut]), together(spans[cut:]))
    assert (whole.lost, whole.offered, whole.lossy_s) == (parts.lost, parts.offered, parts.lossy_s)
    one, other = whole.flows[WIRE].latency, parts.flows[WIRE].latency
    assert one is not None and other is not None
    assert abs(one.average_us - other.average_us) < 1e-9
    assert (one.packets, one.min_us, one.max_us) == (other.packets, other.min_us, other.max_us)


def test_a_week_takes_no_more_room_than_what_is_kept() -> None:
    """Two seconds per minute of a week: the stored amount does not depend on their number."""
    week_s, step_s = 7 * 86400, 30
    chronicle, events = Chronicle(EMPTY), 0
    for at_s in range(0, week_s, step_s):
        lost = 3 if at_s % 300 == 0 else 0
        if lost:
            events += 1
            chronicle.put(LossEvent(events, at_s, 1.0, WIRE, lost, "dut", outage_s=at_s / 1e6))
        chronicle.add(second(at_s, lost))
    result = chronicle.told(EMPTY)
    assert (len(result.seconds), len(result.minutes), len(result.hours)) == (KEPT[1], KEPT[60], 168)
    assert len(result.events) == KEPT_EVENTS < events
    verdict = result.verdict
    assert verdict.event_count == events == week_s // 300
    assert (verdict.offered, verdict.lost) == (1000 * week_s // step_s, 3 * events)
    assert verdict.longest_loss_free_s == 300 // step_s - 1
    assert verdict.worst_minute is not None and verdict.worst_minute.lost == 3
    assert verdict.latency_us[WIRE].last > verdict.latency_us[WIRE].first
    text = json.dumps(result.to_json())
    assert len(text) < 2_000_000
    assert SoakResult.from_json(json.loads(text), "x") == result


def test_what_was_kept_goes_on_where_it_was_left() -> None:
    whole, part = Chronicle(EMPTY), Chronicle(EMPTY)
    for at_s in range(200):
        lost = 5 if at_s == 20 else 0
        for chronicle in (whole, part):
            if lost:
                chronicle.put(LossEvent(1, at_s, 1.0, WIRE, lost, "host", 0.005))
            chronicle.add(second(at_s, lost))
        if at_s in (100, 150):
            part = Chronicle(SoakResult.from_json(part.told(EMPTY).to_json(), "x"))
    assert part.told(EMPTY) == whole.told(EMPTY)
    assert part.verdict(1e-3, 0.95).by_host == 5


def test_the_verdict_counts_what_is_known_of_gaps_and_has_no_doubt_of_enough() -> None:
    chronicle = Chronicle(EMPTY)
    chronicle.add(second(0))
    first = chronicle.verdict(1e-3, 0.95)
    # 2995.7 packets without loss demonstrate one in a thousand; a thousand per second were seen for one second
    assert not first.shown and abs((first.needed_s or 0) - 1.9957) < 1e-3
    chronicle.add_gap(Gap(1, 5, "controller", offered=5000, lost=0))
    shown = chronicle.verdict(1e-3, 0.95)
    assert shown.shown and shown.needed_s == 0 and shown.offered == 6000
    assert abs(shown.upper_ratio - 2.99573 / 6000) < 1e-8
    chronicle.add_gap(Gap(6, 5, "generator"))
    assert chronicle.verdict(1e-3, 0.95) == replace(shown, watched_s=1.0)
    chronicle.add_unplaced(3)
    assert chronicle.verdict(1e-3, 0.95).lost == 3


def test_an_event_that_came_after_all_is_none() -> None:
    chronicle = Chronicle(EMPTY)
    event = LossEvent(1, 0, 1.0, WIRE, 7, "host", 0.5)
    chronicle.put(event)
    chronicle.put(replace(event, lost=0))
    verdict = chronicle.verdict(1e-3, 0.95)
    assert (verdict.event_count, verdict.by_host, verdict.longest_outage_s) == (0, 0, 0.0)


def test_what_is_told_at_the_end_is_put_where_it_belongs() -> None:
    """For the time since this program measured; memory readings of the interval stay."""
    chronicle = Chronicle(EMPTY)
    for at_s in range(150):
        chronicle.add(replace(second(at_s), dut=DutSpan(memory_bytes=7)))
    chronicle.put(LossEvent(1, 130.0, 2.0, WIRE, 5, "dut", 0.1))
    asked: list[tuple[float, float]] = []

    def told(since_s: float, until_s: float) -> DutSpan:
        asked.append((since_s, until_s))
        return DutSpan(drops={"ring": round(until_s - since_s)}, cpu_percent={"softirq": 50.0, "idle": 50.0})

    chronicle.tell_later(told, 100.0)
    assert [span.dut.drops for span in chronicle.spans(1)] == [{}] * 100 + [{"ring": 1}] * 50
    assert [span.dut.drops for span in chronicle.spans(60)] == [{}, {}, {"ring": 30}]
    assert chronicle.spans(1)[120].dut.memory_bytes == 7
    assert chronicle.events[1].drops == {"ring": 2} and (130.0, 132.0) in asked
    assert chronicle.total is not None and chronicle.total.dut.drops == {"ring": 50}
    assert SoakResult.from_json(json.loads(json.dumps(chronicle.told(EMPTY).to_json())), "x") == chronicle.told(EMPTY)
    chronicle.tell_later(lambda since_s, until_s: None, 0.0)
    assert chronicle.spans(1)[149].dut.drops == {"ring": 1}


def test_shares_of_cpus_are_rolled_up_by_their_time() -> None:
    one = replace(second(0), dut=DutSpan(cpu_percent={"softirq": 90.0, "idle": 10.0}))
    other = replace(second(1), watched_s=3.0, dut=DutSpan(cpu_percent={"idle": 100.0}))
    assert merged(one, other).dut.cpu_percent == {"softirq": 22.5, "idle": 77.5}
    assert merged(one, second(1)).dut.cpu_percent == one.dut.cpu_percent
