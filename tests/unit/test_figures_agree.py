"""One file, one verdict: every place that shows a result prints the figures and sentences of the same verdict."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, replace
from html import unescape
from pathlib import Path

import pytest
from simulated_bench import LINE_BPS, Bench, ramp, run

from wirespeed.article.build import article
from wirespeed.campaign import ab
from wirespeed.campaign.headline import headline
from wirespeed.cli.main import main
from wirespeed.compare.sides import read_side
from wirespeed.corpus.entry import IndexEntry as Stored
from wirespeed.corpus.entry import entry_of
from wirespeed.corpus.opening import open_corpus
from wirespeed.demo.demo import tables
from wirespeed.demo.suite import STANDARD_SUITE, finding
from wirespeed.explain.verdicts import verdict_of
from wirespeed.exporter.runs import RunTarget
from wirespeed.measurement.file import read_as, read_file, write_file
from wirespeed.measurement.load import load_of
from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.live import summary
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.pages.trust import trust_of
from wirespeed.report.render import render
from wirespeed.results.balance import Medium
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending
from wirespeed.results.figures import MEGA, fitting, three_digits
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Sample
from wirespeed.results.verdict import LIMIT_WORDS, Figure, Verdict
from wirespeed.site.entries import catalogue
from wirespeed.site.figures import mega, rate_of
from wirespeed.site.told import told_of
from wirespeed.tables import plain
from wirespeed.web.folder import Folder
from wirespeed.web.followed import Followed

SETTINGS = LoadTestSettings(
    profile_file="bench",
    tunables="size=64",
    warmup_mult="1kpps",
    warmup_duration=0,
    rampup_target=100,
    rampup_duration=15,
    hold_duration=2.5,
)
BENCHES = {
    "saturated, memif": Bench(medium=Medium.RING, dut=lambda pps: min(pps, 5.0123456e6), interval_s=0.25),
    "line rate that catches up": Bench(
        medium=Medium.RING, interval_s=0.25, dut=lambda pps: pps if pps < 14.8e6 else 1.01 * pps
    ),
    "tester-limited": Bench(medium=Medium.RING, worker_pps=6.54321e6, interval_s=0.25),
    "lossy, labels added": Bench(dut=lambda pps: 0.98765 * pps, received_frame_bytes=68, interval_s=0.25),
}


def both_ways(samples: list[Sample]) -> tuple[Sample, ...]:
    """The same figures in the other direction."""
    return tuple(
        replace(
            sample,
            ports={
                port: replace(
                    sample.ports[port],
                    **{
                        name: getattr(sample.ports[1 - port], name)
                        for name in ("tx_pps", "tx_bps", "tx_util", "rx_pps", "rx_bps", "rx_util")
                        if not getattr(sample.ports[port], name)
                    },
                    opackets=sample.ports[0].opackets,
                    ipackets=sample.ports[1].ipackets,
                    intended=sample.ports[0].intended,
                    intended_pps=sample.ports[0].intended_pps,
                    refused=sample.ports[0].refused,
                    late=sample.ports[0].late,
                    no_buffer=sample.ports[0].no_buffer,
                )
                for port in (0, 1)
            },
        )
        for sample in samples
    )


def result_of(bench: Bench, directions: int) -> Result:
    samples = run(bench, ramp(1.002 * 14_880_952, 30, 10))
    ports = {port: PortFacts(port, speed_bps=LINE_BPS, medium=bench.medium) for port in (0, 1)}
    forward = Channel(0, 1)
    result = Result(
        name="t",
        variables=SETTINGS,
        samples=both_ways(samples) if directions == 2 else tuple(samples),
        ports=ports,
        directions=(forward, forward.reverse)[:directions],
        dut=DutFacts("router"),
    )
    return judged(result)


@pytest.fixture(params=BENCHES)
def bench(request: pytest.FixtureRequest) -> Bench:
    return BENCHES[request.param]


@pytest.fixture(params=[1, 2])
def file(bench: Bench, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A result on `bench`, in one direction or both."""
    path = tmp_path / "t.json"
    write_file(result_of(bench, request.param), path)
    return path


@pytest.fixture
def verdict(file: Path) -> Verdict:
    return verdict_of(read_file(file))


def text(file: Path, **options: str) -> str:
    return render([file], title="T", date="", **options).text  # type: ignore[arg-type]


def measured(verdict: Verdict) -> list[Figure]:
    return [one for one in verdict.figures if one.is_measured]


