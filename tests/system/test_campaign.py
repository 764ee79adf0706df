"""Campaigns on this machine's embedded lab: run, killed, resumed, interrupted, failed."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest
from campaign_process import CampaignProcess, suite

from wirespeed.campaign.loading import load
from wirespeed.cli.main import main
from wirespeed.corpus.opening import open_corpus
from wirespeed.measurement.file import read_file
from wirespeed.results.ending import COMPLETE

LOAD = """\
tests:
  - {name: few, command: loadtest, profile: bench, tunables: size=64, warmup_s: 0.1, ramp_s: 0, hold_s: 0.5,
     ramp_target: 5kpps, interval_s: 0.25}
"""
LABS = """\
campaign: 1
name: labs
testbeds: [embedded]
duts:
"""
ROUTED = "  - {name: routed, vppcfg: loop.yaml}\n"
WIRE = (
    "  - {name: wire, version: v9, cli: [set interface mtu 2000 e0], "
    "prepare: {mode: l2xc, queues: 2, descriptors: 1024}}\n"
)


CONFIG = """\
interfaces:
  e0: {addresses: [100.64.1.1/30], mtu: 1500}
  e1: {addresses: [100.64.2.1/30], mtu: 1500}
loopbacks:
  loop7: {description: of the campaign}
"""


def write(directory: Path, text: str) -> Path:
    path = directory / "suite.yaml"
    path.write_text(text)
    return path


def tries(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / "tries.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    "devices",
    [
        pytest.param({"wire": WIRE}, id="one"),
        pytest.param(
            {"routed": ROUTED, "wire": WIRE},
            id="two",
            marks=pytest.mark.long("a lab more: test_config_router.py has what is configured by vppcfg"),
        ),
    ],
)
def test_killed_in_the_middle_it_goes_on_and_then_there_is_nothing_to_do(
    devices: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each device is what its test case says; nothing is measured twice."""
    count, begun = len(devices), next(iter(devices))
    file = write(tmp_path, LABS + "".join(devices.values()) + LOAD)
    (tmp_path / "loop.yaml").write_text(CONFIG)
    out = tmp_path / "out"
    run = ("run", file, "--out", out, "--archive", tmp_path / "corpus")
    first = CampaignProcess(*run, directory=tmp_path)
    first.wait_for(f"[1/{count}]")
    first.until(lambda: bool(list((out / "running").glob(f"{begun}-*.json.part"))))  # the test has begun
    first.send(signal.SIGKILL)
    assert first.end() == -signal.SIGKILL
    code, said = suite(*run, directory=tmp_path)
    assert code == 0 and f"{count} of {count} test cases are done" in said, said
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        landed = corpus.index.results(()).rows
        assert {(row["title"].partition("-")[0], row["build"], row["tags"]) for row in landed} == {
            (name, "v9" if name == "wire" else "", ("labs",)) for name in devices
        }
    shutil.rmtree(tmp_path / "corpus")
    monkeypatch.chdir(tmp_path)
    assert main(["campaign", *map(str, run)]) == 0
    printed = capsys.readouterr()
    assert f"{count} done, 0 failed, 0 to run" in printed.out + printed.err
    with open_corpus(str(tmp_path / "corpus")) as corpus:
        assert corpus.index.results(()).total == count  # earlier measurements are included

    files = {path.name.partition("-")[0]: path for path in (out / "results").iterdir()}
    assert len(files) == count and not list((out / "running").iterdir())
    results = {name: read_file(path) for name, path in files.items()}
    assert {result.ending.status for result in results.values()} == {COMPLETE}
    documents = {name: path.read_text() for name, path in files.items()}
    assert {name for name, text in documents.items() if "loop7" in text} == set(devices) - {"wire"}
    assert "set interface l2 xconnect e0 e1" in documents["wire"]
    assert json.loads(documents["wire"])["lab"]["ring_slots"] == 1024
    assert len([one for one in tries(out) if one["status"] == "done"]) <= count


