"""RFC 2544 and soaks in a report: the RFC's own graphs, tables and text; loss over time, events, drift, the verdict."""

import csv
import io
import json

import pytest
from report_charts import curve
from report_kinds import comparison_of, soak_of, suite_of

from wirespeed.charts.page_parts import Fold, Heading, Paragraph
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.rfc2544.charts import latency_chart, loss_chart, throughput_chart
from wirespeed.measurement.rfc2544.report import REPORT as RFC2544
from wirespeed.measurement.rfc2544.text import TEXT
from wirespeed.measurement.soak.charts import soak_chart, spans_of
from wirespeed.measurement.soak.report import REPORT as SOAK
from wirespeed.measurement.soak.rows import tables_of
from wirespeed.measurement.soak.words import verdict_text
from wirespeed.report.comparison import compare
from wirespeed.report.listing import to_csv, to_json, to_markdown
from wirespeed.results.figures import MEGA
from wirespeed.tables import Grid

LOSSY = [(100, 50), (101, 20), (300, 7)]


@pytest.fixture(scope="module")
def suite():
    return suite_of()


@pytest.fixture(scope="module")
def soak():
    return soak_of(lossy=LOSSY, gap=350.0)


def test_throughput_stands_below_the_theoretical_line_by_frame_size(suite):
    chart = throughput_chart("t", "T", suite.throughput, MEGA)
    assert curve(chart, "theoretical").y == (14.881, 0.81274)
    measured = curve(chart, "throughput")
    assert (measured.x, measured.y) == ((0.0, 1.0), (7.0, 0.81274))
    assert chart.categories == ("64", "1518")


def test_frame_loss_has_both_axes_from_0_to_100_and_begins_at_none(suite):
    chart = loss_chart("l", "L", suite.frame_loss)
    scale = chart.panels[0].scale
    assert (chart.x_low, chart.x_high) == (scale.low, scale.high) == (0, 100)
    line = curve(chart, "64")
    assert line.x == (0.0, 30.0, 40.0, 50.0, 90.0, 100.0)
    assert line.y == (0.0, 0.0, 0.0, 6.0, 47.0, 52.0)


def test_latency_is_by_frame_size_from_the_least_to_the_most(suite):
    chart = latency_chart("l", "L", suite.latency)
    line = curve(chart, "0→1")
    assert line.y == (11.0, 11.0)
    assert (line.low, line.high) == ((5.0, 5.0), (80.0, 80.0))
    assert curve(chart, "0→1 without the DUT").y == (4.0, 4.0)


def test_each_test_has_its_table_and_says_how_far_it_conforms(suite):
    shown = compare([suite]).shown()
    (section,) = RFC2544.sections([suite], shown)
    assert [one.text for one in section.blocks if isinstance(one, Heading)] == [
        "Throughput",
        "Latency",
        "Frame loss rate",
        "Back-to-back frames",
        "System recovery",
        "Reset",
    ]
    assert [chart.identity for chart in shown.drawn.charts] == [
        "rfc2544-0-throughput",
        "rfc2544-0-latency",
        "rfc2544-0-frame-loss",
    ]
    said = [one.text for one in section.blocks if isinstance(one, Paragraph)]
    conformances = [text for text in said if "Conformance: RFC" in text]
    assert len(conformances) == 6
    assert "trials of 2 s, not of at least 60 s" in conformances[0]
    assert "✕ 1518: it carries the whole line" in said
    *_, fold = section.blocks
    assert isinstance(fold, Fold)
    assert "\n".join(fold.blocks[0].lines) + "\n" == TEXT.text_block(suite, verdict_of(suite))


def test_an_irregular_row_is_marked_in_chart_table_remarks_and_rows():
    suite = suite_of(irregular="the tester was the limit")
    odd = curve(throughput_chart("t", "T", suite.throughput, MEGA), "irregular")
    assert (odd.symbol, odd.x) == ("circle", (0.0, 1.0))
    (section,) = RFC2544.sections([suite], compare([suite]).shown())
    assert next(one for one in section.blocks if isinstance(one, Grid)).irregular == {0, 1}
    comparison = comparison_of(suite)
    (remark,) = [one for one in comparison.remarks if one.cause == "irregular-rows"]
    assert "suite throughput 64: the tester was the limit" in remark.tests
    assert json.loads(to_json(comparison, "T"))["rfc2544_rows"][0]["irregular"] == "the tester was the limit"


