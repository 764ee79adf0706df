"""`wirespeed report` on the command line: options, output files, and errors."""

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest
from report_charts import unpacked

from wirespeed.cli.main import main

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
OLD, OURS = str(GOLDEN / "trex-loadtest.json"), str(GOLDEN / "wirespeed.json")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_goes_to_index_html(here, capsys):
    assert main(["report", OLD, OURS]) == 0
    page = (here / "index.html").read_text(encoding="utf-8")
    assert "<title>Loadtest results</title>" in page
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[-1] == "report written to index.html"
    assert "warning: 2 results of different length: from 14 to 15 samples." in said.err.splitlines()


def test_a_warning_is_one_line_a_cause_and_does_not_act_on_the_terminal(here, capsys):
    for number in range(3):
        (here / f"\x1b[2J\nwarning: {number}.json").write_text(Path(OLD).read_text())
    assert main(["report", *map(str, here.glob("*.json"))]) == 0
    stray, old, _ = capsys.readouterr().err.splitlines()
    assert stray.startswith("warning: 3 of 6 directions: some samples lost more than 0.1 %")
    assert old.startswith("warning: All 3 results without timestamps")
    (one,) = list(here.glob("*0.json"))
    assert main(["report", str(one)]) == 0
    assert "warning: 1 result (�[2J warning: 0) without timestamps" in capsys.readouterr().err


def test_the_page_goes_where_it_is_told(here, capsys):
    assert main(["report", OURS, "-o", "out.html", "-t", "Mine"]) == 0
    assert "<title>Mine</title>" in (here / "out.html").read_text(encoding="utf-8")
    assert not (here / "index.html").exists()
    assert main(["report", OURS, "-o", "-"]) == 0
    assert "<title>Loadtest results</title>" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["md", "csv"])
def test_a_table_goes_to_standard_output(name, here, capsys):
    assert main(["report", OLD, OURS, "--format", name]) == 0
    assert capsys.readouterr().out == (GOLDEN / f"table.{name}").read_text()
    assert list(here.iterdir()) == []


def test_a_table_goes_to_a_file(here, capsys):
    assert main(["report", OLD, OURS, "--format", "json", "-t", "Two", "-o", "t.json"]) == 0
    assert (here / "t.json").read_text() == (GOLDEN / "table.json").read_text()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["md", "csv"])
def test_the_suffix_of_the_output_is_its_format(name, here, capsys):
    assert main(["report", OLD, OURS, "-o", f"table.{name}"]) == 0
    assert (here / f"table.{name}").read_text() == (GOLDEN / f"table.{name}").read_text()


def test_a_format_that_is_given_stands_above_the_suffix(here, capsys):
    assert main(["report", OLD, OURS, "-o", "table.md", "--format", "csv"]) == 0
    assert (here / "table.md").read_text() == (GOLDEN / "table.csv").read_text()


def test_a_folder_is_the_results_in_it(here, capsys):
    (here / "results").mkdir()
    shutil.copy(OLD, here / "results")
    shutil.copy(OURS, here / "results")
    assert main(["report", "results", "--format", "csv"]) == 0
    folder = capsys.readouterr().out
    assert main(["report", *map(str, sorted((here / "results").iterdir())), "--format", "csv"]) == 0
    assert capsys.readouterr().out == folder
    (here / "empty").mkdir()
    assert main(["report", "empty"]) == 6
    assert "folder empty contains no result file (*.json)" in capsys.readouterr().err


def test_the_scaler_is_the_unit_everywhere(here, capsys):
    assert main(["report", OURS, "--format", "md", "-y", "1000:k"]) == 0
    assert "At full load (kpps)" in (said := capsys.readouterr().out)
    assert " 5,010 " in said


