"""The phases of files that do not contain them: from their loads, with or without the warm-up."""

from __future__ import annotations

from collections import Counter

import pytest
from article_files import Ramp

from wirespeed.measurement.loadtest.document import result_of
from wirespeed.measurement.registry import verdict_of
from wirespeed.results.phases import PhaseTimes, phases_of

TIMES = PhaseTimes(30, 600, 30, "1kpps")


def counted(ramp: Ramp) -> Counter[str]:
    return Counter(sample.phase for sample in result_of(ramp.document(), "file").samples)


@pytest.mark.parametrize("line_bps", [100e6, 1e9, 10e9, 100e9])
def test_a_file_without_its_warm_up_has_ramp_and_hold(line_bps: float) -> None:
    """632 samples: what trex-loadtest keeps of a test of 30 + 600 + 30 s."""
    found = counted(Ramp(64.0, line_bps, 2, 1e12))
    assert found["ramp"] == 600 and found["warm-up"] <= 1 and found["hold"] >= 31


def test_a_file_with_its_warm_up_has_all_three() -> None:
    assert counted(Ramp(64.0, 10e9, 2, 1e12, warmup_s=30)) == {"warm-up": 30, "ramp": 600, "hold": 32}


def test_a_ramp_that_its_tester_cut_off_began_where_it_began() -> None:
    loads = [1e3] * 10 + [min(5e6, 14.88e6 * second / 600) for second in range(1, 601)] + [5e6] * 30
    found = phases_of(list(range(1, len(loads) + 1)), loads, TIMES)
    assert Counter(found) == {"warm-up": 10, "ramp": 600, "hold": 30}


def test_rates_that_lag_behind_the_ramp_make_no_warm_up() -> None:
    lagging = [14.88e6 * max(0.2, second - 5) / 600 for second in range(1, 601)] + [14.88e6] * 30
    found = phases_of(list(range(1, len(lagging) + 1)), lagging, TIMES)
    assert Counter(found)["warm-up"] <= 6 and Counter(found)["hold"] >= 24


def test_times_of_their_own_are_used() -> None:
    times = [0.5 * at for at in range(1, 1261)]
    loads = [1e3] * 60 + [14.88e6 * second / 1200 for second in range(1, 1201)]
    assert Counter(phases_of(times, loads, TIMES)) == {"warm-up": 60, "ramp": 1200}


def test_loads_that_are_no_ramp_are_told_by_the_durations() -> None:
    assert phases_of([1.0, 2.0, 3.0], [5.0, 5.0, 5.0], TIMES) == ["ramp"] * 3
    flat = phases_of([float(at) for at in range(1, 661)], [5e6] * 660, TIMES)
    assert Counter(flat) == {"warm-up": 30, "ramp": 600, "hold": 30}


def test_what_was_held_is_known_of_a_file_without_its_warm_up() -> None:
    """The load below the knee is in the first samples, which were taken for the warm-up."""
    result = result_of(Ramp(64.0, 1e9, 2, 0.052e6).document(), "vyos")
    figure = verdict_of(result).figure
    # A ramp's figure is the mean of the last samples below the knee, each 2 480 pps above the one before.
    assert [each.rate_pps for each in figure.each] == pytest.approx([0.052e6 - 1.4 * 2480] * 2, rel=0.01)
