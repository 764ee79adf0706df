"""Searches in a report: trials and bounds as drawn, their tables, and their lines on the ramp of the same test."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import test_of
from report_charts import curve, over_load
from report_kinds import FORWARD, comparison_of, search_of
from simulated_dut import SimulatedDut, constant, step

from wirespeed.measurement.search.charts import search_chart
from wirespeed.measurement.search.report import REPORT
from wirespeed.measurement.search.rows import goal_rows, mrr_rows
from wirespeed.report.comparison import compare
from wirespeed.report.listing import to_csv, to_json, to_markdown
from wirespeed.report.matrix import matrix
from wirespeed.report.matrix_text import matrix_to_csv, matrix_to_json, matrix_to_markdown
from wirespeed.results.figures import MEGA

GOLDEN = Path(__file__).parents[1] / "golden" / "report"


def named(document):
    document["dut"] = {"name": "router"}


@pytest.fixture(scope="module")
def ramp():
    """The golden load test, 64-byte frames in one direction."""
    return test_of("wirespeed", change=named)


@pytest.fixture(scope="module")
def one_way():
    return search_of(dut=SimulatedDut(step(5.0e6)), directions=(FORWARD,), mrr=10, latency=True)


@pytest.fixture(scope="module")
def both_ways():
    return search_of("both")


@pytest.fixture(scope="module")
def limited():
    return search_of("limited", SimulatedDut(step(9e6), tester_pps=6e6))


def test_a_trial_is_a_point_of_what_came_back_and_was_lost_over_the_load(both_ways):
    chart = search_chart("s", both_ways, MEGA)
    received, lost = curve(chart, "trials"), curve(chart, "trials", 1)
    trials = sorted(both_ways.of("search"), key=lambda one: one.load_pps)
    assert received.x == lost.x == pytest.approx([one.load_pps / 1e6 for one in trials], rel=1e-4)
    # Per direction, though the loss is of both together.
    assert received.y == pytest.approx([one.received_pps / 2e6 for one in trials], rel=1e-4)
    floor = chart.panels[1].scale.ticks[0][0]
    assert lost.y == pytest.approx([max(one.loss_ratio, floor) for one in trials], rel=1e-4)
    assert f"trial {trials[0].number}, 0.25 s" in received.told[0]
    assert (received.dots, received.key) == (True, lost.key)


def test_the_intervals_of_goals_are_shaded(both_ways):
    bands = search_chart("s", both_ways, MEGA).bands
    assert [band.key for band in bands] == ["NDR", "PDR"]
    for found, band in zip(both_ways.goals, bands, strict=True):
        assert (band.low, band.high) == pytest.approx((found.lower_pps / 1e6, found.upper_pps / 1e6), rel=1e-4)


def test_what_limits_a_trial_is_its_shape(limited):
    noisy = search_of("away", SimulatedDut(step(7e6), away=lambda rng: True))
    short, away = (search_chart("s", one, MEGA) for one in (limited, noisy))
    assert curve(short, "the tester was the limit").symbol == "triangle"
    assert curve(away, "disturbed by the host").symbol == "cross"
    assert "worker was away" in curve(away, "disturbed by the host").told[0]


def test_latency_is_drawn_by_percentile_over_the_shares_of_the_load(one_way):
    chart = search_chart("s", one_way, MEGA)
    median = curve(chart, "0→1 50 %", 2)
    assert (median.x, median.y) == ((0.77, 3.85, 6.93), (8.0,) * 3)
    (floor,) = chart.panels[2].rules
    assert (floor.name, floor.value) == ("wirespeed-search 0→1 without the DUT", 4.5)


def card_of(search):
    (card,) = REPORT.cards([search], compare([search]).shown()).cards
    return card


def goals_of(search):
    return REPORT.tables([search], compare([search]).shown())[0]


def rows_of(search):
    return goal_rows([search], compare([search]).shown().verdicts)


def bounds(*tests, searches):
    return over_load(comparison_of(*tests), 0, frozenset({"0→1"}), searches).bands


def test_bounds_are_lines_on_the_ramp_of_the_same_test_alone(ramp, one_way, both_ways):
    other = search_of("elsewhere", directions=(FORWARD,), described={"name": "another"})
    sizes = search_of("larger", directions=(FORWARD,), tunables="size=1514")
    bands = bounds(ramp, searches=(one_way, both_ways, other, sizes))
    assert [band.key for band in bands] == ["NDR of wirespeed-search", "PDR of wirespeed-search"]
    assert bands[0].low == pytest.approx(one_way.goals[0].lower_pps / 1e6, rel=1e-4)


def test_a_search_of_a_router_without_a_name_goes_with_the_test_that_it_is_called_after():
    nameless = {"directions": (FORWARD,), "described": {}}
    mine, other = search_of("a-search", **nameless), search_of("b-search", **nameless)
    ramp = test_of("a", change=lambda document: document.update(dut={}))
    assert {band.of for band in bounds(ramp, searches=(mine, other))} == {"a-search"}


def test_an_irregular_goal_says_so_wherever_it_stands(limited):
    comparison = comparison_of(limited)
    assert "NDR ≥ 5.98 Mpps (tester-limited), irregular" in {one.name for one in search_chart("s", limited, MEGA).bands}
    assert goals_of(limited).irregular == {0, 1}
    assert card_of(limited).trust.word == "tester-limited: at least this"
    (remark,) = [one for one in comparison.remarks if one.cause == "irregular"]
    assert remark.sentence == "All 2 goals irregular: the tester could not offer more."
    text = to_markdown(comparison, MEGA)
    assert "≥ 5.98" in text
    assert "✕ irregular: the tester could not offer more" in text
    assert "6.17" not in text  # the tester's bound is not a bound of the router
    assert "≥ 5.98 (40.2 % of line, tester-limited)" in matrix_to_markdown(matrix(comparison), MEGA)


def test_a_router_that_loses_at_every_load_has_no_ndr():
    found = search_of("lossy", SimulatedDut(constant(0.003, step(7e6))))
    card, goals = card_of(found), goals_of(found)
    assert (card.rate, card.unit, card.trust.word) == ("less than 0.0180", "Mpps", "lossy")
    assert goals.rows[0][4:6] == ("less than 0.00900", "–")
    assert goals.rows[0][8] == "DUT"


def test_the_whole_line_has_no_upper_bound():
    found = search_of("line", SimulatedDut(step(1e9)))
    card, goals = card_of(found), goals_of(found)
    assert card.trust.word == "held"
    assert card.more[-1].startswith("the line is full")
    assert goals.rows[0][4:6] == ("14.9", "100 % of line")
    assert not goals.irregular


def test_a_goal_is_limited_by_what_explain_names():
    """The line drops what the trials count as lost by the DUT; the other goal allows that loss."""
    found = search_of("nearly", SimulatedDut(step(14.85e6)), directions=(FORWARD,))
    assert [goal.limit for goal in found.goals] == ["dut", "line"]
    assert [row[8] for row in goals_of(found).rows] == ["line", "line"]
    assert {cell.limit for cell in matrix(comparison_of(found)).every_cell} == {"line"}


def test_goals_of_different_limits_have_their_own_in_table_and_matrix():
    found = search_of("steady", SimulatedDut(constant(0.003, step(1e9))), directions=(FORWARD,))
    assert [goal.limit for goal in found.goals] == ["minimum", "line"]
    assert [row[8] for row in goals_of(found).rows] == ["unknown", "line"]
    assert [cell.limit for cell in matrix(comparison_of(found)).every_cell] == ["unknown", "line"]


@pytest.mark.parametrize("name", ["md", "csv", "json"])
def test_the_golden_tables(name, ramp, one_way, limited):
    """The files are updated by hand: write the functions' output and review it."""
    comparison = comparison_of(ramp, one_way, limited)
    text = {"md": lambda: to_markdown(comparison, MEGA), "csv": lambda: to_csv(comparison)}.get(
        name, lambda: to_json(comparison, "Searches")
    )()
    assert text == (GOLDEN / f"searches.{name}").read_text()


