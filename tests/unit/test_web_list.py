"""Rows of the web index in each state of a test: without a result, running, late, ended."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from harness import page_results as recorded

from wirespeed.measurement.file import read_file, write_file
from wirespeed.results.journal import Journal, journal_path
from wirespeed.site.entries import Catalogue, SiteEntry
from wirespeed.site.pages import pages
from wirespeed.site.parts import rate_cell
from wirespeed.site.told import told_of
from wirespeed.web.folder import Folder, ListedResult


def row_of(file: Path) -> ListedResult:
    (test,) = Folder([file]).tests
    return test.row


@pytest.mark.parametrize(
    ("began_s", "most_s", "progress"),
    [
        (10, 30, r"for 0:1\d, at most 0:(1\d|20) left"),
        (100, 30, r"for 1:4\d, 1:1\d longer than planned"),
        (100, 0, r"for 1:4\d, end not known"),
        (None, 30, ""),
    ],
)
def test_a_test_that_runs_says_how_long_it_still_takes(
    began_s: int | None, most_s: float, progress: str, tmp_path: Path
) -> None:
    file = tmp_path / "t.json"
    journal = Journal(journal_path(file))
    journal.most_s = most_s
    started = "" if began_s is None else (datetime.now(UTC) - timedelta(seconds=began_s)).isoformat()
    journal.begin("loadtest", {"started": started, "dut": {"version": "1.2"}})
    row = row_of(file)
    assert re.fullmatch(progress, row.progress), row.progress
    assert (row.dut, row.version) == ("unnamed", "1.2")
    journal.close()


def test_a_test_without_a_result_says_why(tmp_path: Path) -> None:
    assert row_of(tmp_path / "later.json").progress == "not begun"
    file = tmp_path / "t.json"
    journal = Journal(journal_path(file))
    assert row_of(file).progress == "just begun"
    journal.close()
    file.write_text("{")
    journal.remove()
    assert row_of(file).fault.startswith("result file t.json is not valid JSON")  # the folder is nobody's business


def test_a_test_that_was_killed_has_the_figure_of_what_ran(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    recorded.running(recorded.loadtest(recorded.PLAIN), file, 0.5).close()
    row = row_of(file)
    assert row.load == "64b one flow, bidirectional"
    assert row.figure == "2.98" and row.trust is not None and row.trust.word == "broken off"


@pytest.mark.parametrize(
    ("dut", "said", "figure", "mark"),
    [
        (recorded.SLOW, {"both": False}, "0.0500", "◇"),
        (recorded.FAST, {"both": False}, "32.7", "◆"),
        (recorded.PLAIN, {"lost": 1.0}, "0", "◇"),
        (recorded.PLAIN, {"disturbed": True}, "–", "◌"),
    ],
)
def test_figures_have_one_unit_and_nothing_that_comes_back_is_0(
    dut: recorded.SampleDut, said: dict[str, Any], figure: str, mark: str, tmp_path: Path
) -> None:
    """As in the tables of the site and of the report."""
    file = tmp_path / "t.json"
    write_file(recorded.loadtest(dut, **said), file)
    row = row_of(file)
    assert row.trust is not None and (row.figure, row.trust.shape) == (figure, mark)
    told, _ = told_of(read_file(file), "d")
    if figure == "0":
        words = ("loadtest", "t", "router", "", "", "bench size=64", "0→1", "", "complete", "")
        listed = SiteEntry("d", *words, None, is_missing=False, told=told)
        assert rate_cell(None, entry=listed).text == f"{figure} {mark}"
        (page,) = (one for one in pages(Catalogue((listed,), {}), "x", lambda _: {}) if one.path == "index.html")
        assert f">{figure} {mark}</td>" in page.render()


def test_an_unnamed_device_has_the_word_of_the_archive(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    write_file(recorded.loadtest(recorded.SampleDut("", 5e6)), file)
    assert row_of(file).dut == "unnamed"
