"""Results, journals, a finished campaign and help texts of revision 8b58edf, read by the present code.

`golden/8b58edf.tar.xz` was written by that revision on its embedded lab, and never changes: result files of all four
kinds, their journals (the commands were killed), what `--recover`, `report`, `explain`
and `corpus query` showed of them, and each `--help`. Paths in it were shortened.
"""

from __future__ import annotations

import json
import re
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wirespeed.cli.main import COMMANDS, main
from wirespeed.cli.plain import options_of
from wirespeed.cli.tree import commands_of
from wirespeed.corpus.keeping import read_result
from wirespeed.measurement.file import of_journal, read_file, write_file
from wirespeed.renamed import OPTIONS
from wirespeed.results.journal import read_journal
from wirespeed.web.followed import Followed

KINDS = ("loadtest", "search", "rfc2544", "soak")
ARCHIVE = Path(__file__).parents[1] / "golden" / "8b58edf.tar.xz"
PEAKS = frozenset(
    {"maximum", "held", "held_pps", "max_pps", "max_l2_bps", "max_l1_bps", "max_line_percent", "max_returned_percent"}
)
"""Figures of single samples in load tests, which are now means of steps."""
PEAK_NAMES, MEAN_NAMES = {"most received", "held"}, {"forwarded", "at full load"}
"""Names of such figures in an archive, then and now."""
RENAMED = {
    "asked": "intended",
    "asked_packets": "intended_packets",
    "asked_percent": "intended_percent",
    "asked_pps": "intended_pps",
    "absent": "preempted",
    "away_s": "preempted_s",
    "by_machine": "by_host",
    "came_later": "delayed",
    "dut_absent_s": "dut_preempted_s",
    "dut_longest_absent_s": "dut_longest_preemption_s",
    "floor_us": "baseline_us",
    "held_l1_bps": "forwarded_l1_bps",
    "held_l2_bps": "forwarded_l2_bps",
    "held_line_percent": "forwarded_line_percent",
    "held_loss_ratio": "forwarded_loss_ratio",
    "held_returned_percent": "forwarded_returned_percent",
    "held_text": "forwarded_text",
    "keep_spoilt": "include_disturbed",
    "latency_floor": "latency_baseline",
    "longest_absent": "longest_preemption",
    "lossy_from": "loss_onset",
    "lossy_from_line_percent": "loss_onset_line_percent",
    "lossy_from_pps": "loss_onset_pps",
    "lost_by_machine": "lost_by_host",
    "machine": "preemption",
    "most_by_absence": "most_by_preemption",
    "ours": "test_frames",
    "saturated": "saturation",
    "saturated_high_pps": "saturation_high_pps",
    "saturated_line_percent": "saturation_line_percent",
    "saturated_low_pps": "saturation_low_pps",
    "saturated_pps": "saturation_pps",
    "set_aside": "excluded",
    "spoilt": "disturbed",
    "spoilt_samples": "disturbed_samples",
    "surplus_packets": "extraneous_packets",
    "tester_absent_s": "tester_preempted_s",
    "tester_longest_absent_s": "tester_longest_preemption_s",
    "verify": "signature",
    "whose": "cause",
    "wire": "port_type",
    "wires": "directions",
}
"""Keys with another name now."""
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*")


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that the archive is unpacked in."""
    directory = tmp_path_factory.mktemp("golden")
    with tarfile.open(ARCHIVE) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python has none
        archive.extractall(directory)
    return directory


def shown(golden: Path, name: str) -> Any:
    """The document that revision 8b58edf printed."""
    return json.loads((golden / "shown" / name).read_text())


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Standard output of a command that succeeds."""
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def assert_same_figures(now: Any, then: Any, place: str = "") -> None:
    """Every number, truth value and None of `then` is in `now` at the same place, except for PEAKS; text may differ."""
    if isinstance(then, dict):
        for then_key, value in then.items():
            if then_key in PEAKS:
                continue
            key = RENAMED.get(then_key, then_key)
            assert key in now, f"{place}.{key}"
            assert_same_figures(now[key], value, f"{place}.{key}")
    elif isinstance(then, list):
        assert len(now) == len(then), place
        for number, value in enumerate(then):
            assert_same_figures(now[number], value, f"{place}.{number}")
    elif not isinstance(then, str):
        assert now == pytest.approx(then), place


@pytest.mark.parametrize("kind", KINDS)
def test_result_files_are_read_and_written_again_with_all_that_they_hold(golden: Path, kind: str) -> None:
    path = golden / f"{kind}.json"
    assert_same_figures(read_file(path).to_json(), json.loads(path.read_text()))
    assert read_result(path.read_bytes(), path) == read_file(path)


@pytest.mark.parametrize("kind", KINDS)
def test_journals_are_recovered_as_then(golden: Path, kind: str) -> None:
    path = golden / "journals" / f"{kind}.json.part"
    then = read_file(golden / "shown" / f"recovered-{kind}.json")
    assert_same_figures(replace(of_journal(read_journal(path), path), name=then.name).to_json(), then.to_json())


