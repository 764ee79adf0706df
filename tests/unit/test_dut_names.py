"""Names for DUTs in results without one: `--dut-name`, `--name GLOB=NAME` and `--name PATTERN`."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from report_cases import OLD

from wirespeed.cli.main import main
from wirespeed.corpus.opening import open_corpus
from wirespeed.corpus.words import parse_words
from wirespeed.errors import UsageError
from wirespeed.measurement.file import read_file
from wirespeed.results.dut import DutFacts
from wirespeed.results.dut_names import parse_names

PATTERN = "{dut}-{load}-{direction}.json"
BOXES = ("netgate-6100-pfsense", "netgate-6100-vpp", *(f"box{number}" for number in range(8)))
LOADS = ("64b", "imix", "1514b", "1flow")


def write(folder: Path, name: str, profile: str, rate: float = 1.0) -> Path:
    """A file in trex-loadtest's format, which names no device; `rate` scales the received packets."""
    document: dict[str, Any] = copy.deepcopy(OLD)
    document["vars"] |= {"profile_file": profile, "unidirectional": True}
    for sample in document["stats"].values():
        for key in ("rx_pps", "rx_bps", "rx_util"):
            sample["1"][key] *= rate
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def articles(tmp_path: Path) -> list[Path]:
    """40 files of ten devices, with the names from the articles' shell scripts."""
    return [
        write(tmp_path, f"{box}-{load}-unidir", load, 1 - number / 20)
        for number, box in enumerate(BOXES)
        for load in LOADS
    ]


@pytest.mark.parametrize(
    ("file", "box"),
    [
        ("netgate-6100-vpp-64b-unidir.json", "netgate-6100-vpp"),
        ("apu4-64b-bidir.json", "APU4"),
        ("other.json", "the rest"),
    ],
)
def test_a_glob_goes_before_a_pattern_and_both_before_the_name_of_all(file: str, box: str) -> None:
    names = parse_names("the rest", ["apu4-*=APU4", PATTERN])
    assert names.of(Path(file)) == box
    former = parse_names("the rest", ["apu4-*=APU4", PATTERN.replace("{dut}", "{box}")])
    assert former == names


def test_a_device_that_has_a_name_keeps_it(tmp_path: Path) -> None:
    path = write(tmp_path, "a", "bench")
    names = parse_names("x", [])
    named = names.named(read_file(path), path)
    assert (named.dut, parse_names("y", []).named(named, path)) == (DutFacts("x"), named)
    content = path.read_bytes()
    assert parse_names("", []).in_file(content, path) is content
    again = names.in_file(content, path)
    assert json.loads(again)["dut"] == {"name": "x"}
    assert parse_names("y", []).in_file(again, path) is again


@pytest.mark.parametrize("text", ["apu4", "=APU4", "a=", "{load}.json", "{dut}-{dut}", "{dut}-{size}"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="give GLOB=NAME such as"):
        parse_names("", [text])


def test_forty_files_of_ten_devices_give_the_articles_table(
    articles: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["report", *map(str, articles), "--format", "md", "--layout", "matrix", "--name", PATTERN]
    assert main(words) == 0
    head, _, *rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert [cell.strip() for cell in head[1:]] == [f"{box} 0→1" for box in BOXES]
    assert len(rows) == len(LOADS)
    assert not any(cell.strip() == "–" for row in rows for cell in row)


def test_a_verdict_stands_on_files_of_the_same_device_alone(
    articles: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["explain", *map(str, articles[:8]), "--name", PATTERN, "--format", "json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    for test in told:
        other = "netgate-6100-vpp" if "pfsense" in test["test"] else "netgate-6100-pfsense"
        pieces = [piece["text"] for found in test["named"] for piece in found["evidence"]]
        assert not any(other in text for text in pieces)


def test_a_corpus_keeps_the_names(articles: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = str(tmp_path / "corpus")
    assert main(["results", "add", "--archive", where, "--name", PATTERN, *map(str, articles)]) == 0
    capsys.readouterr()
    with open_corpus(where) as opened:
        rows = opened.index.results(parse_words([])).rows
        assert {row["dut"] for row in rows} == set(BOXES)
        assert {result.dut.name for result in opened.results([row["digest"] for row in rows])} == set(BOXES)
        assert opened.verify().unindexed == ()


def test_single_runs_have_a_difference_and_a_ratio_and_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = write(tmp_path, "a-64b-unidir", "64b"), write(tmp_path, "b-64b-unidir", "64b", 0.5)
    assert main(["compare", str(a), str(b), "--name", PATTERN, "--format", "md"]) == 0
    table = capsys.readouterr().out
    assert "at full load" in table and "one run each: cannot be judged" in table
    assert "-50.00 % (× 0.5)" in table
