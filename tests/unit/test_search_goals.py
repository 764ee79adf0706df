"""Goals and plans of a search as users write them."""

from __future__ import annotations

import pytest

from wirespeed.errors import UsageError
from wirespeed.measurement.search.goals import PRESETS, goals_of
from wirespeed.measurement.search.plan import MrrPlan, SearchPlan, check_plan, parse_latency, parse_mrr
from wirespeed.results.search_trial import Goal
from wirespeed.trial.controller import check_resolution
from wirespeed.units import Rate


def test_without_words_the_goals_are_those_of_the_preset() -> None:
    assert [(goal.name, goal.loss_ratio) for goal in goals_of([], "csit")] == [("ndr", 0.0), ("pdr", 0.005)]
    assert [goal.name for goal in goals_of([], "rfc2544")] == ["ndr"]


def test_goals_take_the_shape_of_the_preset_and_say_otherwise_what_they_like() -> None:
    ndr, half, own = goals_of(["ndr", "pdr=0.1%", "slow:loss=1%,exceed=0,final=5,sum=30,width=2%"], "csit")
    assert ndr == Goal("ndr", 0.0, 0.5, 1.0, 21.0, 0.005, 1.0)
    assert (half.name, half.loss_ratio) == ("pdr", pytest.approx(0.001))
    assert own == Goal("slow", pytest.approx(0.01), 0.0, 5.0, 30.0, pytest.approx(0.02), 1.0)


def test_a_longer_or_shorter_last_trial_takes_sum_and_first_trial_with_it() -> None:
    (long,) = goals_of(["x:loss=0,final=60"], "csit")
    assert (long.sum_s, long.initial_s) == (60.0, 1.0)
    (short,) = goals_of(["x:loss=0,final=0.5"], "csit")
    assert (short.sum_s, short.initial_s) == (21.0, 0.5)


@pytest.mark.parametrize(
    ("words", "preset", "message"),
    [
        (["nrd"], "csit", "goal 'nrd' is not known: give ndr"),
        ([], "fast", "preset 'fast' is not known: give csit, rfc2544, tst009, quick"),
        (["ndr", "ndr=0"], "csit", "two goals are called ndr"),
        (["ndr", "zero=0"], "csit", "goal zero is the same as another one"),
        (["x:width=1%"], "csit", "does not say how much may be lost"),
        (["x:loss=0,loss=1"], "csit", "is not one of"),
        (["x:loss=0,speed=1"], "csit", "'speed=1' is not one of"),
        (["x:loss=much"], "csit", "'much' is not a number"),
        (["x:loss=nan"], "csit", "'nan' is not a number"),
        (["x:loss=120%"], "csit", "a loss ratio of 1.2"),
        (["x:loss=-1%"], "csit", "a loss ratio of -0.01"),
        (["x:loss=0,exceed=1"], "csit", "an exceed ratio of 1"),
        (["x:loss=0,width=0"], "csit", "a width of 0"),
        (["x:loss=0,initial=5,final=1"], "csit", "first trials of 5 s and last ones of 1 s"),
        (["x:loss=0,final=9,sum=3"], "csit", "trials of 9 s that sum to 3 s"),
        (["1:loss=0"], "csit", "has no name"),
        ([":loss=0"], "csit", "has no name"),
    ],
)
def test_goals_that_cannot_be(words: list[str], preset: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        goals_of(words, preset)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("x:loss=1e-9", "its loss ratio of 1e-09 is less than one of the 1,000,000 packets"),
        ("x:loss=0,width=1e-8", "loads 1e-06 % apart differ by less than one packet"),
    ],
)
def test_goals_that_no_trial_can_tell(word: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_resolution(goals_of([word], "csit"), 1e6)
    check_resolution(goals_of([], "csit"), 1e6)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (SearchPlan("bench"), "nothing to search for: give --goal or --mrr"),
        (SearchPlan("bench", mrr=MrrPlan(0, 1.0)), "MRR of 0 trials"),
        (SearchPlan("bench", mrr=MrrPlan(), limit_s=0.0), "time limit 0 is not a duration"),
        (SearchPlan("bench", mrr=MrrPlan(), most=Rate(101, "percentage")), "--max 101% is above line rate"),
    ],
)
def test_plans_that_cannot_be(plan: SearchPlan, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_plan(plan)


def test_mrr_and_latency_as_users_write_them() -> None:
    assert parse_mrr("5x10") == MrrPlan(5, 10.0)
    assert parse_latency("1kpps").rate_pps == 1000
    assert (parse_latency("1kpps,0.3").duration_s, parse_latency("1kpps").duration_s) == (0.3, 5.0)
    for text in ("5", "x", "5x", "-1x1"):
        with pytest.raises(UsageError, match="such as 10x1"):
            parse_mrr(text)
    with pytest.raises(UsageError, match="give packets per second"):
        parse_latency("1%")


def test_presets_have_what_their_names_say() -> None:
    assert PRESETS["rfc2544"].shape.exceed_ratio == 0
    assert PRESETS["rfc2544"].shape.final_s == PRESETS["rfc2544"].shape.sum_s == 60
    assert (PRESETS["tst009"].shape.final_s, PRESETS["tst009"].shape.sum_s) == (60, 120)
    assert PRESETS["csit"].shape == Goal("", 0.0, 0.5, 1.0, 21.0, 0.005, 1.0)
