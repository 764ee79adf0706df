"""Searches, RFC 2544 and soaks: every place that shows a result prints the figures and sentences of one verdict."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from report_kinds import FORWARD, search_of, soak_of, suite_of, tried_suite_of
from simulated_dut import SimulatedDut, constant, linear, step
from test_figures_agree import assert_live, text, words_of

from wirespeed.article.build import article
from wirespeed.campaign.headline import headline
from wirespeed.cli.main import main
from wirespeed.compare.sides import read_side
from wirespeed.corpus.entry import IndexEntry, entry_of
from wirespeed.corpus.opening import open_corpus
from wirespeed.errors import UsageError
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.files import cases_of
from wirespeed.explain.verdicts import verdict_of
from wirespeed.exporter.runs import RunTarget
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.rfc2544.live import LINES
from wirespeed.measurement.rfc2544.result import Rfc2544Result
from wirespeed.measurement.rfc2544.text import TEXT
from wirespeed.measurement.search.live import summary
from wirespeed.measurement.search.report import SearchReport
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.soak import live as soak
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.results.figures import MEGA
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import LIMITS, Figure, Verdict
from wirespeed.site.entries import catalogue
from wirespeed.site.figures import mega, rate_of
from wirespeed.site.told import told_of
from wirespeed.tables import plain

RESULTS: dict[str, MeasurementResult] = {
    "search both ways": search_of("t", SimulatedDut(step(7.7712345e6)), mrr=3),
    "search one way": search_of("t", SimulatedDut(step(5.0123456e6)), directions=(FORWARD,)),
    "tester-limited": search_of("t", SimulatedDut(step(1e9), tester_pps=6.0123456e6)),
    "line": search_of("t", SimulatedDut(step(1e9))),
    "nearly the line": search_of("t", SimulatedDut(step(14.85e6)), directions=(FORWARD,)),
    "host-limited": search_of("t", SimulatedDut(step(7e6), away=lambda rng: True)),
    "lossy at each load": search_of("t", SimulatedDut(constant(0.003, step(7e6)))),
    "RFC 2544": suite_of("t"),
    "RFC 2544, nearly the line": tried_suite_of({"64": 14.85e6, "128": 4e6}, "t"),
    "soak": soak_of("t", seconds=20, lossy=[(7, 5)]),
}
OF_HOST: dict[str, SearchResult] = {
    "all lost": search_of("t", SimulatedDut(step(7e6), away=lambda rng: True)),
    "small losses": search_of("t", SimulatedDut(step(7e6), away=lambda rng: True, away_loss=5e-4)),
    "repeated": search_of("t", SimulatedDut(step(7e6), away=lambda rng: True), repeats=3),
}


@pytest.fixture(params=RESULTS)
def result(request: pytest.FixtureRequest) -> MeasurementResult:
    return RESULTS[request.param]


@pytest.fixture
def file(result: MeasurementResult, tmp_path: Path) -> Path:
    path = tmp_path / "t.json"
    write_file(result, path)
    return path


@pytest.fixture
def verdict(file: Path) -> Verdict:
    return verdict_of(read_file(file))


def rates_of(verdict: Verdict) -> list[Figure]:
    """Its figures that are rates; a soak has none."""
    return [one for one in verdict.figures if one.rate_pps is not None]


def test_the_limit_is_that_of_the_search(request: pytest.FixtureRequest, verdict: Verdict) -> None:
    named = {"tester-limited": "tester", "line": "line", "host-limited": "host", "soak": "nothing"}
    (name,) = [name for name in RESULTS if f"[{name}]" in request.node.name]
    is_nearly_line = name.endswith("nearly the line")
    assert verdict.limited_by == ("line" if is_nearly_line else named.get(name, "dut"))
    if is_nearly_line:
        assert explain(cases_of(RESULTS[name], "t")[0]).cause == verdict.limit.cause == "line-rate"
        assert verdict.next_step == "use smaller frames, both directions or a faster line"
    assert verdict.figure.bound == ("tester-limited" if name == "tester-limited" else "")


@pytest.mark.parametrize("name", OF_HOST)
@pytest.mark.parametrize("has_bound", [True, False])
def test_the_host_that_ended_a_search_is_named_first_everywhere(name: str, has_bound: bool) -> None:
    """Losses below 0.1 % are none to the cause `tester`, but the goal without loss refuses their load. A search that
    the host ended has no bound at all."""
    result = OF_HOST[name]
    if not has_bound:
        result = replace(result, goals=tuple(replace(one, upper_pps=None, limit="host") for one in result.goals))
    assert result.goals[0].limit == "host"
    found = explain(cases_of(result, "t")[0])
    assert found.cause == verdict_of(result).limit.cause == "preemption"
    assert "tester" not in {one.cause for one in found.named}
    of_host = replace(result, goals=tuple(goal for goal in result.goals if goal.limit == "host"))
    (remark,) = SearchReport().irregular([of_host])
    assert remark.sentence.endswith(" irregular: the host disturbed the trials.")


def test_a_load_that_the_goal_refuses_was_not_forwarded_whole() -> None:
    result = search_of("t", SimulatedDut(linear(3e6, 1e-11)))
    assert verdict_of(result).limited_by == "dut"
    assert explain(cases_of(result, "t")[0]).cause != "tester"


def test_terminals(file: Path, result: MeasurementResult, verdict: Verdict, capsys: pytest.CaptureFixture[str]) -> None:
    assert headline(file) == verdict.line
    if isinstance(result, SearchResult):
        lines = summary(result, verdict, None)
        assert [line.strip() for line in lines[1 : 1 + len(verdict.lines)]] == list(verdict.lines)
        for one, figure in zip(result.goals, verdict.figures, strict=True):
            (line,) = [line for line in lines if line.startswith(f"  {one.goal.name.upper()} allows")]
            assert f": {figure.each_way.text} each way" in line or not figure.is_measured
    if isinstance(result, SoakResult):
        assert [line.strip() for line in soak.summary(result, verdict, None)][1 : 1 + len(verdict.lines)] == [
            *verdict.lines
        ]
    if isinstance(result, Rfc2544Result):
        told = [line.strip() for line in LINES.summary(result, verdict, None)]
        assert told[1 : 1 + len(verdict.lines)] == list(verdict.lines)
        for row, figure in zip(result.throughput, verdict.figures, strict=True):
            assert f": {figure.each_way.text}, {figure.each_way.share_text}" in LINES.row_line("throughput", row)
    assert main(["explain", str(file)]) == 0
    assert f"  result   {verdict.line}\n" in capsys.readouterr().out
    assert main(["explain", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["verdict"] == verdict.to_json()


def test_tables(file: Path, result: MeasurementResult, verdict: Verdict) -> None:
    document = json.loads(text(file, output_format="json"))
    assert document["verdicts"]["t"] == verdict.to_json()
    if isinstance(result, Rfc2544Result):
        limits = [row["limited_by"] for row in document["rfc2544_rows"] if row["quantity"] == "throughput"]
        assert limits[0] == verdict.limited_by
        (table,) = [one.table for one in TEXT.sections(result, verdict) if one.test == "throughput"]
        column = table.headings.index("limit")
        assert [row[column] for row in table.rows] == [LIMITS[one] for one in limits]
        assert TEXT.text_block(result, verdict) in text(file, output_format="md")
    if not isinstance(result, SearchResult):
        return
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text(file, output_format="md").splitlines()
        if line.startswith("| t ") and "loss ≤" in line
    ]
    printed: list[dict[str, Any]] = [
        row for row in csv.DictReader(io.StringIO(text(file, output_format="csv"))) if row["kind"] == "goal"
    ]
    for shown, row, listed, figure in zip(cells, printed, document["goal_rows"], verdict.figures, strict=True):
        one = figure.each_way
        assert shown[4:6] == [one.scaled(MEGA), one.share_text]
        assert (row["text"], row["limited_by"]) == (listed["text"], listed["limited_by"])
        assert (row["text"], listed["limited_by"]) == (one.text, verdict.limited_by)


@pytest.mark.parametrize(
    ("carried", "limits"),
    [({"64": 14.85e6, "128": 4e6}, ["line", "DUT"]), ({"64": 4e6, "128": 8.43e6}, ["DUT", "line"])],
)
def test_each_frame_size_is_limited_by_what_explain_names_for_it(
    carried: dict[str, float], limits: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The line drops what the trials of one size count as lost by the DUT."""
    result = tried_suite_of(carried, "t")
    assert [row.limit for row in result.throughput] == ["dut", "dut"]
    write_file(result, tmp_path / "t.json")
    assert main(["rfc2544", "--show", str(tmp_path / "t.json")]) == 0
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    column = [cell.strip() for cell in rows[0]].index("limit")
    assert [row[column].strip() for row in rows[2:]] == limits
    assert "the DUT loses packets above this load" in words_of(text(tmp_path / "t.json"))  # no cause is named


