"""Comparison of results: verdicts with known truth, bounds, controls, plateaus, and the command's output."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from random import Random
from statistics import median

import pytest
from harness import page_results as recorded
from hypothesis import given
from hypothesis import strategies as st
from report_kinds import search_of

from wirespeed.cli.main import main
from wirespeed.compare.comparison import compare
from wirespeed.compare.judgement import bounded, drift, judge
from wirespeed.compare.plateaus import plateaus
from wirespeed.compare.text import steps_text, table
from wirespeed.errors import UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import write_file
from wirespeed.results.figures import MEGA
from wirespeed.results.subjects import Subject, Value, figures

NDR = Subject("search", "bench size=64", "0→1, 1→0", "NDR")
IMIX = Subject("search", "bench size=imix", "0→1, 1→0", "NDR")
SPREAD = 0.015
RUNS = 1000


def drawn(random: Random, count: int, mean: float = 1e6, spread: float = SPREAD) -> list[float]:
    return [mean * random.gauss(1, spread) for _ in range(count)]


def test_error_rates_are_those_stated():
    """5 % of equal devices are called different at 95 %; a difference of 3 % is found with ten repeats."""
    random = Random(1)
    alike = [judge(drawn(random, 5), drawn(random, 5), 0.001, 0.95).word for _ in range(RUNS)]
    assert sum(word in ("better", "worse") for word in alike) <= 0.065 * RUNS
    found = [judge(drawn(random, 10), drawn(random, 10, 1.03e6), 0.01, 0.95).word for _ in range(RUNS)]
    assert found.count("better") >= 0.9 * RUNS and not found.count("worse")


def test_as_many_repeats_more_as_are_said_tell():
    """With that many more repeats nine of ten say `same`, if the spread is known; four repeats know it roughly."""
    random = Random(2)
    told = []
    for _ in range(50):
        a, b = drawn(random, 4), drawn(random, 4)
        first = judge(a, b, 0.02, 0.95)
        if first.word != "cannot tell":
            continue
        assert first.needed is not None
        more = first.needed
        told.append(judge(a + drawn(random, more), b + drawn(random, more), 0.02, 0.95).word)
    assert told.count("same") >= 0.7 * len(told) > 0


RATES = st.lists(st.floats(1e5, 1e6), min_size=2, max_size=6)


@given(RATES, RATES)
def test_swapped_sides_have_swapped_verdicts(a, b):
    one, other = judge(a, b, 0.01, 0.95), judge(b, a, 0.01, 0.95)
    assert {"better": "worse", "worse": "better"}.get(one.word, one.word) == other.word
    assert one.difference is not None and other.difference is not None
    assert math.isclose((1 + one.difference) * (1 + other.difference), 1, rel_tol=1e-9)


@given(RATES)
def test_the_same_values_are_never_better_or_worse(a):
    assert judge(a, a, 0.01, 0.95).word in ("same", "cannot tell")


def test_one_repeat_tells_nothing():
    assert (judge([1e6], [2e6], 0.01, 0.95).word, judge([1e6], [2e6], 0.01, 0.95).needed) == ("cannot tell", 1)
    assert judge([], [2e6, 2e6], 0.01, 0.95).needed == 2


@pytest.mark.parametrize(
    ("ratio", "a_bound", "b_bound", "word"),
    [
        (1.5, False, True, "better"),
        (1.5, True, False, "cannot tell"),
        (0.5, True, False, "worse"),
        (0.5, False, True, "cannot tell"),
        (1.5, True, True, "cannot tell"),
        (1.0, False, True, "cannot tell"),
    ],
)
def test_a_lower_bound_is_no_verdict_where_it_could_be_another(ratio, a_bound, b_bound, word):
    judged = judge([1e6, 1.001e6, 0.999e6], [ratio * rate for rate in (1e6, 1.001e6, 0.999e6)], 0.01, 0.95)
    found = bounded(judged, a_bound, b_bound)
    sides = {(True, False): "A is a lower bound", (False, True): "B is a lower bound"}
    why = sides.get((a_bound, b_bound), "both are lower bounds")
    assert (found.word, found.why) == (word, why if found != judged else "")


def values(rates: list[float], **more) -> list[Value]:
    return [Value(rate, **more) for rate in rates]


def test_what_the_bench_did_is_taken_off_by_a_control():
    random = Random(3)
    a = {NDR: values(drawn(random, 8)), IMIX: values(drawn(random, 8))}
    b = {NDR: values(drawn(random, 8, 0.9e6)), IMIX: values(drawn(random, 8, 0.9e6))}
    assert [row.judgement.word for row in compare(a, b, 0.02, 0.95).rows] == ["worse", "worse"]
    seen = compare(a, b, 0.02, 0.95, control="imix")
    words = {row.subject: row.judgement.word for row in seen.rows}
    assert words[IMIX] == "worse" and words[NDR] != "worse"
    assert seen.control == pytest.approx(-0.1, abs=0.02)
    with pytest.raises(UsageError, match="--control jumbo: no load of both sides"):
        compare(a, b, 0.02, 0.95, control="jumbo")
    with pytest.raises(UsageError, match="needs two or more repeats"):
        compare({IMIX: values([1e6])}, {IMIX: values([1e6])}, 0.02, 0.95, control="imix")


def test_irregular_values_are_left_out_and_counted():
    a = {NDR: values([1e6, 1.01e6]) + values([5e6], irregular="the machine was busy")}
    (row,) = compare(a, {NDR: values([1e6, 1.01e6])}, 0.05, 0.95).rows
    assert (row.irregular, row.a_pps) == (1, median([1e6, 1.01e6]))


def test_a_change_of_estimates_has_the_range_of_their_steps():
    """The limits are between the highest passing sample and the next one: 6 to 7 Mpps, then 4 to 5."""

    def estimate(rate: float) -> Value:
        return Value(rate, mark="estimate", samples=3, low_pps=rate - 1e6, high_pps=rate + 1e6)

    ramps = compare({NDR: [estimate(5e6)] * 2}, {NDR: [estimate(3e6)] * 2}, 0.01, 0.95)
    assert ramps.rows[0].steps == (pytest.approx(4 / 7 - 1), pytest.approx(5 / 6 - 1))
    assert table(ramps, 0.01).rows[0][-1] == "worse; the limit itself is 16.7 to 42.9 % lower"
    for steps, said in (
        ((-0.286, 0.0), "is up to 28.6 % lower"),
        ((0.05, 0.121), "is 5.0 to 12.1 % higher"),
        ((-0.1, 0.05), "differs by -10.0 to +5.0 %"),
    ):
        assert steps_text(replace(ramps.rows[0], steps=steps)) == f"; the limit itself {said}"
    held = compare({NDR: values([5e6] * 2)}, {NDR: values([3e6] * 2)}, 0.01, 0.95)
    assert (held.rows[0].steps, table(held, 0.01).rows[0][-1]) == (None, "worse")
    assert Value(1e6, mark="estimate", samples=1, low_pps=1e6, high_pps=1e6).limits_pps == (1e6, 2e6)


@pytest.mark.parametrize(
    ("a", "b", "word", "difference"),
    [
        ([1e6] * 2, [0.0] * 2, "worse", "-100.00 % (× 0)"),
        ([0.0] * 2, [1e6] * 2, "better", "–"),
        ([0.0] * 2, [0.0] * 2, "same within 2 %", "–"),
        ([1e6] * 2, [1e6, 0.0], "cannot tell: some runs forwarded nothing", "–"),
        ([0.0], [1e6], "one run each: cannot be judged", "–"),
        ([0.0] * 2, [1e6], "cannot tell: needs 1 more a side", "–"),
    ],
)
def test_nothing_that_comes_back_is_a_rate_of_0(a, b, word, difference):
    compared = compare({NDR: values(a, mark="lossy")}, {NDR: values(b, mark="estimate", samples=1)}, 0.02, 0.95)
    (row,) = table(compared, 0.02).rows
    assert row[1:] == (*(MEGA.text(median(rates)) for rates in (a, b)), difference, word)
    with pytest.raises(UsageError, match="needs two or more repeats"):
        compare({IMIX: values([0.0] * 2)}, {IMIX: values([1e6] * 2)}, 0.02, 0.95, control="imix")


def test_results_that_lost_all_are_worse(tmp_path, capsys):
    for name, lost in (("old", 0.0), ("new", 1.0)):
        recorded.written([recorded.loadtest(recorded.PLAIN, lost=lost)] * 2, tmp_path / name)
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new"), "--format", "md"]) == 7
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [[cell.strip() for cell in line.split("|")[2:6]] for line in lines] == [
        [rate, "0", "-100.00 % (× 0)", "worse"] for rate in ("5.01", "2.98")
    ]


def test_a_control_is_noisy_itself():
    steady, noisy = drift([1e6] * 3, [1e6, 1.001e6, 0.999e6]), drift([1e6, 1.2e6], [1e6, 1.3e6])
    assert steady is not None and noisy is not None
    assert steady.minus(noisy).half_width(0.95) > noisy.half_width(0.95)


def test_steps_of_a_series_are_where_they_are():
    random = Random(4)
    found = plateaus([*drawn(random, 8, spread=0.003), *drawn(random, 8, 1.1e6, spread=0.003)])
    assert [(one.first, one.last) for one in found] == [(0, 7), (8, 15)]
    assert found[1].mean / found[0].mean == pytest.approx(1.1, abs=0.01)


def written(folder, scale: float, count: int, **more):
    folder.mkdir()
    result = search_of(**more)
    goals = [replace(goal, lower_pps=goal.lower_pps and goal.lower_pps * scale) for goal in result.goals]
    for number in range(count):
        noisy = [replace(goal, lower_pps=goal.lower_pps and goal.lower_pps * (1 + number * 1e-4)) for goal in goals]
        write_file(replace(result, goals=tuple(noisy)), folder / f"run{number}.json")
    return folder


def test_folders_of_results_are_compared_test_by_test(tmp_path, capsys):
    old, new = written(tmp_path / "old", 1.0, 3), written(tmp_path / "new", 0.8, 3)
    assert main(["compare", str(old), str(new), "--format", "md"]) == 7
    said = capsys.readouterr().out
    assert "NDR of bench size=64" in said and "worse" in said and "-20.0" in said
    assert main(["compare", str(old), str(old)]) == 0
    assert "same within" in capsys.readouterr().out
    assert main(["compare", str(new), str(old), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {row["judgement"]["word"] for row in document["rows"]} == {"better"}
    assert main(["compare", str(new), str(old), "--format", "md"]) == 0
    head, rule, *_ = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in head.split("|")[1:-1]] == ["test", "A, Mpps", "B, Mpps", "difference", "verdict"]
    assert set(rule) == {"|", "-", " "}
    assert main(["compare", str(new), str(old), "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("kind,load,directions,figure,dut,a_pps,")


def test_one_result_a_side_needs_more_and_is_unclear_where_that_is_asked(tmp_path, capsys):
    old, new = written(tmp_path / "old", 1.0, 1), written(tmp_path / "new", 0.8, 1)
    assert main(["compare", str(old / "run0.json"), str(new / "run0.json"), "--format", "md"]) == 0
    assert "one run each: cannot be judged" in capsys.readouterr().out
    assert main(["compare", str(old), str(new), "--strict"]) == 8


def test_a_series_is_told_as_plateaus(tmp_path, capsys):
    written(tmp_path / "a", 1.0, 6)
    written(tmp_path / "b", 1.2, 6)
    assert main(["compare", "--trend", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    said = capsys.readouterr().out
    assert "of 6: run0 … run5\n" in said and "+20.0" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "give two results or folders of results to compare, not 0"),
        (["x"], 2, "not 1; a series takes --trend"),
        (["/nowhere.json", "/nowhere.json"], 6, "/nowhere.json"),
        (["nofile", "nofile"], 6, "'nofile' is not a file, tag, build or title of archive"),
        (["--trend"], 2, "give two or more results"),
        (["a", "b", "--equivalence", "0%"], 2, "--equivalence 0%: give 0.01% to 50%"),
        (["a", "b", "--equivalence", "1"], 2, "--equivalence 1: give percent with its sign, such as --equivalence 1%"),
        (["a", "b", "--equivalence", "1x"], 2, "--equivalence 1x: '1x' is not a number; give percent, such as"),
        (["a", "b", "--confidence", "0.95"], 2, "--confidence 0.95: give percent with its sign"),
        (["a", "b", "--confidence", "100%"], 2, "--confidence 100%: give 50% to 99.99%"),
    ],
)
def test_what_cannot_be_compared_is_one_line(words, code, said, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["compare", *words]) == code
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_an_empty_folder_and_a_result_without_rates_are_told(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["compare", str(tmp_path / "empty"), str(tmp_path / "empty")]) == 6
    assert "contains no result file (*.json)" in capsys.readouterr().err
    without = replace(search_of(), goals=())
    assert not list(figures(without, verdict_of(without)))