FAILING = """\
campaign: 1
name: failing
testbeds: [embedded]
retries: 1
duts:
  - {name: a, before: ["BEFORE"]}
  - {name: b, before: ["exit 3"]}
"""


@pytest.mark.long("eight tries of a cell; tests/unit has the rules")
def test_cells_that_fail_are_tried_again_as_told_and_shown(tmp_path: Path) -> None:
    file = write(tmp_path, FAILING.replace("BEFORE", "echo no such card >&2; exit 4") + LOAD)
    code, said = suite("run", file, directory=tmp_path)
    assert (
        code == 5 and "2 test cases failed (--retry-failed runs them again), b few both on embedded first" not in said
    ), said
    assert "wirespeed: 2 test cases failed" in said and said.count("failed: no such card; it is tried again") == 1
    out = tmp_path / "wirespeed-campaign" / "failing"
    assert [one["exit_code"] for one in tries(out)] == [4, 3, 4, 3]
    code, said = suite("run", file, directory=tmp_path)
    assert code == 5 and "0 done, 2 failed, 0 to run" in said and len(tries(out)) == 4
    code, said = suite("run", file, "--retry-failed", directory=tmp_path)
    assert code == 5 and len(tries(out)) == 8


def test_the_first_ctrl_c_lets_the_running_cell_end(tmp_path: Path) -> None:
    file = write(
        tmp_path, FAILING.replace("BEFORE", "touch begun; while [ ! -e go ]; do sleep 0.05; done; exit 9") + LOAD
    )
    run = CampaignProcess("run", file, directory=tmp_path)
    run.until((tmp_path / "begun").exists)
    run.send(signal.SIGINT)
    run.wait_for("interrupted: 1 test case will end first; Ctrl-C again abandons it")
    (tmp_path / "go").touch()
    assert run.end() == 130
    assert [one["exit_code"] for one in tries(tmp_path / "wirespeed-campaign" / "failing")] == [9]


def test_the_second_ctrl_c_abandons_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, FAILING.replace("BEFORE", "touch begun; sleep 1000") + LOAD)
    run = CampaignProcess("run", file, directory=tmp_path)
    run.until((tmp_path / "begun").exists)
    run.send(signal.SIGINT)
    run.wait_for("interrupted")
    run.send(signal.SIGINT)
    assert run.end() == 130 and "was abandoned" in run.text
    monkeypatch.chdir(tmp_path)
    assert main(["campaign", "run", str(file), "--dry-run"]) == 0
    assert "2 test cases, 0 done, 2 to do" in capsys.readouterr().out


def test_two_at_once_do_not_share_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, FAILING.replace("BEFORE", "touch begun; sleep 1000") + LOAD)
    run = CampaignProcess("run", file, directory=tmp_path)
    run.until((tmp_path / "begun").exists)
    monkeypatch.chdir(tmp_path)
    code, said = main(["campaign", "run", str(file)]), capsys.readouterr().err
    run.send(signal.SIGTERM)
    run.wait_for("interrupted")
    run.send(signal.SIGTERM)
    run.end()
    assert code == 6 and "another campaign runs in wirespeed-campaign/failing; give another --out" in said


