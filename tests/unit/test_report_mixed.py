"""All kinds of result in one report: each has its section, none requires the others, and text from files is escaped."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import GOLDEN, test_of
from report_charts import unpacked
from report_kinds import FORWARD, search_of, soak_of, suite_of
from simulated_dut import SimulatedDut, step
from test_report_page import ACTING, HOSTILE, Reader, hostile, page

from wirespeed.cli.main import main
from wirespeed.measurement.file import write_file
from wirespeed.measurement.registry import kinds, report_of
from wirespeed.pages.words import unbroken
from wirespeed.results.codec import from_json
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import LabFacts

KINDS = {
    "search": lambda: search_of("a", mrr=3, latency=True),
    "rfc2544": suite_of,
    "soak": lambda: soak_of(seconds=200, lossy=[(20, 5)]),
}


@pytest.fixture(scope="module")
def results():
    ramp = test_of("wirespeed", change=lambda document: document.update(dut={"name": "router"}))
    found = search_of(dut=SimulatedDut(step(5.0e6)), directions=(FORWARD,), mrr=3, latency=True)
    return [ramp, found, suite_of(), soak_of(seconds=200, lossy=[(20, 5)], gap=30.0)]


def ids(text):
    return [item["id"] for tag, item in Reader(text).elements if tag in ("section", "div") and "id" in item]


def test_every_kind_has_its_part_of_the_page(results):
    text = page(results)
    assert [one for one in ids(text) if "-" not in one] == [
        *("answers", "compared", "matrix", "summary", "searches", "soaks", "why", "remarks", "configuration")
    ]
    charts = [item["id"] for _, item in Reader(text).elements if item.get("class") == "chart"]
    assert set(charts) == set(unpacked(text)["figures"])
    assert {"load-0", "search-0", "rfc2544-0-throughput", "soak-0"} <= set(charts)
    shown = Reader(text).text
    assert {"Configuration: load tests", "Configuration: searches", "Configuration: soaks"} <= set(shown)
    assert unbroken("NDR 4.99 to 5.14 Mpps, 33.5 % of line") in shown  # in the card of the load test


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_kind_needs_another(kind):
    text = page([KINDS[kind]()])
    read = Reader(text)
    assert read.open == []
    assert not {"answers", "summary", "compared"} & set(ids(text))
    assert unpacked(text)["figures"]
    assert "Configuration" in read.text


def test_the_answer_of_a_search_opens_a_page_of_searches():
    text = page([search_of("a"), search_of("b", described={"name": "other"})])
    assert ids(text)[:3] == ["found", "compared", "matrix"]
    assert [item.get("class") for _, item in Reader(text).elements].count("card") == 2


def test_many_searches_are_folded_and_have_cards_while_there_is_room():
    text = page([search_of(f"s{number}", described={"name": f"r{number}"}) for number in range(10)])
    read = Reader(text)
    assert [item.get("class") for _, item in read.elements].count("card") == 8
    assert "2 more in the table of goals." in read.text
    assert "Trials of s9" in read.text


def dirty(result, text):
    """`result` with `text` in every text field."""
    dut, lab = from_json(DutFacts, {"name": text, text: text}), from_json(LabFacts, {text: text})
    variables = from_json(type(result.variables), {"profile_file": text, text: text})
    said = {"name": text, "dut": dut, "lab": lab, "variables": variables}
    ending = replace(result.ending, status="failed", reason=text, started=text, notes=(text,))
    result = replace(result, versions={"wirespeed": text, "generator": text}, ending=ending, **said)
    match result:
        case _ if hasattr(result, "goals"):
            goals = tuple(replace(one, irregular=text, goal=replace(one.goal, name=text)) for one in result.goals)
            trials = tuple(replace(one, label=text, excluded=text) for one in result.trials)
            return replace(result, goals=goals, trials=trials)
        case _ if hasattr(result, "frame_loss"):
            method = replace(result.method, protocol=text, stream_format=text, exceptions={"throughput": (text,)})
            rows = tuple(replace(one, frame=text, irregular=text) for one in result.throughput)
            losses = tuple(replace(one, frame=text) for one in result.frame_loss)
            resets = tuple(replace(one, kind=text) for one in result.reset)
            return replace(result, method=method, throughput=rows, frame_loss=losses, reset=resets)
        case _:
            events = tuple(replace(one, why=text, drops={text: 1}) for one in result.events)
            return replace(result, events=events, gaps=tuple(replace(one, why=text) for one in result.gaps))


def test_text_from_files_stays_text(results):
    ramp, *others = results
    plain = Reader(page(results))
    written = page([hostile(ramp, HOSTILE), *(dirty(one, HOSTILE) for one in others)], title=HOSTILE)
    read = Reader(written)
    assert read.open == []
    assert len(read.scripts) == len(plain.scripts) == 2
    assert read.scripts[1] == plain.scripts[1]
    assert unpacked(written)["scripts"] == unpacked(page(results))["scripts"]
    assert {tag for tag, _ in read.elements} <= {tag for tag, _ in plain.elements}


def test_text_from_files_does_not_act_on_the_screen(results):
    ramp, *others = results
    written = page([hostile(ramp, ACTING), *(dirty(one, ACTING) for one in others)])
    for part in (*Reader(written).text, json.dumps(unpacked(written), ensure_ascii=False)):
        for letter in ("\u202e", "\u2066", "\x1b", "\x00"):
            assert letter not in part


@pytest.mark.parametrize("output", ["html", "md", "csv", "json"])
@pytest.mark.parametrize("layout", ["list", "matrix", "nodes"])
def test_the_command_takes_all_kinds_in_one_call(output, layout, results, tmp_path, capsys):
    paths = [str(GOLDEN / "wirespeed.json")]
    for number, result in enumerate(results[1:]):
        path = tmp_path / f"{number}.json"
        write_file(result, path)
        paths.append(str(path))
    assert main(["report", *paths, "--format", output, "--layout", layout, "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").stat().st_size
    assert "warning: 1 soak (2) with gaps in observation." in capsys.readouterr().err


def test_the_columns_are_documented():
    text = (Path(__file__).parents[2] / "docs" / "result-format.md").read_text(encoding="utf-8")
    others = [report_of(kind) for kind in kinds() if not report_of(kind).leads]
    rows = {name: row for shown in others for name, (row, _) in shown.row_kinds.items()}
    assert {"goal", "mrr", "latency", "rfc2544", "soak"} <= set(rows)
    for kind, row in rows.items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| `{kind}` | `{kind}_rows`")]
        documented = line.rsplit("`", 2)[1].split()
        assert sorted([*documented, "test", "outcome"]) == sorted(row.__dataclass_fields__)


def test_channels_are_chosen_among_load_tests_alone(tmp_path, capsys):
    write_file(search_of("a"), tmp_path / "a.json")
    assert main(["report", str(tmp_path / "a.json"), "--only-channels", "0-1", "-o", str(tmp_path / "out")]) == 2
    assert "none of the results is a load test" in capsys.readouterr().err