def test_programs_get_bounds_limit_and_why_a_goal_is_irregular(limited):
    rows = json.loads(to_json(comparison_of(limited), "T"))["goal_rows"]
    assert [(row["goal"], row["limit"], row["allowed_loss_ratio"]) for row in rows] == [
        ("ndr", "tester", 0.0),
        ("pdr", "tester", 0.005),
    ]
    assert all(row["irregular"] and row["lower_pps"] < row["upper_pps"] for row in rows)
    table = list(csv.DictReader(io.StringIO(to_csv(comparison_of(limited)))))
    assert [(row["kind"], row["limit"]) for row in table] == [("goal", "tester")] * 2


def test_mrr_has_its_spread_of_all_directions():
    (row,) = mrr_rows([search_of("mrr", mrr=10)])
    assert (row.trials, row.mean_pps, row.stdev_pps) == (10, 15_540_000.0, 0.0)
    assert row.mean_line_percent == pytest.approx(52.21, abs=0.01)


def test_trials_that_do_not_count_are_counted(one_way):
    (row, _) = rows_of(one_way)
    assert (row.trials, row.excluded, row.outcome) == (len(one_way.of("search")), 0, "complete")


def test_the_matrix_has_a_column_a_goal_behind_the_test(ramp, one_way, both_ways):
    found = matrix(comparison_of(ramp, one_way, both_ways))
    assert [(column.direction, column.goal) for column in found.columns] == [
        ("0→1", ""),
        ("0→1", "NDR (loss ≤ 0 %)"),
        ("0→1", "PDR (loss ≤ 0.5 %)"),
        ("both each way", "NDR (loss ≤ 0 %)"),
        ("both each way", "PDR (loss ≤ 0.5 %)"),
    ]
    assert found.labels == ("64b one flow",)
    assert "4.99 to 5.14 (33.5 % of line)" in matrix_to_markdown(found, MEGA)
    header, line = matrix_to_csv(found).splitlines()
    assert header.split(",")[3:6] == [f"router 0→1 NDR (loss ≤ 0 %) {what}" for what in ("pps", "percent", "upper pps")]
    assert float(line.split(",")[3]) == pytest.approx(rows_of(one_way)[0].lower_pps, abs=0.01)
    cell = json.loads(matrix_to_json(found, "T"))["rows"][0]["cells"][1][0]
    assert (cell["chart"], cell["figures"]["goal"]) == ("search-0", "ndr")


def test_searches_of_the_same_load_share_a_row(one_way):
    other = search_of("other", tunables="flows=9,gap=1", directions=(FORWARD,))
    same = replace(other, name="same", variables=replace(other.variables, tunables="gap=1,flows=9"))
    found = matrix(comparison_of(one_way, other, same))
    assert [{cell.test for cells in row for cell in cells} for row in found.cells] == [
        {one_way.name},
        {"other", "same"},
    ]


def test_a_sum_of_both_directions_is_of_both_lines(both_ways):
    ((cell, *_), *_) = matrix(comparison_of(both_ways), both="sum200").cells
    assert cell[0].rate_pps == pytest.approx(2 * both_ways.goals[0].lower_pps)
    assert (cell[0].of_percent, cell[0].percent) == (200, pytest.approx(102.53, abs=0.01))
