"""Searches of devices with exactly known capacity: results contain it, and bounds name their cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from simulated_dut import Loss, SimulatedDut, constant, linear, noisy, oscillating, step

from wirespeed.errors import MeasurementError
from wirespeed.measurement.search.goals import PRESETS, goals_of
from wirespeed.results.search_trial import GoalOutcome, Purpose, SearchTrial
from wirespeed.trial.controller import Controller, OutOfTime, repeats_for

LEAST_PPS, MOST_PPS = 9001.0, 14_880_952.0
SEEDS = pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(12), id="12 devices"),
        pytest.param(range(12, 200), id="188 devices", marks=pytest.mark.long("188 more devices")),
    ],
)
CSIT_S = 180.0
"""An NDR and a PDR must be found in three minutes."""


def controller(
    dut: SimulatedDut, preset: str = "csit", words: list[str] | None = None, *, robust: bool = False, **limits: float
) -> Controller:
    def measure(load_pps: float, seconds: float, purpose: Purpose) -> SearchTrial:
        trial = made.judged(dut(load_pps, seconds, purpose))
        made.keep(trial)
        return trial

    warmup_s = PRESETS[preset].warmup_s
    goals = goals_of(words or [], preset)
    repeats = repeats_for(goals) if robust else 0
    made = Controller(goals, LEAST_PPS, MOST_PPS, measure, warmup_s, repeats=repeats, **limits)
    return made


def found(search: Controller, ended_early: str = "") -> dict[str, GoalOutcome]:
    return {one.goal.name: one for one in search.outcomes(most_is_line=True, ended_early=ended_early)}


def holds(outcome: GoalOutcome, truth_pps: float) -> bool:
    """True if the true capacity is between the bounds, and these are as close as the goal requires. Trials lose whole
    packets: a loss below half a packet is none, which a gradual loss turns into a slightly higher load.
    """
    lower, upper = outcome.lower_pps, outcome.upper_pps
    if lower is None or upper is None or outcome.irregular or outcome.limit != "dut":
        return False
    slack = 1e-6 * truth_pps + 10
    narrow = (upper - lower) / upper <= outcome.goal.width * 1.001
    return lower <= truth_pps + slack and upper >= truth_pps - slack and narrow


def capacity(seed: int) -> float:
    """From 60 kpps to 13 Mpps."""
    return float(60_000 * 216 ** ((seed * 0.6180339887) % 1.0))


@SEEDS
@pytest.mark.parametrize(
    ("loss", "pdr"),
    [
        pytest.param(step, lambda pps: pps / 0.995, id="step"),
        pytest.param(lambda pps: linear(pps, 0.1 / pps), lambda pps: pps * 1.05, id="linear"),
        pytest.param(lambda pps: noisy(step(pps)), lambda pps: pps / 0.995, id="noisy"),
        pytest.param(lambda pps: oscillating(pps, 0.9 * pps), lambda pps: pps / 0.995, id="oscillating"),
    ],
)
def test_ndr_and_pdr_are_within_their_bounds_whatever_the_device_is_like(
    loss: Callable[[float], Loss], pdr: Callable[[float], float], seeds: range
) -> None:
    wrong, longest_s = [], 0.0
    for seed in seeds:
        ndr_pps = capacity(seed)
        search = controller(SimulatedDut(loss(ndr_pps), seed))
        search.run()
        goals = found(search)
        longest_s = max(longest_s, search.spent_s)
        if not (holds(goals["ndr"], ndr_pps) and holds(goals["pdr"], pdr(ndr_pps))):
            wrong.append((seed, goals))
    assert not wrong
    assert longest_s < CSIT_S


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_preset_finds_the_step(preset: str) -> None:
    search = controller(SimulatedDut(step(7.77e6)), preset)
    search.run()
    assert holds(found(search)["ndr"], 7.77e6)


def test_a_device_that_loses_a_little_at_every_load_has_a_pdr_and_no_ndr() -> None:
    search = controller(SimulatedDut(constant(0.003, step(7e6))))
    search.run()
    goals = found(search)
    assert holds(goals["pdr"], 7e6 / 0.995)
    assert goals["pdr"].conditional_pps == pytest.approx(0.997 * (goals["pdr"].lower_pps or 0), rel=1e-3)
    assert (goals["ndr"].lower_pps, goals["ndr"].limit) == (None, "minimum")
    assert "the lowest load, 9,001 pps, lost more than 0 %" in goals["ndr"].irregular


def test_what_carries_the_whole_line_has_the_line_as_its_limit() -> None:
    search = controller(SimulatedDut(step(1e9)))
    search.run()
    for outcome in found(search).values():
        assert outcome.lower_pps == pytest.approx(MOST_PPS, rel=1e-6)
        assert (outcome.upper_pps, outcome.limit, outcome.irregular) == (None, "line", "")
    assert search.outcomes(most_is_line=False)[0].limit == "maximum"


def test_a_bound_that_the_tester_set_is_not_the_devices() -> None:
    search = controller(SimulatedDut(step(9e6), tester_pps=6e6))
    search.run()
    for outcome in found(search).values():
        assert outcome.limit == "tester"
        assert "the DUT carries at least the lower bound" in outcome.irregular
        assert 5.9e6 < (outcome.lower_pps or 0) < 6.1e6


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("preset", ["csit", "quick"])
def test_a_search_ends_within_few_trials_above_what_the_tester_offers(preset: str, noise: float) -> None:
    for seed in range(20):
        search = controller(SimulatedDut(step(1e9), seed, tester_pps=5.4e6, tester_noise=noise), preset)
        search.run()
        above = [one for one in search.trials if one.trial.tester_limited]
        assert len(above) <= 20, (seed, [one.load_pps for one in search.trials])
        assert len(search.trials) <= 70
        for outcome in found(search).values():
            assert outcome.limit == "tester" and outcome.is_at_least
            assert outcome.lower_pps is not None and 5.4e6 * (1 - noise) * 0.85 <= outcome.lower_pps <= 5.4e6
            assert "its worker came too late; give it a CPU of its own" in outcome.irregular


def test_a_device_below_the_testers_end_is_found_as_if_there_were_none() -> None:
    for seed in range(20):
        search = controller(SimulatedDut(step(4.8e6), seed, tester_pps=5.4e6, tester_noise=0.02))
        search.run()
        assert holds(found(search)["ndr"], 4.8e6)


def test_a_bound_that_absent_cpus_set_is_not_the_devices() -> None:
    """With and without repeats: if the host disturbs all trials, repeats do not help."""
    for robust in (False, True):
        search = controller(SimulatedDut(step(1e9), away=lambda rng: True), robust=robust)
        search.run()
        goals = found(search)
        assert {outcome.limit for outcome in goals.values()} == {"host"}
        why = "disturbed all" if robust else "explains the loss of"
        assert all(f"preemption of workers {why}" in outcome.irregular for outcome in goals.values())
        assert any(trial.excluded for trial in search.trials) == robust
        most = repeats_for(search.goals) if robust else 0
        aside = Counter(trial.load_pps for trial in search.trials if trial.excluded)
        assert max(aside.values(), default=0) == most


@pytest.mark.parametrize("preset", ["csit", "quick"])
@pytest.mark.parametrize("away_loss", [0.02, 0.4])
def test_a_search_ends_where_the_host_disturbs_each_trial(preset: str, away_loss: float) -> None:
    """Three loads at which no repeat helps are enough: further ones would only measure the host."""
    dut = SimulatedDut(step(1e9), away=lambda rng: True, away_loss=away_loss)
    search = controller(dut, preset=preset, robust=True)
    search.run()
    assert len(search.trials) <= 2 + 3 * (1 + search.repeats)
    assert {outcome.limit for outcome in found(search).values()} == {"host"}


@SEEDS
def test_what_absences_spoil_is_repeated_until_the_bounds_are_the_devices(seeds: range) -> None:
    """Two trials in five lose 2 % by preemptions. With repeats, the bounds are right and the device's; without, many
    are wrong, and each of those names the host as the reason.
    """
    wrong, silent, marked = [], [], 0
    for seed in seeds:
        ndr_pps = capacity(seed)
        for robust in (True, False):
            search = controller(SimulatedDut(step(ndr_pps), seed, away=lambda rng: rng.random() < 0.4), robust=robust)
            search.run()
            goals = found(search)
            good = holds(goals["ndr"], ndr_pps) and holds(goals["pdr"], ndr_pps / 0.995)
            if robust and not good:
                wrong.append((seed, goals))
            if not (robust or good):
                marked += any(one.limit == "host" and one.irregular for one in goals.values())
                silent += [(seed, goals)] if not any(one.irregular for one in goals.values()) else []
    assert not wrong
    assert not silent
    assert marked


def test_only_what_would_fail_an_open_goal_is_repeated() -> None:
    """Preemptions that cost 0.1 % invalidate an NDR. A PDR allows that much, so for a PDR alone such trials count."""

    def searched(*words: str) -> Controller:
        dut = SimulatedDut(step(7.77e6), 3, away=lambda rng: rng.random() < 0.3, away_loss=0.001)
        search = controller(dut, words=list(words), robust=True)
        search.run()
        return search

    both = searched("ndr", "pdr")
    goals = found(both)
    assert holds(goals["ndr"], 7.77e6) and holds(goals["pdr"], 7.77e6 / 0.995)
    assert any(trial.excluded for trial in both.trials if trial.loss_ratio <= 0.005)
    alone = searched("pdr")
    assert holds(found(alone)["pdr"], 7.77e6 / 0.995)
    absent = [trial for trial in alone.trials if trial.trial.preemption and trial.trial.preemption.dut_preempted_s]
    allowed = [trial for trial in absent if trial.loss_ratio <= 0.005]
    assert allowed and not any(trial.excluded for trial in allowed)


def test_one_that_runs_out_of_time_says_what_is_known() -> None:
    search = controller(SimulatedDut(step(7.77e6)), limit_s=15.0)
    with pytest.raises(OutOfTime):
        search.run()
    assert 15 <= search.spent_s < 18
    ndr = found(search, "the time was over")["ndr"]
    assert ndr.irregular == "the time was over"
    assert ndr.lower_pps is None or ndr.lower_pps <= 7.77e6
    assert ndr.upper_pps is None or ndr.upper_pps >= 7.77e6


def test_a_device_that_dies_ends_the_search() -> None:
    search = controller(SimulatedDut(step(7.77e6), dies_at=12))
    with pytest.raises(MeasurementError, match="the DUT returned nothing of .* offered at"):
        search.run()
    assert 12 <= len(search.trials) <= 14


def test_a_device_that_returns_nothing_at_all_ends_the_search_at_the_lowest_load() -> None:
    search = controller(SimulatedDut(step(1e9), dies_at=1))
    with pytest.raises(MeasurementError, match="offered at 9,001 pps"):
        search.run()
    assert len(search.trials) <= 4


def test_intervals_narrow_while_it_searches() -> None:
    dut, seen = SimulatedDut(step(7.77e6)), []

    def measure(load_pps: float, seconds: float, purpose: Purpose) -> SearchTrial:
        seen.append(made.intervals())
        trial = dut(load_pps, seconds, purpose)
        made.keep(trial)
        return trial

    made = Controller(goals_of(["ndr"], "csit"), LEAST_PPS, MOST_PPS, measure)
    assert made.intervals()[0].lower_pps is None
    made.run()
    widths = [
        interval.upper_pps - interval.lower_pps
        for (interval,) in [*seen, made.intervals()]
        if interval.upper_pps is not None and interval.lower_pps is not None
    ]
    assert widths and widths == sorted(widths, reverse=True)
    assert made.intervals()[0].is_narrow


def test_goals_are_found_together_in_fewer_trials_than_apart() -> None:
    together = controller(SimulatedDut(step(7.77e6)))
    together.run()
    apart = 0
    for name in ("ndr", "pdr"):
        one = controller(SimulatedDut(step(7.77e6)), words=[name])
        one.run()
        apart += len(one.trials)
    assert len(together.trials) < apart


def test_what_the_device_carried_of_more_than_the_bound_is_told() -> None:
    search = controller(SimulatedDut(step(1e9), 3, tester_pps=5.4e6, tester_noise=0.3), "quick")
    search.run()
    for outcome in found(search).values():
        assert outcome.lower_pps is not None and outcome.lower_pps < 4e6
        assert "of single trials it carried up to 4," in outcome.irregular