def keys_of(document: Any) -> set[str]:
    """All keys of a document, at any depth."""
    parts = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return {*(document if isinstance(document, dict) else ())}.union(*map(keys_of, parts))


@pytest.mark.parametrize(
    ("kind", "load"),
    [
        ("loadtest", "64b many flows"),
        ("search", "64b one flow"),
        ("rfc2544", "bench"),
        ("soak", "bench 64-byte frames"),
    ],
)
def test_the_live_page_of_a_journal_names_its_load_and_dut(golden: Path, kind: str, load: str) -> None:
    followed = Followed(golden / "journals" / f"{kind}.json")
    followed.look()
    assert (followed.fault, followed.head["load"], followed.head["dut"]) == ("", load, "wirespeed")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_written_anew_has_present_keys_only_and_gives_the_same_report(
    golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    then, now = golden / f"{kind}.json", tmp_path / f"{kind}.json"
    write_file(read_file(then), now)
    assert keys_of(json.loads(then.read_text())) & {*RENAMED}
    assert not keys_of(json.loads(now.read_text())) & {*RENAMED}
    for form in ("json", "md", "csv"):
        reports = [printed(capsys, "report", "--format", form, "-o", "-", file) for file in (then, now)]
        assert reports[0] == reports[1]
    explained = [printed(capsys, "explain", "--format", "json", file) for file in (then, now)]
    assert explained[0] == explained[1]


def test_reports_show_the_same_figures(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [golden / f"{kind}.json" for kind in KINDS]
    now = json.loads(printed(capsys, "report", "--format", "json", "-o", "-", *files))
    then = shown(golden, "table.json")
    for row in then["rows"]:
        # No packet was missing after the drain, so no sample has a loss to explain; 8b58edf counted packets in flight.
        if row.pop("spoilt_samples", None):
            row["spoilt_samples"] = 0
    assert_same_figures(now["rows"], then["rows"], "rows")
    assert set(now) >= set(then)
    for part in set(then) - {"rows", "warnings", "title"}:
        assert_same_figures(now[part], then[part], part)


@pytest.mark.parametrize("kind", KINDS)
def test_explanations_name_the_same_cause(golden: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    now = json.loads(printed(capsys, "explain", "--format", "json", golden / f"{kind}.json"))
    then = shown(golden, f"explain-{kind}.json")
    renamed = {"steal": "preemption"}
    assert [(one["test"], one["cause"]) for one in now] == [
        (one["test"], renamed.get(one["cause"], one["cause"])) for one in then
    ]


def test_a_finished_campaign_is_finished_and_its_results_are_kept_and_asked(
    golden: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = golden / "campaign"
    assert "4 test cases, 4 done, 0 to do" in printed(
        capsys, "campaign", "run", golden / "campaign.yaml", "--out", campaign, "--dry-run"
    )
    printed(capsys, "results", "--archive", tmp_path / "corpus", "add", campaign / "results")
    now = json.loads(printed(capsys, "results", "--archive", tmp_path / "corpus", "query", "--json", "--rows", "0"))
    rows = {(row["title"], row["figure"]): row for row in now if row["figure"] not in MEAN_NAMES}
    then = {
        (row["title"], row["figure"]): row for row in shown(golden, "query.json") if row["figure"] not in PEAK_NAMES
    }
    assert rows.keys() == then.keys()
    for name, row in rows.items():
        assert row["rate_pps"] == pytest.approx(then[name]["rate_pps"])
        same = ("kind", "directions", "started", "status", "at_least")
        assert [row[key] for key in same] == [then[name][key] for key in same]
    assert {row["kind"] for row in now} == {"loadtest", "rfc2544"}
    assert all(row["rate_pps"] > 0 for row in now)


NOW = {
    "inspect": ("host",),
    "doctor": ("host",),
    "stats": ("ctl",),
    "bench": ("testbed", "campaign"),
    "suite": ("campaign",),
    "corpus": ("results",),
}
"""Current places of the parts of commands whose names have changed."""
VERBS_NOW = {"--optics", "--fix", "--undo"}
"""Options that became verbs."""
with tarfile.open(ARCHIVE) as packed:
    THEN = [Path(name).stem for name in packed.getnames() if name.startswith("./help/")]


def test_each_command_is_there_or_has_another_name() -> None:
    assert {name for then in THEN for name in NOW.get(then, (then,))} - {"help", "wirespeed"} <= {*COMMANDS}


@pytest.mark.parametrize("command", sorted({*THEN} - {"help", "wirespeed"}))
def test_commands_still_take_the_options_that_they_took(golden: Path, command: str) -> None:
    then = (golden / "help" / f"{command}.txt").read_text()
    present = [one for name in NOW.get(command, (command,)) for one in commands_of(name)]
    now = {option for one in present for option in options_of(one.call)}
    former = {old for old, new in OPTIONS.items() if new in now}
    declared = "\n".join(re.findall(r"^  (-.*?)(?:   |$)", then, re.MULTILINE))
    assert set(OPTION.findall(declared)) <= now | former | VERBS_NOW | {"-h", "--help"}