def test_the_threshold_is_what_counts_as_failed(capsys):
    assert main(["report", OURS, "--format", "json", "-f", "0.7"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["loss_onset_pps"], row["threshold"]) == (None, 0.7)


def test_no_loss_at_all_may_be_asked_for(capsys):
    assert main(["report", OURS, "--format", "json", "-f", "0"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["loss_onset_pps"], row["threshold"]) == (5_952_384, 0)
    assert main(["report", OURS, "-o", "-", "-f", "0"]) == 0
    assert "Forwarded, loss ≤ 0 %" in capsys.readouterr().out


def test_the_threshold_of_the_file_counts_unless_another_is_given(here, capsys):
    document = json.loads(Path(OURS).read_text())
    document["outcome"]["threshold"] = 0.7
    (here / "lax.json").write_text(json.dumps(document))
    assert main(["report", "lax.json", OURS, "--format", "csv"]) == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (first["threshold"], first["loss_onset_pps"]) == ("0.7", "")
    assert (second["threshold"], second["loss_onset_pps"]) == ("0.001", "5952384.0")
    assert main(["report", "lax.json", OURS, "--format", "md"]) == 0
    assert "Forwarded, loss ≤ 0.1 % or 70 % (Mpps)" in capsys.readouterr().out
    assert main(["report", "lax.json", OURS, "-o", "-"]) == 0
    figures = unpacked(capsys.readouterr().out)["figures"]
    assert any(rule["name"] == "loss 70 %" for rule in figures["load-0"]["panels"][1]["rules"])


def test_percent_of_another_line(capsys):
    assert main(["report", OURS, "--format", "json", "--line", "100G"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["full_load_pps"], row["full_load_line_percent"]) == (5_010_000, 3.367)


@pytest.mark.parametrize(("number", "drawn"), [("0", "0→1"), ("1", "1→0"), ("2", "sum")])
def test_the_articles_own_command_line(number, drawn, here, capsys):
    """`graph.rb -t … --only-channels 0 netgate-*-unidi*.json -o FILE`."""
    args = ["-t", "Netgate 6100 Unidirectional Loadtests", "--only-channels", number, OLD, "-o", "graph.html"]
    assert main(["report", *args]) == 0
    legend = unpacked((here / "graph.html").read_text())["figures"]["load-0"]["legend"]
    assert [entry["name"] for entry in legend if "off" not in entry] == [f"unnamed (trex-loadtest) {drawn}"]


def test_long_options_of_the_old_viewer(capsys):
    args = ["--title", "x", "--output", "-", "--fail-threshold", "0.01", "--yscaler", "1:", "--only-channels", "0-1"]
    assert main(["report", OURS, *args]) == 0
    assert "<title>x</title>" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["html", "md", "csv", "json"])
def test_names_that_are_no_unicode_do_not_stop_it(kind, here, capsys):
    document = json.loads(Path(OURS).read_text())
    document["vars"]["profile_file"] = "\udcff"
    path = here / os.fsdecode(b"caf\xe9.json")
    path.write_text(json.dumps(document))
    assert main(["report", str(path), "-o", "out", "--format", kind]) == 0
    assert "caf?" in (here / "out").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ([], 2, "Missing argument"),
        (["none.json"], 6, "result file none.json cannot be read: No such file or directory"),
        (["."], 6, "result file cut.json is not valid JSON (truncated?)"),
        (["cut.json"], 6, "result file cut.json is not valid JSON"),
        (["foreign.json"], 6, "foreign.json is not a load-test result: vars is missing"),
        ([OURS, "foreign.json"], 6, "foreign.json is not a load-test result"),
        (["newer.json"], 6, "newer.json is not a load-test result: its schema is 'wirespeed-loadtest/99'"),
        (["pipe.json"], 6, "result file pipe.json cannot be read: it is not a regular file"),
        ([""], 2, "an argument is empty; give a value, or leave it out"),
        (
            [OURS, "-o", "no/such/index.html"],
            6,
            "report no/such/index.html cannot be written: No such file or directory",
        ),
        ([OURS, "-o", "/dev/full"], 6, "report /dev/full cannot be written: No space left on device"),
        ([OURS, "-o", "."], 6, "report . cannot be written"),
        ([OURS, "-f", "-0.1"], 2, "threshold -0.1 is not within 0 and 1"),
        ([OURS, "-f", "1.1"], 2, "threshold 1.1 is not within 0 and 1"),
        ([OURS, "--line", "fast"], 2, "speed 'fast' cannot be read: give bits per second such as 10G"),
        ([OURS, "--format", "md", "--layout", "matrix", "--row-label", "64b"], 2, "row label '64b' cannot be read"),
        ([OURS, "--format", "md", "--layout", "matrix", "--row-label", "{size"], 2, "'{size' is not a template"),
        ([OURS, "-f", "nan"], 2, "--fail-threshold 'nan' is not a ratio"),
        ([OURS, "-f", "little"], 2, "--fail-threshold 'little' is not a ratio"),
        ([OURS, "-y", "big"], 2, "scaler 'big' cannot be read: give DIV:PREFIX such as 1000000:M"),
        ([OURS, "--only-channels", "1-0"], 2, "channel '1-0' is in no result; choose from 0-1"),
        ([OLD, "--only-channels", "0-1,2-3"], 2, "channel '2-3' is in no result; choose from 0-1, 1-0, sum"),
        ([OURS, "--format", "pdf"], 2, "'pdf'"),
    ],
)
def test_what_goes_wrong_is_one_line_and_an_exit_code(args, code, said, here, capsys):
    whole = Path(OURS).read_text()
    (here / "cut.json").write_text(whole[: len(whole) // 2])
    (here / "foreign.json").write_text('{"hello": 1}')
    (here / "newer.json").write_text('{"schema": "wirespeed-loadtest/99"}')
    os.mkfifo(here / "pipe.json")
    before = sorted(here.iterdir())
    assert main(["report", *args]) == code
    told = capsys.readouterr()
    errors = [line for line in told.err.splitlines() if not line.startswith("warning: ")]
    assert len(errors) == 1
    assert said in errors[0]
    assert sorted(here.iterdir()) == before
