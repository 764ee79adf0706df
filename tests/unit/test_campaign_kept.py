"""A test case is done if its result and its hash say so, not because a file has its name."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import OURS
from report_kinds import search_of

from wirespeed.campaign.campaign import Asked, dry, run_campaign
from wirespeed.campaign.cells import CampaignCell
from wirespeed.campaign.ledger import CampaignLedger
from wirespeed.campaign.loading import Loaded, load
from wirespeed.campaign.outcome import DONE, CellOutcome
from wirespeed.cli.main import main

CAMPAIGN = """\
campaign: 1
name: one
testbeds: [embedded]
duts: [{name: routed}]
tests: [{name: few, command: loadtest, profile: bench, ramp_s: 0, hold_s: 1}]
"""


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    file = tmp_path / "suite.yaml"
    file.write_text(CAMPAIGN)
    return load(file)


def result_of(cell: CampaignCell) -> dict:
    return OURS | {"vars": OURS["vars"] | {"output_file": f"/elsewhere/{cell.stem}.json"}}


def kept(directory: Path, cell: CampaignCell) -> Path:
    """A campaign that has run its test case."""
    with closing(CampaignLedger(directory, print)) as ledger:
        (ledger.running / f"{cell.stem}.json").write_text(json.dumps(result_of(cell)))
        ledger.keep(cell)
        ledger.note(cell, CellOutcome(DONE, 1.0))
    return ledger.result(cell)


def edited(document: dict) -> dict:
    return document | {"lab": {"kind": "edited"}}


WRONG: dict[str, tuple[Callable[[dict], object], str]] = {
    "empty": (lambda document: {}, "is not a load-test result: vars is missing"),
    "cut": (lambda document: json.dumps(document)[:-9], "is not valid JSON"),
    "nothing": (lambda document: "", "is empty"),
    "of another test": (
        lambda document: document | {"vars": document["vars"] | {"output_file": "x.json"}},
        "is the result of another test, x",
    ),
    "of another kind": (lambda document: search_of().to_json(), "is not a load-test result"),
    "interrupted": (
        lambda document: document | {"outcome": {"status": "interrupted"}},
        "of a test that is interrupted",
    ),
    "edited": (edited, "has changed since it was measured"),
}


@pytest.mark.parametrize("name", WRONG)
def test_another_file_with_the_name_of_a_result_is_told_of_and_put_aside(
    name: str, loaded: Loaded, tmp_path: Path
) -> None:
    change, told = WRONG[name]
    out, (cell,) = tmp_path / "out", loaded.cells
    file = kept(out, cell)
    content = change(json.loads(file.read_text()))
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    bad = file.read_bytes()
    lines = list(dry(loaded, Asked(out)))
    assert told in lines[0] and "1 test case, 0 done, 1 to do" in lines[-1]
    assert file.read_bytes() == bad
    said: list[str] = []
    with closing(CampaignLedger(out, said.append)) as ledger:
        assert not ledger.is_done(cell)
    (aside,) = out.glob("results/*")
    assert aside.read_bytes() == bad and aside.name.startswith(f"{file.name}.refused-")
    assert len(said) == 1 and told in said[0] and aside.name in said[0]


@pytest.mark.parametrize(
    ("make", "fault"), [(Path.mkdir, "is a directory; name a file in it"), (os.mkfifo, "it is not a regular file")]
)
def test_a_folder_or_a_pipe_with_the_name_of_a_result_is_put_aside(
    make: Callable[[Path], None], fault: str, loaded: Loaded, tmp_path: Path
) -> None:
    (cell,) = loaded.cells
    file = kept(tmp_path / "out", cell)
    file.unlink()
    make(file)
    said: list[str] = []
    with closing(CampaignLedger(tmp_path / "out", said.append)) as ledger:
        assert not ledger.is_done(cell)
    (aside,) = (tmp_path / "out").glob("results/*.refused-*")
    assert not aside.is_file() and not file.exists()
    assert fault in said[0]


def test_what_the_campaign_kept_is_done(loaded: Loaded, tmp_path: Path) -> None:
    (cell,) = loaded.cells
    kept(tmp_path / "out", cell)
    assert "1 test case, 1 done, 0 to do" in list(dry(loaded, Asked(tmp_path / "out")))[-1]
    with closing(CampaignLedger(tmp_path / "out", pytest.fail)) as ledger:
        assert ledger.is_done(cell)


def test_a_result_that_a_kill_left_is_taken_and_another_one_there_is_not(loaded: Loaded, tmp_path: Path) -> None:
    (cell,) = loaded.cells
    with closing(CampaignLedger(tmp_path / "out", pytest.fail)) as ledger:
        left = ledger.running / f"{cell.stem}.json"
        left.write_text(json.dumps(result_of(replace(cell, key="another"))))
        assert not ledger.is_done(cell)
        left.write_text(json.dumps(result_of(cell)))
        assert ledger.is_done(cell)


def test_builds_that_cannot_be_told_apart_have_an_exit_code_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ab.yaml").write_text(CAMPAIGN.replace("[{name: routed}]", "[{name: old}, {name: new}]"))
    loaded, out = load(tmp_path / "ab.yaml"), tmp_path / "out"
    for cell in loaded.cells:
        kept(out, cell)

    def code(**asked: bool) -> int:
        return run_campaign(loaded, Asked(out, ab=True, **asked), lambda line: None, threading.Event())

    assert code() == 0 and code(strict=True) == 8
    assert "cannot tell: 1 pair, at least 3 are needed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--ab", "--markdown", "."], 6, "output . is a directory"),
        (["--ab", "--markdown", "/nowhere/t.md"], 6, "give another --markdown"),
        (["--markdown", "t.md"], 2, "--markdown goes with --ab"),
        (["--strict"], 2, "--strict goes with --ab"),
    ],
)
def test_the_file_of_the_table_is_checked_before_the_campaign(
    words: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ab.yaml").write_text(CAMPAIGN)
    assert main(["campaign", "run", str(tmp_path / "ab.yaml"), "--out", str(tmp_path / "out"), *words]) == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
