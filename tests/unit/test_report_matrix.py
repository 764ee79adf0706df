"""The articles' table: loads by devices and directions."""

import csv
import io
import json

import pytest
from report_cases import OLD, late, test_of

from wirespeed.errors import UsageError
from wirespeed.report.comparison import compare
from wirespeed.report.matrix import Column, matrix, parse_labels
from wirespeed.report.matrix_text import matrix_to_csv, matrix_to_json, matrix_to_markdown
from wirespeed.results.figures import MEGA


def named(name):
    def change(document):
        document["dut"] = {"name": name}

    return change


@pytest.fixture
def comparison():
    """VPP in one direction with one flow and with many, and both routers in both directions."""
    return compare(
        [
            test_of("a", change=named("VPP")),
            test_of("b", tunables={"size": "64", "vm": "var2"}, change=named("VPP")),
            test_of("c", OLD, named("VPP")),
            test_of("d", OLD, named("Linux")),
        ]
    )


def test_loads_are_rows_and_devices_by_direction_are_columns(comparison):
    found = matrix(comparison)
    assert found.labels == ("64b one flow", "64b many flows", "udp_1pkt_simple_bdir 64-byte frames")
    assert found.columns == (
        Column("VPP", "0→1"),
        *(Column(dut, f"both {channel}") for dut in ("VPP", "Linux") for channel in ("0→1", "1→0")),
    )
    assert [[len(cells) for cells in row] for row in found.cells] == [[1, 0, 0, 0, 0]] * 2 + [[0, 1, 1, 1, 1]]
    (there,), (back,) = found.cells[2][1:3]
    assert (there.rate_pps, there.percent, there.of_percent) == (744_050, 50, 100)
    assert (back.rate_pps, back.percent) == (744_050, 50)


@pytest.mark.parametrize(("both", "percent", "of"), [("sum200", 100, 200), ("sum100", 50, 100)])
def test_both_ways_together_are_of_200_or_of_100_percent(comparison, both, percent, of):
    found = matrix(comparison, both=both)
    assert found.columns == (Column("VPP", "0→1"), Column("VPP", "both"), Column("Linux", "both"))
    (cell,) = found.cells[2][1]
    assert (cell.rate_pps, cell.percent, cell.of_percent) == (1_488_100, percent, of)


def test_markdown_has_links_marks_and_their_meaning(comparison):
    found = matrix(comparison, both="sum200", labels=parse_labels(["one flow=bench size=64", "imix=udp*"]))
    head, rule, first, *rest = matrix_to_markdown(found, MEGA, "a page.html").splitlines()
    columns = ["Mpps (share)", "VPP 0→1", "VPP bidirectional", "Linux bidirectional"]
    assert [cell.strip() for cell in head.split("|")[1:-1]] == columns
    assert {len(line) for line in (head, rule, first, rest[0])} == {len(head)}
    assert [cell.strip() for cell in first.split("|")[1:-1]] == [
        "one flow",
        "[2.98 (20.0 % of line)](a%20page.html#load-0)",
        "–",
        "–",
    ]
    assert "[1.49 (100 of 200 %)~](a%20page.html#load-2)" in rest[1]
    assert rest[2:] == ["", "~ smoothed rates, as trex-loadtest writes them"]


def test_a_lower_bound_says_what_bounds_it():
    found = matrix(compare([test_of("a", change=late)]))
    assert "≥ 5.01 (33.7 % of line, tester-limited)" in matrix_to_markdown(found, MEGA)


def test_a_pattern_is_a_whole_name(comparison):
    assert matrix(comparison, labels=parse_labels(["64b=bench size=64"])).labels[:2] == ("64b", "64b many flows")
    assert matrix(comparison, labels=parse_labels(["64b=bench*"])).labels[0] == "64b"


def test_loads_that_share_a_label_share_a_row():
    tests = [test_of("a"), test_of("b", tunables="size=64,vm=var2")]
    found = matrix(compare(tests), labels=parse_labels(["64b=bench*"]))
    assert found.labels == ("64b",)
    assert len(found.cells[0][0]) == 2
    assert " / " in matrix_to_markdown(found, MEGA)


def test_a_template_has_the_words_of_the_load(comparison):
    labels = parse_labels(["{size}b {vm}"])
    tests = [test_of("a", tunables={"size": "64", "vm": "var2"}), test_of("b", tunables={"size": "1514"})]
    assert matrix(compare(tests), labels=labels).labels == ("64b var2", "1514b")
    assert matrix(comparison, labels=parse_labels(["{profile} {frame}", "x=udp*"])).labels == ("bench 64", "x")


@pytest.mark.parametrize("text", ["64b", "=bench", "64b=", ""])
def test_a_label_that_says_nothing_is_refused(text):
    with pytest.raises(UsageError, match="give LABEL=LOAD such as"):
        parse_labels([text])


@pytest.mark.parametrize("text", ["{", "{0}", "{size.a}", "{size!x}", "{size:>>>}"])
def test_a_template_that_cannot_be_read_is_refused(text, comparison):
    with pytest.raises(UsageError, match="is not a template: name settings in braces"):
        matrix(comparison, labels=parse_labels([text]))


def test_csv_and_json(comparison):
    found = matrix(comparison, both="sum100")
    head, *lines = csv.reader(io.StringIO(matrix_to_csv(found)))
    assert head[:3] == ["load", "VPP 0→1 pps", "VPP 0→1 percent"]
    assert lines[0][1:3] == ["2976192.0", "20.0"]
    assert lines[2][1:5] == ["", "", "1488100.0", "50.0"]
    document = json.loads(matrix_to_json(found, "Two"))
    assert document["columns"][1] == {"dut": "VPP", "direction": "both"}
    cell = document["rows"][2]["cells"][1][0]
    assert (cell["rate_pps"], cell["of_percent"], cell["chart"]) == (1_488_100, 100, "load-2")
    assert cell["figures"]["loss_onset_pps"] == 2_083_340


def test_rows_are_called_as_the_tests_called_their_loads():
    """The settings do not show that a router had an ACL. A load without a name is called by its settings."""
    bare = test_of("bare", tunables="size=64,vm=var2")
    flows = test_of("flows", tunables="size=64,vm=var2", group="64b many flows")
    acl = test_of("acl", tunables="size=64,vm=var2", group="64b ACL")
    found = matrix(compare([flows, acl, bare]))
    assert found.labels == ("64b many flows", "64b ACL")
    assert [[len(cells) for cells in row] for row in found.cells] == [[2], [1]]
    assert matrix(compare([bare])).labels == ("64b many flows",)
