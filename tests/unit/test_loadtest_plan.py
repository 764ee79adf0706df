"""The schedule of a load test, and refusals before it starts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.errors import UsageError
from wirespeed.measurement.loadtest.document import REQUIRED_VARS
from wirespeed.measurement.loadtest.plan import LoadPlan, check_plan, parse_steps, parse_target, steps
from wirespeed.results.channel import Channel
from wirespeed.results.codec import to_json
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.plan import parse_tunables
from wirespeed.trial.rates import check_rate, of_line
from wirespeed.units import Rate, parse_rate

DURATIONS = st.just(0.0) | st.floats(min_value=0.01, max_value=90)
PLANS = st.builds(
    LoadPlan,
    profile=st.just("bench"),
    warmup_s=DURATIONS,
    ramp_s=DURATIONS,
    hold_s=DURATIONS,
    interval_s=st.sampled_from([0.25, 1.0, 7.0]),
    ramp_target=st.sampled_from([Rate(100, "percentage"), Rate(33.3, "percentage"), Rate(5e6, "pps")]),
)


def test_the_defaults_are_those_of_trex_loadtest() -> None:
    schedule = steps(LoadPlan("imix"))
    assert [sum(step.phase == phase for step in schedule) for phase in ("warm-up", "ramp", "hold")] == [30, 600, 30]
    assert schedule[0].rate == schedule[29].rate == Rate(1000, "pps")
    assert schedule[30].rate == Rate(pytest.approx(100 / 600), "percentage")
    assert schedule[629].rate == schedule[659].rate == Rate(100, "percentage")
    assert schedule[659].end_s == 660


@given(PLANS)
def test_steps_follow_each_other_and_the_ramp_rises_evenly_to_its_target(plan: LoadPlan) -> None:
    schedule = steps(plan)
    for before, after in pairwise(schedule):
        assert after.start_s == pytest.approx(before.end_s)
    assert all(step.end_s > step.start_s for step in schedule)
    if schedule:
        assert schedule[0].start_s == 0
        assert schedule[-1].end_s == pytest.approx(plan.total_s)
    ramp = [step for step in schedule if step.phase == "ramp"]
    assert bool(ramp) == (plan.ramp_s > 0)
    for index, step in enumerate(ramp, start=1):
        assert step.rate.unit == plan.ramp_target.unit
        assert step.rate.value == pytest.approx(plan.ramp_target.value * index / len(ramp))
        assert step.rate.value > 0
    assert all(step.rate == plan.ramp_target for step in schedule if step.phase == "hold")


@given(st.floats(min_value=1, max_value=90), st.sampled_from([0.25, 0.7, 1.0]))
def test_a_step_lasts_about_an_interval(ramp_s: float, interval_s: float) -> None:
    for step in steps(LoadPlan("bench", warmup_s=0, ramp_s=ramp_s, hold_s=0, interval_s=interval_s)):
        assert interval_s / 1.5 - 1e-9 <= step.end_s - step.start_s <= interval_s * 1.5 + 1e-9


def test_variables_are_those_of_a_trex_loadtest_file() -> None:
    plan = LoadPlan("bench", {"size": "64", "vm": "var2"}, directions=pair_directions(only="0-1"), output_file="x.json")
    assert to_json(plan.variables("127.0.0.1:4501")) == {
        "server": "127.0.0.1:4501",
        "profile_file": "bench",
        "tunables": "size=64,vm=var2",
        "output_file": "x.json",
        "warmup_mult": "1kpps",
        "warmup_duration": 30.0,
        "rampup_target": 100.0,
        "rampup_duration": 600.0,
        "hold_duration": 30.0,
        "unidirectional": True,
    }
    assert set(REQUIRED_VARS) < set(to_json(plan.variables("x")))
    assert replace(plan, ramp_target=Rate(5e6, "pps")).variables("x").rampup_target == "5mpps"


def test_variables_say_what_trex_loadtest_has_no_word_for_only_where_it_is_used() -> None:
    plan = LoadPlan("bench", step_loads=parse_steps("1kpps,50%"), hold_s=7, latency_rate_pps=500.0, line_bps=1e9)
    told = to_json(plan.variables("x"))
    assert (told["steps"], told["latency"], told["line"]) == ("1kpps,50%", 500.0, 1e9)
    assert (told["rampup_duration"], told["hold_duration"], told["rampup_target"]) == (0.0, 7, 50.0)
    assert "signature" not in told


def test_steps_hold_each_load_in_turn() -> None:
    plan = LoadPlan("bench", warmup_s=2, hold_s=3, interval_s=1, step_loads=parse_steps("1kpps, 1mpps,50%"))
    check_plan(plan)
    found = [(step.phase, step.end_s, str(step.rate)) for step in steps(plan)]
    assert found == [
        *[("warm-up", 1.0, "1kpps"), ("warm-up", 2.0, "1kpps")],
        *[("step", 2.0 + n, "1kpps") for n in (1, 2, 3)],
        *[("step", 5.0 + n, "1mpps") for n in (1, 2, 3)],
        *[("step", 8.0 + n, "50%") for n in (1, 2, 3)],
    ]
    assert plan.total_s == 11


def test_percent_of_another_line_is_bits_of_it() -> None:
    assert of_line(Rate(50, "percentage"), 1e9) == Rate(5e8, "bpsl1")
    assert of_line(Rate(50, "percentage"), None) == Rate(50, "percentage")
    assert of_line(Rate(1000, "pps"), 1e9) == Rate(1000, "pps")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"warmup_s": -1.0}, "warm-up duration -1"),
        ({"ramp_s": float("nan")}, "ramp-up duration nan"),
        ({"hold_s": float("inf")}, "hold duration inf"),
        ({"ramp_s": 0.0, "hold_s": 0.0}, "nothing to measure"),
        ({"interval_s": 0.001}, "interval 0.001 is too short"),
        ({"interval_s": float("nan")}, "interval nan"),
        ({"threshold": 1.0}, "fail threshold 1 "),
        ({"threshold": -0.1}, "fail threshold -0.1"),
        ({"ramp_target": Rate(120, "percentage")}, "ramp target 120% .* at most 100"),
        ({"step_loads": (Rate(1, "pps"), Rate(120, "percentage"))}, "step 120% .* at most 100"),
        ({"step_loads": (Rate(1, "pps"),), "hold_s": 0.0}, "each step lasts 0 s"),
        ({"latency_rate_pps": 0.0}, "latency stream of 0 pps"),
        ({"latency_rate_pps": 1e6}, "latency stream of 1e.06 pps"),
        ({"directions": ()}, "no direction"),
        ({"directions": (Channel(0, 1), Channel(0, 2))}, "port 0 is to send to port 1 and to port 2"),
        ({"directions": (Channel(0, 2), Channel(1, 2))}, "ports 0 and 1 send to port 2, .*--signature"),
    ],
)
def test_a_plan_that_no_line_can_run_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_plan(replace(LoadPlan("bench"), **changes))


def test_a_rate_above_the_line_is_refused_and_one_at_the_line_is_not() -> None:
    for text in ("100%", "14.88mpps", "7.61gbps", "10gbpsl1"):
        check_rate("warm-up rate", parse_rate(text), 0, 64, 10e9)
    for text in ("100.1%", "14.9mpps", "7.63gbps", "10.1gbpsl1"):
        with pytest.raises(
            UsageError, match=r"warm-up rate of .* exceeds the line rate of port 1: 10 Gb/s carry at most 14,88"
        ):
            check_rate("warm-up rate", parse_rate(text), 1, 64, 10e9)


def test_percent_of_a_line_without_speed_means_nothing() -> None:
    with pytest.raises(UsageError, match="port 0 has no line speed"):
        check_rate("ramp target", Rate(100, "percentage"), 0, 64, None)
    check_rate("ramp target", Rate(5e9, "pps"), 0, 64, None)


def test_targets_are_percent_unless_they_have_a_unit() -> None:
    assert parse_target("97") == parse_target("97%") == Rate(97, "percentage")
    assert parse_target("2.5") == Rate(2.5, "percentage")
    assert parse_target("5mpps") == Rate(5e6, "pps")
    for text in ("0", "-5", "nan", "inf", "fast", ""):
        with pytest.raises(UsageError, match=r"rate|target"):
            parse_target(text)


def test_tunables() -> None:
    assert parse_tunables("size=64,vm=var2") == {"size": "64", "vm": "var2"}
    assert parse_tunables(" size=imix , ") == {"size": "imix"}
    assert parse_tunables("") == {}
    for text in ("size", "=64", "size=,vm=var2"):
        with pytest.raises(UsageError, match="KEY=VALUE"):
            parse_tunables(text)
