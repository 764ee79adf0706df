"""The table in its four forms; the golden results' figures are checked here against the arithmetic by hand."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.errors import UsageError
from wirespeed.measurement.loadtest.rows import lines_of
from wirespeed.report.comparison import compare, read_all
from wirespeed.report.listing import to_csv, to_json, to_markdown
from wirespeed.results.figures import Scaler, parse_scaler

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
MEGA = Scaler(1e6, "M")


@pytest.fixture
def golden(monkeypatch):
    monkeypatch.chdir(GOLDEN)
    return compare(read_all([Path("trex-loadtest.json"), Path("wirespeed.json")]))


def rows(comparison):
    return [line.row for line in lines_of(comparison.results, comparison.verdicts)]


def test_an_old_result_by_hand(golden):
    # Ten steps of 148 810 pps to 1 Gb/s; 0→1 forwards 900 kpps, loses one second at 30 %, and passes in the last one.
    there, back, both = rows(golden)[:3]
    # Of five loads that passed, the third to fifth are the highest three, for both directions.
    assert (there.forwarded_pps, there.forwarded_line_percent, there.forwarded_loss_ratio) == (5 * 148_810, 50, 0)
    assert (there.forwarded_l2_bps, there.forwarded_l1_bps) == (5 * 148_810 * 64 * 8, 5 * 148_810 * 84 * 8)
    assert (there.full_load_pps, there.full_load_line_percent) == (900_000, 60.48)
    assert there.full_load_loss_ratio == pytest.approx(0.2463, abs=1e-4)
    assert (there.loss_onset_pps, there.loss_onset_line_percent) == (7 * 148_810, 70)
    assert there.saturation_low_pps < there.saturation_pps == 900_000 < there.saturation_high_pps
    assert (back.forwarded_pps, back.full_load_pps, back.full_load_line_percent) == (5 * 148_810, 1_488_100, 100)
    assert (back.loss_onset_pps, back.saturation_pps) == (None, None)
    assert (both.forwarded_pps, both.full_load_pps) == (2 * 5 * 148_810, 900_000 + 1_488_100)
    assert (both.lines, both.full_load_line_percent, both.loss_onset_line_percent) == (2, 80.24, 70)
    assert {row.notes for row in (there, back, both)} == {"smoothed rates"}


def test_a_result_of_ours_by_hand(golden):
    # Ten steps of 1 488 096 pps to 10 Gb/s against the Netgate article's 5.01 Mpps: 3.37 Gbps at layer 1, 33.67 %.
    row = rows(golden)[3]
    assert (row.forwarded_pps, row.full_load_pps) == (2 * 1_488_096, 5_010_000)
    assert (row.full_load_l1_bps, row.full_load_line_percent) == (5_010_000 * 672, 33.667)
    assert (row.forwarded_text, row.full_load_text, row.limited_by) == ("2.98 Mpps", "5.01 Mpps", "dut")
    assert (row.loss_onset_pps, row.loss_onset_line_percent) == (4 * 1_488_096, 40)
    assert (row.saturation_pps, row.saturation_line_percent) == (5_010_000, 33.667)
    assert 3 * 1_488_096 * 0.99 < row.saturation_low_pps < row.saturation_high_pps < 4 * 1_488_096 * 1.01
    assert row.notes == ""


def test_markdown(golden):
    assert to_markdown(golden, MEGA) == (GOLDEN / "table.md").read_text()


def test_csv(golden):
    assert to_csv(golden) == (GOLDEN / "table.csv").read_text()
    line = list(csv.DictReader(io.StringIO(to_csv(golden))))[1]
    assert float(line["full_load_pps"]) == 1_488_100
    assert line["saturation_pps"] == ""


def test_json(golden):
    assert to_json(golden, "Two") == (GOLDEN / "table.json").read_text()
    document = json.loads(to_json(golden, "Two"))
    assert document["rows"][1]["saturation_pps"] is None
    assert document["rows"][1]["threshold"] == 0.001


def test_a_name_cannot_break_the_markdown_table(golden):
    test = golden.results[0]
    named = replace(test, name="a|b\n<script>*x*`")
    lines = to_markdown(compare([named]), MEGA).splitlines()
    assert len(lines) == 2 + 3
    assert lines[2].startswith(r"| a\|b \<script>\*x\*\` |")


@pytest.mark.parametrize(
    ("pps", "scaler", "text"),
    [
        (14_880_952, "1000000:M", "14.9"),
        (203_715, "1000:k", "204"),
        (203_715.4, "1:", "204,000"),
        (1000, "1000000:M", "0.00100"),
        (12, "1000000:M", "0.0000120"),
        (0, "1000000:M", "0"),
        (None, "1000000:M", "–"),
    ],
)
def test_rates_are_scaled(pps, scaler, text):
    assert parse_scaler(scaler).text(pps) == text


@pytest.mark.parametrize(
    "text", ["", "M", "1000000", "0:M", "-1:M", "1e6:M", "nan:M", "1000:<b>", "1000:k:m", "9" * 400 + ":M"]
)
def test_a_wrong_scaler_is_a_usage_error(text):
    with pytest.raises(UsageError, match=r"DIV:PREFIX such as 1000000:M"):
        parse_scaler(text)