def test_programs_get_a_row_a_figure_of_rfc2544(suite):
    rows = list(csv.DictReader(io.StringIO(to_csv(comparison_of(suite)))))
    assert {row["kind"] for row in rows} == {"rfc2544"}
    found = {(row["quantity"], row["frame"], row["directions"]): row for row in rows}
    assert found["throughput", "64", "0→1, 1→0"]["value"] == "7000000.0"
    assert found["throughput", "64", "0→1, 1→0"]["limit"] == "dut"
    assert (found["latency", "64", "1→0"]["value"], found["latency", "64", "1→0"]["most"]) == ("11.0", "80.0")
    assert found["burst", "64", "0→1, 1→0"]["value"] == "950.0"
    # RFC 9004: 950 frames at line rate, less those forwarded in the meantime.
    corrected = 950 / 14_880_952.38 * (1 - 7e6 / 14_880_952.38)
    assert float(found["corrected buffer", "64", "0→1, 1→0"]["value"]) == pytest.approx(corrected, abs=1e-9)
    assert found["reset", "64", "0→1, 1→0"]["unit"] == "s"
    assert found["throughput", "64", "0→1, 1→0"]["conformance"].startswith("RFC 2544 §26.1 except")


def test_markdown_has_the_text_to_paste(suite):
    text = TEXT.text_block(suite, verdict_of(suite))
    assert text in to_markdown(comparison_of(suite), MEGA)
    assert "min µs" in text and "baseline µs" in text


def test_loss_a_minute_is_drawn_over_time_with_its_events_and_gaps(soak):
    chart = soak_chart("s", soak, "a soak")
    loss = curve(chart, "loss 0→1")
    assert spans_of(soak)[1] == "minute"
    assert len(loss.x) == 7
    assert loss.y[1] == pytest.approx(70 / 60e6, rel=1e-4)
    events = curve(chart, "loss event (DUT)")
    assert events.x == pytest.approx([100 / 60, 101 / 60, 5], rel=1e-4)
    assert "50 lost in 1 s" in events.told[0]
    (gap,) = chart.bands
    assert gap.name == "not observed"
    assert (gap.low, gap.high) == pytest.approx((350 / 60, 370 / 60), rel=1e-4)
    (target,) = chart.panels[0].rules
    assert (target.name, target.value) == ("target 1e-07", 1e-7)


def test_latency_of_a_soak_is_drawn_beside_how_it_drifted(soak):
    averages = curve(soak_chart("s", soak, "a soak"), "latency 0→1 average", 1)
    assert list(averages.y) == sorted(averages.y)
    (section,) = SOAK.sections([soak], compare([soak]).shown())
    drifts = next(one for one in section.blocks[0].blocks if isinstance(one, Fold)).blocks[0]
    assert drifts.rows[0] == ("latency 0→1, average (µs)", "8.2", "11.8", "+43.9")


def test_a_short_soak_is_drawn_by_the_second():
    assert spans_of(soak_of(seconds=30))[1] == "second"


def test_the_verdict_is_a_sentence(soak):
    assert verdict_text(soak.verdict) == (
        "Lost 77 of 800,000,000 (9.6e-08) in 3 events; at most 1.2e-07 at 95 %; 1e-07 shown at 95 %: no, needs 66 s "
        "more without another loss."
    )
    assert verdict_text(soak_of(shown=True, seconds=20).verdict).endswith("1e-07 shown at 95 %: yes.")


def test_its_load_is_called_as_in_other_tables(soak):
    (table,) = tables_of([soak], MEGA)
    assert table.rows[0][1:4] == ("64b one flow", "0→1, 1→0", "1.00")


def test_programs_get_the_verdict(soak):
    (row,) = json.loads(to_json(comparison_of(soak), "T"))["soak_rows"]
    assert (row["lost"], row["events"], row["gaps"], row["shown"], row["target_ratio"]) == (77, 3, 1, False, 1e-7)
    assert row["needed_s"] == pytest.approx(soak.verdict.needed_s, abs=0.01)
    assert "soak: Lost 77 of 800,000,000" in to_markdown(comparison_of(soak), MEGA)


def test_times_that_nobody_watched_are_a_remark(soak):
    (remark,) = [one for one in comparison_of(soak).remarks if one.cause == "gaps"]
    assert remark.tests == ("soak: 1 gap, 20 s in all",)
