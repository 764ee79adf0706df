"""Every figure of a demo's table is looked up exactly on each surface that shows the demo's result files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest

from wirespeed.cli.main import main
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file
from wirespeed.pages.trust import LEGEND, trust_of
from wirespeed.report.comparison import compare, distinct_names, read_all
from wirespeed.report.render import Format, render
from wirespeed.results.figures import MEGA
from wirespeed.results.verdict import LIMIT_WORDS, Verdict


def check_demo(printed: str, files: Sequence[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`printed` is the demo's table in a terminal wide enough to break no cell, `files` are its load tests."""
    files = sorted(files)
    found = compare(read_all(files)).verdicts
    verdicts = [found[name] for name in distinct_names(files)]
    assert _rows(printed) == len(verdicts) > 0
    for verdict in verdicts:
        assert re.search(r"\s+".join(map(re.escape, _cells(verdict))), printed), _cells(verdict)
        _check_limits(verdict)
    _check_report(files, verdicts)
    _check_explain(files, verdicts, capsys)
    _check_site(files, verdicts, tmp_path, capsys)


def _rows(printed: str) -> int:
    """Rows of the table: they end with a limit, and with cycles per packet if the router reports them."""
    limits = "|".join(map(re.escape, LIMIT_WORDS.values()))
    return len(re.findall(rf"(?m)^ .* (?:{limits})(?: +\d+)? *$", printed))


def _cells(verdict: Verdict) -> tuple[str, ...]:
    figure, full = verdict.figure, verdict.full_load
    assert full is not None
    return (figure.text, figure.share_text, full.text, full.loss_text, LIMIT_WORDS[verdict.limited_by])


def _words(page: str) -> str:
    """The text of a page, without its tags."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)))


def _check_limits(verdict: Verdict) -> None:
    """No figure exceeds line rate, and a limited row says what limited it and what to do next."""
    for figure in verdict.figures:
        assert all((one.line_percent or 0.0) <= 100.0 for one in (figure, *figure.each)), verdict.name
    assert verdict.sentence and verdict.next_step, verdict.name


def _check_report(files: Sequence[Path], verdicts: Sequence[Verdict]) -> None:
    def text(kind: Format) -> str:
        return render(files, title="T", date="", output_format=kind).text

    page = _words(text("html"))
    # A test has a row per direction; the last row is the total.
    listed = {row["test"]: row for row in csv.DictReader(io.StringIO(text("csv")))}
    document = json.loads(text("json"))
    table = {
        cells[0]: cells
        for line in re.sub(r"\\(?=[<>])", "", text("md")).splitlines()
        if (cells := [cell.strip() for cell in line.split("|")[1:-1]])
    }
    for verdict in verdicts:
        figure, full = verdict.figure, verdict.full_load
        assert full is not None
        row = table[verdict.name]
        assert (row[3], row[6], row[7], row[8]) == (
            figure.scaled(MEGA),
            figure.share_text,
            full.scaled(MEGA),
            full.loss_text,
        )
        assert row[12] == LIMIT_WORDS[verdict.limited_by]
        told = document["verdicts"][verdict.name]
        for shown in (listed[verdict.name], {row["test"]: row for row in document["rows"]}[verdict.name]):
            assert (shown["forwarded_text"], shown["full_load_text"]) == (figure.text, full.text)
            assert (shown["limited_by"], shown["sentence"]) == (verdict.limited_by, verdict.sentence)
        assert [one["text"] for one in told["figures"]] == [figure.text, full.text]
        assert [one["share"] for one in told["figures"]] == [figure.share_text, full.share_text]
        for one in figure.each or (figure,):
            marked = f"{trust_of(one).shape} {one.share_text}" if one.is_measured else ""
            assert f"{one.scaled(MEGA)} {marked}" in page
        assert verdict.sentence.replace("`", "") in page


def _check_explain(files: Sequence[Path], verdicts: Sequence[Verdict], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["explain", *map(str, files)]) == 0
    told = re.findall(r"(?m)^  result   (.*)$", capsys.readouterr().out)
    assert sorted(told) == sorted(verdict.line for verdict in verdicts)


def _check_site(
    files: Sequence[Path], verdicts: Sequence[Verdict], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, site = str(tmp_path / "corpus"), tmp_path / "site"
    assert main(["results", "add", "--archive", corpus, *map(str, files)]) == 0
    assert main(["results", "site", str(site), "--archive", corpus]) == 0
    capsys.readouterr()
    pages = [_words(page.read_text()) for page in sorted(site.rglob("*.html"))]
    marked = [
        page for page in pages if "from an archive of results" in page and any(one.shape in page for one in LEGEND)
    ]
    assert len(marked) > 3 and all(
        page.count(f"{one.shape} {one.word} : {one.why}") == 1 for one in LEGEND for page in marked
    )
    for file, verdict in zip(files, verdicts, strict=True):
        # A result's page depends on its own file only: other tests on the page change the text about the cause, but no
        # figure.
        alone = verdict_of(read_file(file))
        assert (alone.line, alone.limited_by) == (verdict.line, verdict.limited_by)
        assert any(f" {verdict.name} " in page and all(line in page for line in alone.plain_lines) for page in pages)
