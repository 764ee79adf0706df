"""The saturation rule: first load from which loss persists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.loadtest.result import Channel, PortSample, Sample
from wirespeed.loadtest.saturation import channel_points, limited_by_tester, saturation_index

RATIOS = st.sampled_from([0.0, 0.0005, 0.001, 0.002, 0.5])


def index_of(pattern: str, *, complete: bool = True, hold: int = 0) -> int | None:
    """`pattern` holds P (passes) and F (fails) in time order; the load rises but for the last `hold` samples."""
    top = len(pattern) - hold
    loads = [float(min(i + 1, top)) * 1000 for i in range(len(pattern))]
    return saturation_index(loads, [0.2 if mark == "F" else 0.0 for mark in pattern], 0.001, complete)


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("", None),
        ("PPPPP", None),
        ("PPFFFFFF", 2),
        ("FFFFFF", 0),
        ("PFPPFFFFF", 4),  # a single failure does not count
        ("PFFPPFFFFF", 5),  # nor do two in a row
        ("PPFFFPPPPPP", None),  # healed
        ("PPFFFFPFFFF", 2),  # one good sample is forgiven
        ("PPFFFFPFPPF", 10),  # two are not: it passed above
        ("PPPPPPPF", 7),  # the ramp ends just past the limit
        ("PPPPPPFF", 6),
        ("FFFPPPPPFFF", 8),  # an early fault heals, the limit comes later
    ],
)
def test_first_load_from_which_loss_persists(pattern: str, first: int | None) -> None:
    assert index_of(pattern) == first


def test_a_hiccup_late_in_the_hold_is_no_saturation() -> None:
    assert index_of("PPPPPPPPPPF", hold=6) is None
    assert index_of("PPPPPPPPFFF", hold=6) == 8


def test_while_samples_still_come_a_short_run_waits() -> None:
    assert index_of("PPPPF", complete=False) is None
    assert index_of("PPPPFFF", complete=False) == 4


def test_samples_without_load_say_nothing() -> None:
    assert saturation_index([0, 0, 1, 2, 0, 3, 4], [1, 1, 0, 0.5, 1, 0.5, 0.5], 0.001) == 3


@given(st.lists(RATIOS, max_size=60), st.sampled_from([0.0, 0.001, 0.01]))
def test_the_answer_is_a_failing_sample_after_which_loss_prevails(ratios: list[float], threshold: float) -> None:
    loads = [float(i + 1) for i in range(len(ratios))]
    index = saturation_index(loads, ratios, threshold)
    if index is None:
        tail = ratios[-3:]
        assert len(tail) < 3 or not all(ratio > threshold for ratio in tail)
    else:
        rest = ratios[index:]
        assert rest[0] > threshold
        assert sum(ratio <= threshold for ratio in rest) <= max(1, len(rest) / 10)
        assert index == 0 or ratios[index - 1] <= threshold


@given(st.lists(RATIOS, min_size=1, max_size=40))
def test_a_stricter_threshold_never_saturates_later(ratios: list[float]) -> None:
    loads = [float(i + 1) for i in range(len(ratios))]
    strict, lax = saturation_index(loads, ratios, 0.0), saturation_index(loads, ratios, 0.001)
    assert lax is None or (strict is not None and strict <= lax)


def sample(
    t_s: float,
    phase: str,
    *,
    asked: float | None,
    sent: float,
    received: float,
    late: int | None,
    missed: int | None = None,
) -> Sample:
    sender = PortSample(sent, 0, 0, 0, 0, 0, asked_pps=asked, late=late)
    receiver = PortSample(0, received, 0, 0, 0, 0, rx_missed=missed)
    return Sample(t_s, 1.0, phase, {0: sender, 1: receiver})


def test_points_hold_what_was_asked_and_whose_shortfall_it_is() -> None:
    samples = [
        sample(1, "warm-up", asked=100, sent=100, received=100, late=5),
        sample(2, "ramp", asked=1000, sent=900, received=800, late=105),
        sample(3, "hold", asked=2000, sent=500, received=500, late=1605),
        sample(4, "drain", asked=0, sent=0, received=3, late=1605),
    ]
    ramp, hold = channel_points(samples, Channel(0, 1))
    assert (ramp.offered_pps, ramp.received_pps, ramp.tester_pps, ramp.loss_ratio) == (1000, 800, 100, 0.2)
    assert (hold.tester_pps, hold.short_pps) == (1500, 1500)
    assert limited_by_tester([hold])
    assert not limited_by_tester([ramp])  # exactly half is not most of it
    assert not limited_by_tester([])


def test_packets_that_the_receiver_missed_are_the_testers_shortfall() -> None:
    before = sample(1, "ramp", asked=100, sent=100, received=100, late=0, missed=7)
    after = sample(2, "ramp", asked=100, sent=100, received=60, late=0, missed=47)
    points = channel_points([before, after], Channel(0, 1))
    assert points[1].tester_pps == 40
    assert limited_by_tester(points)


def test_a_server_that_does_not_say_what_was_asked_is_judged_by_what_it_sent() -> None:
    (point,) = channel_points([sample(1, "ramp", asked=None, sent=900, received=450, late=None)], Channel(0, 1))
    assert (point.offered_pps, point.tester_pps, point.loss_ratio) == (900, 0, 0.5)