@pytest.mark.long("inspections of the machine; tests/unit/test_campaign_cells.py has the rules")
def test_a_step_by_hand_is_told_and_checked_by_inspection(tmp_path: Path) -> None:
    """This terminal has no user: steps that inspection can verify continue, others stop with the instruction."""
    by_hand = """  - name: there
    by_hand: {say: put the processor in, expect: "cpu"}
    before: ["exit 7"]
  - name: missing
    by_hand: {say: put the X9999 into slot 2, expect: "X9999"}
"""
    text = FAILING.replace('  - {name: a, before: ["BEFORE"]}\n', by_hand).replace("retries: 1", "retries: 0")
    code, said = suite("run", write(tmp_path, text + LOAD), directory=tmp_path)
    assert "by hand: put the processor in: done, 'cpu' is there" in said, said
    assert code == 3 and "wirespeed: manual step: put the X9999 into slot 2; then run the same command again" in said
    assert [one["exit_code"] for one in tries(tmp_path / "wirespeed-campaign" / "failing")] == [3, 7]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["run"], 2, "Missing argument 'FILE'"),
        (["run", "none.yaml"], 6, "campaign file none.yaml cannot be read"),
        (["run", "suite.yaml", "--testbeds", "nowhere.yaml"], 6, "there is no testbed nowhere.yaml"),
        (["run", "suite.yaml", "--ray", "127.0.0.1:1"], 2, "--ray goes with --testbeds NAME"),
        (
            ["run", "suite.yaml", "--testbeds", "a", "--ray", "127.0.0.1:1"],
            4,
            "no Ray cluster answers at 127.0.0.1:1 (",
        ),
        (["worker", "embedded", "--join", "127.0.0.1:1"], 4, "no Ray cluster answers at 127.0.0.1:1 (Connection refus"),
        (["worker", "embedded", "--join", "here"], 2, "cluster 'here' cannot be read: give HOST:PORT"),
        (["run", "suite.yaml", "--out", "/proc/x"], 6, "campaign folder /proc/x cannot be written"),
        (["schema", "suite.yaml"], 2, "unexpected extra argument(s) (suite.yaml)"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: list[str],
    code: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path, FAILING.replace("BEFORE", "true") + LOAD)
    monkeypatch.chdir(tmp_path)
    assert main(["campaign", *words]) == code
    said = capsys.readouterr().err
    assert told in said and said.count("wirespeed: ") == 1


AB = """\
campaign: 1
name: builds
testbeds: [embedded]
repeats: 1
duts:
  - {name: main, version: "1"}
  - {name: change, version: "2", cli: [set interface impairment e1 loss 0.3, set interface impairment e0 loss 0.3]}
"""


@pytest.mark.alone
@pytest.mark.long("figures of a machine that does nothing else; tests/unit/test_campaign_ab.py has the verdicts")
def test_two_builds_are_run_in_pairs_until_the_verdict_is_clear(tmp_path: Path) -> None:
    """The second build loses three packets in ten. One pair is inconclusive; after three of at most nine pairs the
    campaign stops (the second and third pair reuse the first one's results, which saves half a minute).
    """
    # The first samples are disturbed on a slow machine: its control process still loads what it needs.
    tests = LOAD.replace("hold_s: 0.5", "hold_s: 2")
    file, table = write(tmp_path, AB + tests), tmp_path / "table.md"
    code, said = suite("run", file, "--ab", directory=tmp_path)
    assert code == 0 and "cannot tell: 1 pair, at least 3 are needed" in said, said
    out = tmp_path / "wirespeed-campaign" / "builds"
    order = ["main few both on embedded", "change few both on embedded"]
    assert [one["test_case"] for one in tries(out)] == order
    first = {path.name.partition("-")[0]: path for path in (out / "results").iterdir()}
    write(tmp_path, (AB + tests).replace("repeats: 1", "repeats: 9"))
    for cell in load(file).cells:
        if cell.repeat in (2, 3):
            copied = json.loads(first[cell.setup.name].read_text())
            copied["vars"]["output_file"] = f"{cell.stem}.json"
            (out / "results" / f"{cell.stem}.json").write_text(json.dumps(copied))
    code, said = suite("run", file, "--ab", "--markdown", table, directory=tmp_path)
    assert code == 7 and "the verdict is clear: 12 test cases are not needed" in said, said
    assert table.read_text() in said + "\n" and "worse: -" in table.read_text() and "of 3 pairs" in table.read_text()
    assert [one["test_case"] for one in tries(out)] == order
