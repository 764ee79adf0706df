"""Counters that are read at different times: they neither create a loss nor hide one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import fsum

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from simulated_bench import FORWARD, LINE_BPS, Bench, after_drain, ramp, run, seen, verdict

from wirespeed.results.point import Point, points
from wirespeed.results.sample import Sample
from wirespeed.results.skew import MOST_SKEW_S, allow_for_skew, estimated_skew_s

THRESHOLD = 0.001
TOP_PPS = 10e6
SKEW_S = 0.004
SEEDS = st.integers(0, 2**32)


def raw(bench: Bench, samples: list[Sample]) -> tuple[Point, ...]:
    return points(samples, FORWARD, bench.medium, bench.line_bps)


def skewed(**parts: object) -> Bench:
    return replace(Bench(account=False, skew_s=SKEW_S), **parts)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, skew_s=st.floats(0, SKEW_S), count=st.integers(3, 80), interval_s=st.sampled_from([0.25, 1.0]))
def test_no_sample_lost_anything_where_the_whole_lost_nothing(
    seed: int, skew_s: float, count: int, interval_s: float
) -> None:
    bench = skewed(skew_s=skew_s, interval_s=interval_s)
    found = seen(bench, ramp(TOP_PPS, count), seed)
    assert max(point.loss_ratio for point in found) < 1e-5
    assert verdict(bench, ramp(TOP_PPS, count), seed, THRESHOLD).loss_onset is None


@settings(max_examples=60, deadline=None)
@given(
    seed=SEEDS,
    skew_s=st.floats(0, SKEW_S),
    share=st.floats(0.0011, 0.05),
    capacity=st.floats(0.2, 1.0),
    signature=st.booleans(),
)
def test_what_the_whole_lost_is_in_its_samples(
    seed: int, skew_s: float, share: float, capacity: float, signature: bool
) -> None:
    bench = skewed(skew_s=skew_s, dut=lambda pps: min(pps * (1 - share), capacity * TOP_PPS), signature=signature)
    samples = run(bench, ramp(TOP_PPS), seed)
    whole, found = after_drain(bench, samples), seen(bench, ramp(TOP_PPS), seed)
    assert fsum(point.balance.lost for point in found) == pytest.approx(whole.lost, abs=len(samples))
    assert max(point.loss_ratio for point in found) >= whole.loss_ratio * (1 - 1e-3) > THRESHOLD
    assert verdict(bench, ramp(TOP_PPS), seed, THRESHOLD).loss_onset is not None


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, at=st.integers(5, 55), share=st.floats(0.018, 0.5))
@example(seed=168, at=5, share=0.03125)
def test_one_bad_second_is_not_hidden(seed: int, at: int, share: float) -> None:
    """Each end of a sample is read up to one skew early or late, and twice that is allowed."""
    bench = skewed()
    samples = run(bench, [("hold", TOP_PPS)] * 60, seed)
    lost = round(TOP_PPS * share)
    hit = [
        replace(one, ports={**one.ports, 1: replace(one.ports[1], ipackets=(one.ports[1].ipackets or 0) - lost)})
        if place >= at
        else one
        for place, one in enumerate(samples)
    ]
    found = allow_for_skew(hit, raw(bench, hit), FORWARD, after_drain(bench, hit))
    assert found[at].loss_ratio > max(THRESHOLD, share - 4.05 * SKEW_S)
    assert fsum(point.balance.lost for point in found) == pytest.approx(lost, abs=len(samples))


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, skew_s=st.floats(0.0005, SKEW_S))
def test_the_skew_is_estimated_from_what_came_back_late(seed: int, skew_s: float) -> None:
    bench = skewed(skew_s=skew_s)
    samples = run(bench, ramp(TOP_PPS), seed)
    found = estimated_skew_s(samples, raw(bench, samples), FORWARD, after_drain(bench, samples))
    assert 0.3 * skew_s < found <= skew_s * 1.01


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS)
def test_the_knee_is_found_through_the_skew(seed: int) -> None:
    bench = skewed(dut=lambda pps: min(pps, 6e6))
    outcome = verdict(bench, ramp(TOP_PPS), seed)
    assert outcome.saturation is not None and not outcome.tester_limited
    assert outcome.saturation.offered_pps == pytest.approx(6e6, rel=0.03)
    assert outcome.loss_onset is not None
    # A skew of 4 ms is 0.1 % of four seconds: it may be attributed to as many samples before the first, never after.
    early = (SKEW_S / THRESHOLD + 2) * TOP_PPS / 60
    assert 6e6 - early < outcome.loss_onset.offered_pps < 6e6 + 3 * TOP_PPS / 60


def test_without_the_rule_the_samples_would_have_failed() -> None:
    bench = skewed()
    samples = run(bench, ramp(TOP_PPS))
    assert sum(point.loss_ratio > THRESHOLD for point in raw(bench, samples)) > 10


def test_a_server_that_reads_at_one_instant_is_taken_at_its_word() -> None:
    bench = Bench(dut=lambda pps: pps * 0.999, held=frozenset({20}))
    samples = run(bench, ramp(TOP_PPS))
    assert allow_for_skew(samples, raw(bench, samples), FORWARD) == raw(bench, samples)
    assert estimated_skew_s(samples, raw(bench, samples), FORWARD) == 0.0


def test_what_is_held_longer_than_any_skew_is_none() -> None:
    """A second of packets that were delayed until the next one: the sample still shows it."""
    bench = skewed(held=frozenset({30}))
    samples = run(bench, [("hold", TOP_PPS)] * 60)
    assert estimated_skew_s(samples, raw(bench, samples), FORWARD) == pytest.approx(MOST_SKEW_S, rel=1e-3)
    found = allow_for_skew(samples, raw(bench, samples), FORWARD, after_drain(bench, samples))
    assert found[30].loss_ratio > 0.9
    assert max(point.loss_ratio for place, point in enumerate(found) if place != 30) < THRESHOLD


def test_frames_of_others_that_trickle_in_are_no_skew() -> None:
    bench = skewed(skew_s=0.0, foreign_pps=500.0, dut=lambda pps: pps * 0.99)
    samples = run(bench, [("hold", 1e6)] * 30)
    found = allow_for_skew(samples, raw(bench, samples), FORWARD, after_drain(bench, samples))
    losses = [point.loss_ratio for point in found if point.measured]
    assert losses[:-1] == pytest.approx([0.0095] * 29, rel=0.01)
    assert losses[-1] == pytest.approx(0.0095, abs=0.001)  # including those that arrived during the drain


def test_shares_of_the_line_follow_what_came_back() -> None:
    bench = skewed(dut=lambda pps: pps * 0.99)
    for point in seen(bench, ramp(TOP_PPS)):
        if point.measured and point.line_percent is not None and point.offered_line_percent is not None:
            assert point.line_percent == pytest.approx(point.offered_line_percent * (1 - point.loss_ratio))
            assert point.received_pps == pytest.approx(point.offered_pps * (1 - point.loss_ratio))
    assert LINE_BPS > 0


def test_times_go_on_as_they_were() -> None:
    found = seen(skewed(), ramp(TOP_PPS))
    assert all(after.t_s > before.t_s for before, after in pairwise(found))
