"""The rule of persistent loss: the first load from which on a direction loses more than the threshold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.results.lossy import lossy_index

RATIOS = st.sampled_from([0.0, 0.0005, 0.001, 0.002, 0.5])


def index_of(pattern: str, *, complete: bool = True, hold: int = 0) -> int | None:
    """`pattern` holds P (passes) and F (fails) in time order; the load rises except during the last `hold` samples."""
    top = len(pattern) - hold
    loads = [float(min(i + 1, top)) * 1000 for i in range(len(pattern))]
    return lossy_index(loads, [0.2 if mark == "F" else 0.0 for mark in pattern], 0.001, complete)


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        ("", None),
        ("PPPPP", None),
        ("PPFFFFFF", 2),
        ("FFFFFF", 0),
        ("PFPPFFFFF", 4),  # a single failure does not count
        ("PFFPPFFFFF", 5),  # two consecutive ones do not count either
        ("PPFFFPPPPPP", None),  # recovered
        ("PPFFFFPFFFF", 2),  # one good sample in between is ignored
        ("PPFFFFPFPPF", 10),  # two are not: it passed above
        ("PPPPPPPF", 7),  # the ramp ends just past the limit
        ("PPPPPPFF", 6),
        ("FFFPPPPPFFF", 8),  # an early fault recovers, the limit comes later
    ],
)
def test_first_load_from_which_loss_persists(pattern: str, first: int | None) -> None:
    assert index_of(pattern) == first


def test_a_hiccup_late_in_the_hold_does_not_last() -> None:
    assert index_of("PPPPPPPPPPF", hold=6) is None
    assert index_of("PPPPPPPPFFF", hold=6) == 8


def test_while_samples_still_come_a_short_run_waits() -> None:
    assert index_of("PPPPF", complete=False) is None
    assert index_of("PPPPFFF", complete=False) == 4


def test_samples_without_load_say_nothing() -> None:
    assert lossy_index([0, 0, 1, 2, 0, 3, 4], [1, 1, 0, 0.5, 1, 0.5, 0.5], 0.001) == 3


@given(st.lists(RATIOS, max_size=60), st.sampled_from([0.0, 0.001, 0.01]))
def test_the_answer_is_a_failing_sample_after_which_loss_prevails(ratios: list[float], threshold: float) -> None:
    loads = [float(i + 1) for i in range(len(ratios))]
    index = lossy_index(loads, ratios, threshold)
    if index is None:
        tail = ratios[-3:]
        assert len(tail) < 3 or not all(ratio > threshold for ratio in tail)
    else:
        rest = ratios[index:]
        assert rest[0] > threshold
        assert sum(ratio <= threshold for ratio in rest) <= max(1, len(rest) / 10)
        assert index == 0 or ratios[index - 1] <= threshold


@given(st.lists(RATIOS, min_size=1, max_size=40))
def test_a_stricter_threshold_never_finds_a_higher_load(ratios: list[float]) -> None:
    loads = [float(i + 1) for i in range(len(ratios))]
    strict, lax = lossy_index(loads, ratios, 0.0), lossy_index(loads, ratios, 0.001)
    assert lax is None or (strict is not None and strict <= lax)
