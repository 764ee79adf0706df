"""`wirespeed results article`: it contains the results' figures, and marks what was not measured as a gap."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import GOLDEN, OURS
from report_kinds import search_of, soak_of, suite_of

from wirespeed.article.words import GAP, block
from wirespeed.cli.main import main
from wirespeed.corpus.opening import open_corpus
from wirespeed.measurement.file import write_file
from wirespeed.results.inspection import Inspection, InspectionTable, Remarked, inspection_to_json
from wirespeed.results.lab import MeterFacts

HOSTILE = "</title> | `x` ```\n<script>alert(1)</script> \x1b[31m"
SHOW_RUN = "Thread 1 ws_wk_0 (lcore 1)\n```\n<b>ip4-lookup</b>   active   100"


@pytest.fixture
def where(tmp_path: Path) -> str:
    """One DUT with nearly all data, and one with hardly any."""
    folder = tmp_path / "results"
    folder.mkdir()
    bench = {"dut": "Fitlet2", "cpu": "Atom x7-E3950", "price": "400 EUR", "date": "2026-11-01"}
    described = {
        "name": "Fitlet2",
        "version": "23.06",
        "commands": ["set interface state e0 up"],
        "description": bench,
        "texts": {"show runtime": SHOW_RUN, "show version": "v1"},
    }
    one = search_of(described=described)
    trials = tuple(
        replace(each, trial=replace(each.trial, dut=replace(each.trial.dut, watts=11.0))) for each in one.trials
    )
    lab = replace(one.lab, power=MeterFacts("shelly:x", "Fitlet2", 8.0, "said"))
    write_file(replace(one, trials=trials, lab=lab), folder / "fitlet-64b.json")
    inspected = Inspection(
        "Fitlet2",
        "2026-11-22T10:00:00Z",
        (
            InspectionTable("Machine", ("What", "Is"), (("CPU", "Atom E3950"),)),
            InspectionTable("Modules", ("Interface", "Vendor"), (("e2", "FS"),)),
        ),
        marks=(Remarked("memory", "one channel"),),
    )
    (folder / "box.json").write_text(inspection_to_json(inspected))
    shutil.copy(GOLDEN / "wirespeed.json", folder / "ours.json")
    at = str(tmp_path / "corpus")
    with open_corpus(at) as corpus:
        corpus.add(sorted(folder.iterdir()), "c0ffee")
    return at


def article(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["results", "article", *words]) == 0
    return capsys.readouterr().out


def chapter(text: str, title: str) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_what_is_known_stands_in_it(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = article(capsys, "Fitlet2", "--archive", where)
    assert text.startswith("# Fitlet2: a review\n")
    summary = chapter(text, "Summary")
    assert "Fitlet2 forwards **15.3 Mpps to 15.7 Mpps** of 64b one flow, bidirectional" in summary
    assert "At 400 EUR (2026-11-01) that is 38.1 kpps per EUR." in summary
    assert "Atom x7-E3950" in chapter(text, "Hardware") and "memory: one channel" in chapter(text, "Hardware")
    assert "Modules" not in chapter(text, "Hardware") and "| e2 " in chapter(text, "Optics")
    assert "NDR" in chapter(text, "Results") and "11.0" in chapter(text, "Power")
    assert "8.0 W idle" in chapter(text, "Power")
    said = chapter(text, "Output of the DUT")
    assert block(SHOW_RUN.splitlines()) in said and "````\nThread 1" in said and "`show version`" in said
    commands = chapter(text, "Appendix: commands")
    assert "wirespeed search " in commands and "set interface state e0 up" in commands


def test_what_was_not_measured_is_a_gap(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    known, bare = (article(capsys, dut, "--archive", where) for dut in ("Fitlet2", "router"))
    for title in ("Power", "Optics", "Hardware", "Pictures"):
        assert GAP in chapter(bare, title)
    assert GAP not in chapter(known, "Power") and GAP not in chapter(known, "Optics")
    missing = chapter(known, "Results")
    assert "- imix, one direction (`-p bench -t size=imix,vm=var2`)" in missing
    assert "- 64b one flow, bidirectional" not in missing and "- 64b one flow, one direction" in missing
    assert "the price of the DUT and its date" in chapter(bare, "Summary")


def test_against_another_dut(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    for dut, rate in (("Fitlet2", 1.0), ("APU6", 0.8)):
        for number in range(3):
            one = search_of(described={"name": dut, "version": "1"}, tunables="size=imix")
            goals = tuple(replace(goal, lower_pps=goal.lower_pps * rate * (1 + number / 1000)) for goal in one.goals)
            ending = replace(one.ending, started=f"2026-11-23T10:0{number}:00+00:00")
            write_file(replace(one, goals=goals, ending=ending), folder / f"{dut}-{number}.json")
    with open_corpus(where) as corpus:
        corpus.add(sorted(folder.iterdir()))
    text = article(capsys, "Fitlet2", "--against", "APU6", "--archive", where)
    assert "NDR of bench size=imix" in chapter(text, "Against APU6") and "one run each" in chapter(text, "Against APU6")
    assert "only one of the two has" in chapter(text, "Against APU6")
    assert "APU6" in chapter(text, "Results") and "2 older results of the same tests" in chapter(text, "Results")


def test_names_and_texts_that_act_do_not(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(json.dumps(OURS))
    document["dut"] |= {"name": HOSTILE, "version": HOSTILE, "commands": [HOSTILE], "texts": {"show run": HOSTILE}}
    document["dut"]["description"] = {"cpu": HOSTILE, "price": HOSTILE}
    document["vars"]["tunables"] = HOSTILE
    document["outcome"]["notes"] = [HOSTILE]
    (tmp_path / "x.json").write_text(json.dumps(document))
    with open_corpus(where) as corpus:
        corpus.add([tmp_path / "x.json"])
        (dut,) = (row["dut"] for row in corpus.index.results(()).rows if "script" in row["dut"])
    text = article(capsys, dut, "--archive", where)
    assert "\x1b" not in text
    inside, fence = False, ""
    for line in text.splitlines():
        if line.startswith("```"):
            if not inside:
                inside, fence = True, line.rstrip("abcdefghijklmnopqrstuvwxyz")
            elif line == fence:
                inside = False
        elif not inside:
            outside_code = re.sub(r"(?<!\\)`[^`]*`", "", line)
            assert "<script>" not in outside_code.replace("\\<", ""), line
    assert not inside


@pytest.mark.parametrize("kind", [soak_of(seconds=3), suite_of()])
def test_results_of_other_kinds(kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_file(kind, tmp_path / "one.json")
    at = str(tmp_path / "corpus")
    with open_corpus(at) as corpus:
        corpus.add([tmp_path / "one.json"])
        (dut,) = (row["dut"] for row in corpus.index.results(()).rows)
    text = article(capsys, dut, "--archive", at)
    assert f"wirespeed {'soak' if 'soak' in type(kind).__name__.lower() else 'rfc2544'}" in text


def test_a_dut_that_was_only_inspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "box.json").write_text(inspection_to_json(Inspection("router", "2026-11-22T10:00:00Z", ())))
    at = str(tmp_path / "corpus")
    with open_corpus(at) as corpus:
        corpus.add([tmp_path / "box.json"])
    text = article(capsys, "router", "--archive", at)
    assert text.count("no test was run") >= 2


def test_a_result_whose_file_is_gone_is_told_of(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    with open_corpus(where) as corpus:
        corpus.store.path(corpus.the_only("ours")).unlink()
    assert "1 results of the DUT have no whole file" in article(capsys, "router", "--archive", where)


def test_pictures_are_drawn_and_linked(where: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / "review" / "fitlet2.md"
    target.parent.mkdir()
    words = ["results", "article", "Fitlet2", "--against", "router", "--archive", where, "-o", str(target)]
    assert main([*words, "--images", str(target.parent / "pictures")]) == 0
    links = re.findall(r"^!\[.+\]\(<(.+)>\)$", chapter(target.read_text(), "Pictures"), re.MULTILINE)
    assert len(links) >= 2 and all(link.startswith("pictures/") for link in links)
    assert all((target.parent / link).read_bytes().startswith(b"\x89PNG") for link in links)


def test_a_file_of_its_own(where: str, tmp_path: Path) -> None:
    target = tmp_path / "review.md"
    words = ["results", "article", "Fitlet2", "--archive", where, "-o", str(target), "--title", "A gem"]
    assert main(words) == 0
    assert target.read_text().startswith("# A gem\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Fitlet"], "has no DUT 'Fitlet', did you mean Fitlet2?"),
        (["zzz"], "wirespeed results list shows what there is"),
        (["Fitlet2", "--against", "Fitlet2"], "is the reviewed DUT itself"),
        (["Fitlet2", "--against", "APU"], "has no DUT 'APU'"),
        ([], "Missing argument 'DUT'"),
        (["a", "b"], "unexpected extra argument(s) (b)"),
    ],
)
def test_words_that_cannot_be_used(where: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["results", "article", *words, "--archive", where]) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and not told.out