def words_of(page: str) -> str:
    """The text of a page, without its tags."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)))


def test_a_test_that_ended_in_its_warm_up_measured_nothing() -> None:
    """Samples of the warm-up give neither a figure nor a limit."""
    whole = result_of(BENCHES["saturated, memif"], 1)
    warmed = tuple(replace(sample, phase="warm-up") for sample in whole.samples[:2])
    verdict = verdict_of(judged(replace(whole, samples=warmed, ending=Ending("interrupted", "Ctrl-C"))))
    assert [one.why for one in verdict.figures] == ["not measured: the test ended in its warm-up"] * 2
    assert (verdict.limited_by, verdict.limit.sentence) == (
        "unknown",
        "nothing was measured: the test ended in its warm-up",
    )


def test_tables_have_the_verdict_to_the_character(file: Path, verdict: Verdict) -> None:
    figure, full = verdict.figure, verdict.full_load
    assert full is not None
    *_, whole = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text(file, output_format="md").splitlines()
        if line.startswith("| t ")
    ]
    assert whole[3:10] == [
        figure.scaled(MEGA),
        *("–" if bps is None else three_digits(bps / 1e9) for bps in (figure.l2_bps, figure.l1_bps)),
        figure.share_text,
        full.scaled(MEGA),
        full.loss_text,
        whole[9],
    ]
    assert whole[12] == LIMIT_WORDS[verdict.limited_by]
    *_, row = csv.DictReader(io.StringIO(text(file, output_format="csv")))
    document = json.loads(text(file, output_format="json"))
    for found in (row, document["rows"][-1]):
        assert (found["forwarded_text"], found["full_load_text"]) == (figure.text, full.text)
        assert (found["sentence"], found["limited_by"]) == (verdict.sentence, verdict.limited_by)
        assert float(found["full_load_pps"]) == pytest.approx(full.rate_pps, abs=0.001)
        assert float(found["full_load_line_percent"]) == pytest.approx(full.line_percent, abs=0.001)
        if figure.is_measured:
            assert float(found["forwarded_pps"]) == pytest.approx(figure.rate_pps, abs=0.001)
            assert float(found["forwarded_line_percent"]) == pytest.approx(figure.line_percent, abs=0.001)
    assert document["verdicts"]["t"] == verdict.to_json()
    matrix = text(file, output_format="md", layout="matrix", both="sum100")
    bound = f", {figure.bound}" if figure.bound else ""
    share = f" ({figure.share_text}{bound})" if figure.is_measured else ""
    assert f"{figure.scaled(MEGA)}{share} " in matrix


def test_the_page_has_the_verdict_to_the_character(file: Path, verdict: Verdict) -> None:
    figure, full = verdict.figure, verdict.full_load
    assert full is not None
    shown = words_of(text(file))
    best = verdict.shown
    share = ", ".join(filter(None, (best.each_text(MEGA) if best.is_measured else "", best.share_text)))
    assert f"{' '.join(best.parts(MEGA))} {share}" in shown
    if figure.is_measured:
        assert f" forwards {full.text_in(MEGA)}, loss {full.loss_text}" in shown
    assert verdict.sentence.replace("`", "") in shown
    for one in figure.each or (figure,):
        marked = f"{trust_of(one).shape} {one.share_text}" if one.is_measured else ""
        assert f"{one.scaled(MEGA)} {marked}" in shown


def test_terminals_have_the_verdict_to_the_character(
    file: Path, verdict: Verdict, capsys: pytest.CaptureFixture[str]
) -> None:
    result = read_as(Result, file)
    assert summary(result, verdict, None)[1 : 1 + len(verdict.lines)] == [f"  {line}" for line in verdict.lines]
    assert headline(file) == verdict.line
    found = finding(STANDARD_SUITE[3], "router", result, file)
    demo = tables(STANDARD_SUITE, [found], {file: verdict})
    [cells] = [[*row] for _, table in demo for row in zip(*(column.cells for column in table.columns), strict=True)]
    full = verdict.full_load
    assert full is not None
    assert cells[2:6] == [verdict.figure.text, verdict.figure.share_text, full.text, full.loss_text]
    assert main(["explain", str(file)]) == 0
    assert f"  result   {verdict.line}\n" in capsys.readouterr().out
    assert main(["explain", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["verdict"] == verdict.to_json()
    compared = verdict.full_load if verdict.figure.mark == "lossy" else verdict.figure
    assert compared is not None and ab.figures([ab.verdict(file)])[1] == [compared.rate_pps]


def assert_live(file: Path, verdict: Verdict) -> None:
    """The live page and its index show the verdict."""
    followed = Followed(file)
    followed.look()
    assert followed.verdicts == verdict.lines
    assert followed.head["load"] == load_of(read_file(file)).title
    (listed,) = Folder([file]).tests
    assert (listed.row.figures, listed.row.figure) == (verdict.line, verdict.shown.cell(MEGA))
    assert listed.row.limit == LIMIT_WORDS[verdict.limited_by]
    assert [figure["name"] for figure in followed.figures] == [verdict.heading(figure) for figure in verdict.figures]
    unit = fitting(one.rate_pps for one in verdict.figures).unit
    assert {figure["unit"] for figure in followed.figures} <= {unit, ""}


def test_the_live_page_its_index_and_the_exporter_have_the_verdict(file: Path, verdict: Verdict) -> None:
    assert_live(file, verdict)
    told = RunTarget("t", file).read().values
    rates = {name: value for (_, name), value in told["wirespeed_test_figure_pps"]}
    assert rates == {one.name: one.rate_pps for one in measured(verdict)}
    limits = {limit for (_, limit), value in told["wirespeed_test_limited_by"] if value}
    assert limits == {verdict.limited_by}


def test_the_corpus_and_its_site_have_the_verdict(file: Path, verdict: Verdict) -> None:
    stored = entry_of(read_file(file), "t", verdict_of)
    assert [one.rate_pps for one in stored.figures] == [one.rate_pps for one in measured(verdict)]
    row = {name: getattr(stored, name) for name in Stored.__dataclass_fields__ if name != "figures"}
    told, _ = told_of(read_file(file), "d")
    figures = [asdict(one) | {"digest": "d", "figure": one.name} for one in stored.figures]
    listed = row | {"digest": "d", "build": "", "is_missing": False}
    for shown, one in zip(catalogue([listed], figures, {"d": told}).figures["d"], measured(verdict), strict=True):
        assert (rate_of(shown), mega(shown), shown.told.share_text) == (one.text, one.scaled(MEGA), one.share_text)
    assert set(told.sentences) == {line.replace("`", "") for line in verdict.lines}


def test_the_article_has_the_verdict_to_the_character(file: Path, verdict: Verdict, tmp_path: Path) -> None:
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        corpus.add([file])
        text = article(corpus, "router")
    shown = verdict.shown
    assert f"router forwards **{shown.text}** of 64b one flow" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| 64b one flow") and f"| {shown.name} " in line]
    assert [cell.strip() for cell in row.split("|")][3] == shown.scaled(MEGA)
    for one in verdict.figure.each or (verdict.figure,):
        bound = f", {one.bound}" if one.bound else ""
        share = f" ({one.share_text}{bound})" if one.is_measured else ""
        assert f"| {one.scaled(MEGA)}{share} |" in " ".join(text.split())
    _, limit, *_ = verdict.lines
    assert f"- t: {plain(limit)}\n" in text
    assert f"{limit[:1].upper()}{limit[1:].replace('`', '').rstrip('.')}.".replace("|", "\\|") in text


def test_comparisons_stand_on_the_verdict(file: Path, verdict: Verdict) -> None:
    values = read_side(file).values(by_name=False)
    assert [one.rate_pps for found in values.values() for one in found] == [one.rate_pps for one in measured(verdict)]


def test_no_rate_stands_above_its_line_and_its_parts_add_up(file: Path, verdict: Verdict) -> None:
    for figure in measured(verdict):
        assert figure.line_percent is not None and figure.line_percent <= 100
        assert figure.rate_pps is not None and figure.l1_bps is not None
        assert figure.l1_bps == pytest.approx(figure.line_percent / 100 * figure.lines * LINE_BPS)
        if figure.each:
            assert sum(one.rate_pps or 0.0 for one in figure.each) == pytest.approx(figure.rate_pps)
            assert sum(one.line_percent or 0.0 for one in figure.each) == pytest.approx(2 * figure.line_percent)
    percents = [float(found) for found in re.findall(r"(\d[\d.]*) % of (?:line|2 lines)", words_of(text(file)))]
    assert percents and all(percent <= 100 for percent in percents)


def test_each_bench_is_limited_by_what_limits_it(bench: Bench, verdict: Verdict) -> None:
    (name,) = [name for name, one in BENCHES.items() if one is bench]
    assert (verdict.limited_by, verdict.figure.mark) == {
        "saturated, memif": ("dut", "estimate"),
        "line rate that catches up": ("line", "held"),
        "tester-limited": ("tester", "at least"),
        # The returned frames are longer and fill the link, though the router loses some at each load.
        "lossy, labels added": ("line", "lossy"),
    }[name]
