"""Charts of many devices: slow ones next to fast ones, and lines with the same meaning in each chart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from harness.page_results import B64, EIGHT, FAST, PLAIN, SLOW, loadtest

from wirespeed.charts.chart import Chart
from wirespeed.measurement.load import group_by_load
from wirespeed.measurement.loadtest.charts import MOST_APART, SUMS, by_speed, first_to_lose, load_chart
from wirespeed.measurement.loadtest.report import REPORT
from wirespeed.measurement.loadtest.result import Result
from wirespeed.report.comparison import compare
from wirespeed.report.matrix import matrix
from wirespeed.report.page import to_html
from wirespeed.report.views import page_of
from wirespeed.results.figures import MEGA, Scaler
from wirespeed.results.verdict import Verdict

NOTHING = replace(PLAIN, name="loses all")


def parts_of(results: list[Any]) -> list[list[str]]:
    (group,) = group_by_load(results)
    return [list(dict.fromkeys(one.dut.name for one in part.results)) for part in by_speed(group)]


def chart_of(results: list[Any]) -> Chart:
    found = compare(results)
    (group,) = group_by_load(found.kinds["loadtest"])
    return load_chart("load-0", group, found.shown(MEGA, frozenset({"0→1", "1→0"})))


def dashes(chart: Chart) -> dict[str, str]:
    lines = [curve for curve in chart.panels[0].curves if not curve.dots and curve.key != SUMS]
    return {curve.name.split(" ", 2)[-1]: curve.dash for curve in lines}


def test_devices_of_other_speeds_have_charts_of_their_own() -> None:
    boxes = [loadtest(box) for box in EIGHT]
    assert parts_of(boxes) == [[box.name for box in EIGHT]]
    slow, fast = loadtest(SLOW, both=False), loadtest(FAST, both=False)
    assert parts_of([*boxes, slow, fast]) == [[box.name for box in EIGHT], ["slow-box"], ["fast-box"]]
    assert parts_of([fast, slow]) == [["fast-box"], ["slow-box"]]
    assert parts_of([loadtest(PLAIN), loadtest(NOTHING, lost=1.0)]) == [["router", "loses all"]]


@pytest.mark.parametrize(("factor", "charts"), [(MOST_APART * 0.99, 1), (MOST_APART * 1.01, 2)])
def test_a_chart_has_devices_up_to_a_ratio(factor: float, charts: int) -> None:
    box = replace(PLAIN, capacity_pps=1e6)
    other = replace(box, name="other", capacity_pps=factor * box.capacity_pps)
    assert len(parts_of([loadtest(box), loadtest(other)])) == charts


def test_both_tests_of_a_device_stay_together() -> None:
    slow = replace(PLAIN, name="slow", capacity_pps=0.15e6)
    assert parts_of([loadtest(PLAIN, both=False), loadtest(slow), loadtest(PLAIN), loadtest(slow, both=False)]) == [
        ["router"],
        ["slow"],
    ]


def test_a_result_leads_to_the_chart_that_has_it() -> None:
    results = [loadtest(PLAIN), loadtest(FAST, both=False), loadtest(SLOW)]
    found = compare(results)
    places = REPORT.charts(found.kinds["loadtest"])
    assert places == {"router-64b-bi": "load-0", "fast-box-64b-uni": "load-0-2", "slow-box-64b-bi": "load-0-3"}
    shown = found.shown(MEGA, frozenset({"0→1", "1→0"}))
    list(REPORT.sections(found.kinds["loadtest"], shown))
    drawn = {chart.identity: chart for chart in shown.drawn.charts}
    assert {place: drawn[place].title for place in places.values()} == {
        "load-0": "Load test, 64b one flow: router",
        "load-0-2": "Load test, 64b one flow: fast-box",
        "load-0-3": "Load test, 64b one flow: slow-box",
    }
    of = {place: {curve.of for curve in drawn[place].panels[0].curves} for place in drawn if place.startswith("load")}
    assert of == {place: {name} for name, place in places.items()}


def test_a_line_is_a_direction_whatever_else_is_drawn() -> None:
    alone, both = loadtest(EIGHT[0], both=False), loadtest(EIGHT[1])
    many = [loadtest(box, both=way) for box in EIGHT for way in (False, True)]
    assert dashes(chart_of([both])) == {"0→1": "solid", "1→0": "dash"}
    assert dashes(chart_of([alone])) == {"0→1": "longdash"}
    assert dashes(chart_of(many)) == {"0→1": "longdash", "bidirectional 0→1": "solid", "bidirectional 1→0": "dash"}


def test_disturbed_samples_are_of_how_many_and_why() -> None:
    chart = chart_of([loadtest(PLAIN), loadtest(replace(PLAIN, name="disturbed"), disturbed=True)])
    (entry,) = [one for one in chart.legend if one.key == "disturbed"]
    assert entry.name == "30 of 60 samples disturbed: the host took CPUs away"
    crosses = [curve for curve in chart.panels[1].curves if curve.symbol == "cross"]
    assert sum(len(curve.x) for curve in crosses) == 60  # of both directions, and none of their sum


def test_a_loss_without_a_load_that_passed_has_no_interval() -> None:
    chart = chart_of([loadtest(NOTHING, B64, both=False, lost=1.0)])
    assert [entry.value for entry in chart.legend if entry.value] == ["loss onset at or below 0.744 Mpps"]


def test_a_card_says_what_each_of_its_rates_is() -> None:
    found = compare([loadtest(PLAIN)])
    cards = REPORT.cards(found.kinds["loadtest"], found.shown(MEGA))
    assert cards is not None and cards.heading == "64b one flow, bidirectional, both directions together"
    (card,) = cards.cards
    assert (card.heading, card.rate, card.unit) == ("load with loss ≤ 0.1 %, estimated", "2.98", "Mpps")
    assert card.share == "1.49 Mpps each way, 10.0 % of 2 lines"
    assert card.more == (
        "Loss begins between 4.46, the highest sample of the estimate, and 5.95 Mpps",
        "Overloaded with 29.8 Mpps: still forwards 5.01 Mpps, loss 83.2 %",
    )
    assert card.trust is not None
    assert card.trust.detail == "mean of 3 neighbouring samples, which forwarded 1.49 to 4.46 Mpps"


def test_the_cards_of_slow_and_fast_devices_have_the_unit_of_the_page() -> None:
    found = compare([loadtest(SLOW), loadtest(FAST)])
    cards = REPORT.cards(found.kinds["loadtest"], found.shown(MEGA))
    assert cards is not None and {card.dut for card in cards.cards} == {"slow-box", "fast-box"}
    assert {card.unit for card in cards.cards} == {"Mpps"}
    for card in cards.cards:
        assert card.trust is not None
        words = " ".join((card.rate, card.share, *card.more, card.trust.detail))
        assert "Mpps" in words and not re.search(r"[kG]pps", words)
    kilo = REPORT.cards(found.kinds["loadtest"], found.shown(Scaler(1e3, "k")))
    assert kilo is not None and {card.unit for card in kilo.cards} == {"kpps"}


def test_a_card_of_disturbed_samples_says_of_how_many() -> None:
    found = compare([loadtest(PLAIN, disturbed=True)])
    verdict: Verdict = found.verdicts["router-64b-bi"]
    assert (verdict.disturbed, verdict.samples) == (30, 30)
    cards = REPORT.cards(found.kinds["loadtest"], found.shown(MEGA))
    assert cards is not None and cards.cards[0].trust is not None
    assert cards.cards[0].trust.word == "disturbed: 30 of 30 samples"
    assert cards.cards[0].trust.why.startswith("The host took CPUs away")


def test_the_chart_says_which_device_loses_first_or_that_it_cannot_be_told() -> None:
    def first(*results: Result) -> str:
        (group,) = group_by_load(compare(numbered(results)).kinds["loadtest"])
        return first_to_lose(group, MEGA)

    one, three = loadtest(EIGHT[0], both=False), loadtest(EIGHT[2], both=False)
    assert first(one, three) == "Loss begins first in box 1, between 2.98 and 3.72 Mpps of a direction."
    near = loadtest(replace(EIGHT[0], name="near", capacity_pps=3.2e6), both=False)
    assert first(one, three, near) == (
        "Loss begins first in box 1 or near, which cannot be told apart: between 2.98 and 3.72 Mpps of a direction."
    )
    whole = loadtest(replace(PLAIN, name="loses nothing", capacity_pps=40e6), both=False)
    assert first(one) == first(whole, replace(whole, dut=three.dut)) == ""
    assert first(loadtest(NOTHING, both=False, lost=1.0), one).startswith(
        "Loss begins first in loses all, at or below "
    )


def test_equal_estimates_are_not_told_apart() -> None:
    near = loadtest(replace(EIGHT[0], name="near", capacity_pps=3.2e6))
    found = compare(numbered([loadtest(EIGHT[0]), loadtest(EIGHT[2]), near]))
    cards = REPORT.cards(found.kinds["loadtest"], found.shown(MEGA))
    assert cards is not None and [card.dut for card in cards.cards] == ["box 3", "near", "box 1"]
    assert cards.notes == (
        "near and box 1 cannot be told apart by estimates of 2.23 Mpps: their limits are within one step of the load; "
        "at full load near forwards most.",
    )


def test_the_newest_result_of_a_device_is_on_its_card() -> None:
    days = [f"2026-11-{day}T10:00:00+00:00" for day in (20, 22, 21)]
    slower = replace(PLAIN, capacity_pps=4e6)
    tests = [loadtest(PLAIN, started=days[0]), loadtest(slower, started=days[1]), loadtest(PLAIN, started=days[2])]
    found = compare(numbered(tests))
    cards = REPORT.cards(found.kinds["loadtest"], found.shown(MEGA))
    assert cards is not None and [card.edition for card in cards.cards] == ["version 1.0, 2026-11-22"]
    assert cards.notes == ("The newest result of each DUT; 2 others in “Side by side”.",)


def numbered(results: Iterable[Result]) -> list[Result]:
    """The results with different names, as if from files."""
    return [replace(one, name=f"{number:03d}") for number, one in enumerate(results)]


def test_versions_stand_on_cards_in_cells_and_beside_curves() -> None:
    found = compare(numbered(loadtest(PLAIN, version=version) for version in ("1.3", "1.4")))
    shown = found.shown(MEGA, frozenset({"0→1", "1→0"}))
    cards = REPORT.cards(found.kinds["loadtest"], shown)
    assert cards is not None and cards.cards[0].edition == "version 1.3, 2026-11-22"
    assert [[[one.edition for one in cells] for cells in row] for row in matrix(found).cells] == [[["1.3", "1.4"]] * 2]
    page = to_html(page_of(found, title="T", scaler=MEGA, channels=frozenset(), date="today"))
    assert page.count("<i>1.4:</i>") == 2 and "Before a figure stands the version of its DUT" in page
    (group,) = group_by_load(found.kinds["loadtest"])
    names = {curve.name for panel in load_chart("one", group, shown).panels for curve in panel.curves}
    assert {"router 0→1 (1.3)", "router 1→0 (1.4)", "router bidirectional (1.4)"} <= names


def test_tests_of_one_version_and_day_have_nothing_beside_their_figures() -> None:
    assert {one.edition for one in matrix(compare(numbered([loadtest(PLAIN), loadtest(PLAIN)]))).every_cell} == {""}


@pytest.mark.parametrize(("devices", "heads"), [(3, 7), (4, 2)])
def test_a_matrix_that_is_wider_than_a_page_has_devices_down(devices: int, heads: int) -> None:
    found = compare(numbered(loadtest(box) for box in EIGHT[:devices]))
    page = to_html(page_of(found, title="T", scaler=MEGA, channels=frozenset(), date="today"))
    (table,) = re.findall(r'<section id="matrix">.*?</table>', page, re.DOTALL)
    assert table.count('scope="col"') == heads and table.count('<a class="cell') == 2 * devices
    if heads == 2:
        rows = re.findall(r'scope="row">(.*?)</th>.*?data-of="(.*?)"', table, re.DOTALL)
        assert rows[:3] == [
            ("box 1 bidirectional 0→1", "000"),
            ("box 1 bidirectional 1→0", "000"),
            ("box 2 bidirectional 0→1", "001"),
        ]
