"""The section of a report about the limit of each test: a summary first, and every figure with its source."""

from __future__ import annotations

from dataclasses import replace

from harness.page_results import B1514, FAST, PLAIN, loadtest
from report_cases import test_of
from report_charts import opened
from report_kinds import comparison_of, search_of, soak_of, suite_of
from simulated_dut import SimulatedDut, step

from wirespeed.explain.sources.files import cases_of_results
from wirespeed.measurement.loadtest.result import Judging
from wirespeed.report.comparison import compare
from wirespeed.report.page import to_html
from wirespeed.report.views import page_of
from wirespeed.results.figures import MEGA
from wirespeed.results.inspection import Inspection


def page(*results, inspections=()):
    return page_of(
        comparison_of(*results),
        title="T",
        scaler=MEGA,
        channels=frozenset({"0→1"}),
        date="today",
        inspections=inspections,
    )


def test_each_test_has_a_sentence_and_its_figures_lead_to_its_chart():
    found = page(test_of("ramp"), search_of("search", SimulatedDut(step(5e6))), soak_of(), suite_of()).explained
    views = {view.test: view for view in found.views}
    assert list(views) == ["ramp", "search", "soak"]  # this suite of RFC 2544 has no trials
    assert all(view.sentence and view.next for view in found.views)
    charts = {name: {line.chart for line in view.lines if line.chart} for name, view in views.items()}
    assert charts == {"ramp": {"load-0"}, "search": {"search-0"}, "soak": {"soak-0"}}
    places = {line.at for line in views["ramp"].lines if line.mark == "for"}
    assert places == {"14.881"}
    assert {line.at for line in views["soak"].lines} == {""}  # its chart is over time


def test_the_limit_is_that_of_the_cell_and_of_the_table():
    """A tester without a higher load was not the limit, and a search knows that the DUT lost packets without another
    cause.
    """
    all_came = loadtest(FAST, B1514, both=False)
    silent = loadtest(replace(PLAIN, name="silent"), lost=1.0)
    spoiled = loadtest(replace(PLAIN, name="disturbed"), disturbed=True)
    found = page(all_came, silent, spoiled, search_of("search"))
    cells = {cell.test: cell for cell in found.matrix.every_cell}
    views = {view.test: view for view in found.explained.views}
    assert {name: (cells[name].limit, view.cause) for name, view in views.items()} == {
        all_came.name: ("nothing", "not offered more"),
        silent.name: ("unknown", "unknown"),
        spoiled.name: ("host", "preemption"),
        "search": ("DUT", "unknown"),
    }
    assert views[silent.name].sentence == "unknown: no packet came back"
    assert views["search"].sentence == cells["search"].sentence == "the DUT loses packets above this load"


def test_an_old_file_is_explained_by_its_flat_figures():
    (view,) = page(test_of("ramp")).explained.views
    assert view.cause == "worker"
    texts = [line.text for line in view.lines]
    assert "438 cycles × 5.01 Mpps = 2.19 GHz, by the DUT" in texts
    assert any(text.startswith("loss (cliff): all comes back up to 5.01 Mpps") for text in texts)
    assert view.picture is None  # of nodes it tells nothing


def test_what_all_tests_miss_is_said_once():
    found = page(search_of("one"), search_of("two")).explained
    assert any("loadtest --dut" in what for what in found.missing)
    assert not [line for view in found.views for line in view.lines if line.mark == "missing"]
    alone = page(search_of("one")).explained
    assert alone.missing == () and [line for line in alone.views[0].lines if line.mark == "missing"]


def test_an_inspection_of_another_machine_says_nothing_of_the_device():
    result, facts = test_of("ramp"), {"cpu": {"governor": "powersave"}}
    named = replace(result, dut=replace(result.dut, name="box"))
    for machine, governor in (("tester", ""), ("box", "powersave")):
        (case,) = cases_of_results([named], [Inspection(machine, "today", (), facts=facts)])
        assert case.machine.governor == governor


def test_the_evidence_is_folded_below_the_sentence():
    text = opened(to_html(page(test_of("ramp"))))
    part = text.partition('<section id="why">')[2].partition("</section>")[0]
    assert part.count("<details") == part.count("<summary>") == 1
    assert 'data-at="14.8' in part and 'href="#load-0"' in part


def test_what_a_report_judges_by_holds_for_what_limited_too():
    told = compare([replace(test_of("ramp"), judging=Judging(line_bps=3e9))])
    assert told.explanations[0].case.load.line_bps == 3e9