def test_the_page(file: Path, result: MeasurementResult, verdict: Verdict) -> None:
    shown = words_of(text(file))
    assert verdict.sentence.replace("`", "") in shown
    if isinstance(result, SearchResult):
        assert " ".join(filter(None, verdict.figure.parts(MEGA))) in shown
        assert all(one.line_in(MEGA) in shown for one in verdict.figures[1:])
        assert all(one.each_way.scaled(MEGA) in shown for one in verdict.figures)
    else:
        assert all(line in shown for line in verdict.plain_lines[isinstance(result, SoakResult) :])


def test_the_live_page_its_index_and_the_exporter(file: Path, verdict: Verdict) -> None:
    assert_live(file, verdict)
    told = RunTarget("t", file).read().values
    rates = {name: value for (_, name), value in told.get("wirespeed_test_figure_pps", ())}
    assert rates == {one.name: one.rate_pps for one in rates_of(verdict)}
    assert {limit for (_, limit), value in told["wirespeed_test_limited_by"] if value} == {verdict.limited_by}


def test_the_corpus_its_site_and_the_article(
    file: Path, result: MeasurementResult, verdict: Verdict, tmp_path: Path
) -> None:
    stored = entry_of(result, "t", verdict_of)
    rates = [one.rate_pps for one in rates_of(verdict)]
    assert [one.rate_pps for one in stored.figures if not one.name.startswith("MRR")] == rates
    row = {name: getattr(stored, name) for name in IndexEntry.__dataclass_fields__ if name != "figures"}
    told, _ = told_of(result, "d")
    figures = [asdict(one) | {"digest": "d", "figure": one.name} for one in stored.figures]
    found = catalogue([row | {"digest": "d", "build": "", "is_missing": False}], figures, {"d": told}).figures.get(
        "d", ()
    )
    shown = [one for one in found if not one.name.startswith("MRR")]
    for one, figure in zip(shown, rates_of(verdict), strict=True):
        assert (rate_of(one), mega(one)) == (figure.text, figure.scaled(MEGA))
    assert set(told.sentences) == {line.replace("`", "") for line in verdict.lines}
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        corpus.add([file])
        written = article(corpus, "router")
    assert f"- t: {plain(verdict.lines[1])}\n" in written
    if isinstance(result, SearchResult) and rates_of(verdict):
        assert f"router forwards **{verdict.shown.text}** of 64b one flow" in written


def test_comparisons(file: Path, verdict: Verdict) -> None:
    if not rates_of(verdict):
        with pytest.raises(UsageError, match="has no rate to compare"):
            read_side(file)
        return
    values = read_side(file).values(by_name=False)
    rates = [one.rate_pps for key, found in values.items() if "MRR" not in str(key) for one in found]
    assert rates == [one.rate_pps for one in rates_of(verdict)]


def test_no_figure_is_above_its_line(verdict: Verdict) -> None:
    for figure in rates_of(verdict):
        assert figure.line_percent is not None and figure.line_percent <= 100
