"""The journal of a running test: reading it complete, truncated, or of another format."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.cli.main import main
from wirespeed.errors import FileFault
from wirespeed.measurement.file import read_as, recover, write_file
from wirespeed.measurement.loadtest.plan import LoadPlan
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.output import Output
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.lab import LabFacts
from wirespeed.results.outcome import Outcome, PortFacts
from wirespeed.results.recorder import JournalRecorder
from wirespeed.results.sample import PortSample, Sample
from wirespeed.results.sample_json import sample_to_json

WIRE = Channel(0, 1)
HEAD = Result(
    name="x",
    variables=LoadPlan("bench").variables("here"),
    samples=(),
    versions={"wirespeed": "7"},
    lab=LabFacts(generator="here"),
    dut=DutFacts("box"),
    ports={port: PortFacts(port, "net_memif", "02::", 10e9, "ring") for port in (0, 1)},
    directions=(WIRE,),
    ending=Ending(started="2026-01-01T00:00:00+00:00", notes=("a note",)),
    outcome=Outcome(threshold=0.01),
)


def sample(second: int) -> Sample:
    port = PortSample(1000, 1000, 512_000, 512_000, 1, 1, opackets=1000 * second, ipackets=1000 * second)
    return Sample(float(second), 1.0, "ramp", {0: port, 1: port})


def written(path: Path, samples: int = 3) -> Journal:
    journal = Journal(path)
    writer = JournalRecorder(journal, sample_to_json)
    writer.begin(HEAD)
    for second in range(1, samples + 1):
        writer.add(sample(second))
    return journal


def test_every_sample_is_in_the_file_as_soon_as_it_is_added(tmp_path: Path) -> None:
    path = tmp_path / "x.json.part"
    journal = written(path)
    found = read_as(Result, path)  # while it is open
    journal.close()
    assert found.samples == tuple(map(sample, (1, 2, 3)))
    assert replace(found, samples=(), ending=HEAD.ending, outcome=HEAD.outcome) == HEAD
    ending = found.ending
    assert (ending.status, found.outcome.threshold, ending.started) == ("interrupted", 0.01, HEAD.ending.started)
    assert ending.notes == ("a note",)
    assert found.outcome.channels["0→1"].balance.sent == 3000


def test_wherever_the_file_was_torn_the_whole_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json.part"
    written(path).close()
    whole = path.read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == 10]
    for cut in range(ends[1] + 1, len(whole) + 1, 7):
        path.write_bytes(whole[:cut])
        assert len(read_as(Result, path).samples) == sum(end < cut for end in ends) - 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not the journal of a test"),
        ("notes\nof mine\n", "is not the journal of a test"),
        ('{"journal": "wirespeed-loadtest-journal/9"}\n', "format 'wirespeed-loadtest-journal/9'"),
        ('{"journal": "wirespeed-loadtest-journal/1"}\n', "holds no samples"),
        ('{"journal": "wirespeed-loadtest-journal/1"}\n{"t": 1}\n', "vars is missing"),
        ('{"journal": "wirespeed-loadtest-journal/1"}\n{"t": \n{}\n', "line 2 of journal .* is not valid JSON"),
        ('{"journal": "wirespeed-loadtest-journal/1"}\n[]\n', "line 2 of journal .* is damaged"),
    ],
)
def test_what_is_no_journal_is_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.json.part"
    path.write_text(text)
    with pytest.raises(FileFault, match=words) as fault:
        read_as(Result, path)
    assert "\n" not in str(fault.value)


def test_a_journal_is_read_in_place_of_the_result_that_is_not_there_and_said_of_beside_one(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    written(journal_path(file)).close()
    assert "its journal has" in read_as(Result, file).ending.reason
    assert "its journal has" in read_as(Result, journal_path(file)).ending.reason
    write_file(replace(HEAD, samples=(sample(1),)), file)
    again = read_as(Result, file)
    assert len(again.samples) == 1
    assert "x.json.part beside this file is of a later test" in again.ending.notes[-1]


def test_the_report_says_that_it_reads_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    written(journal_path(file)).close()
    assert main(["report", "--format", "md", str(file)]) == 0
    out, err = capsys.readouterr()
    assert "0→1" in out
    assert f"{file} is not there yet: read from its journal, x.json.part" in err


def test_recover_writes_the_result_and_removes_the_journal(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    for named in (file, journal_path(file)):
        written(journal_path(file)).close()
        result, path = recover(named)
        assert path == file
        assert read_as(Result, file) == result
        assert not journal_path(file).exists()
    written(journal_path(file)).close()
    assert recover(file, str(tmp_path / "y.json"))[1] == tmp_path / "y.json"


def test_nothing_takes_the_journal_of_a_test_that_runs_or_that_left_samples(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    journal = written(journal_path(file))
    with pytest.raises(FileFault, match="written by another test"):
        Journal(journal_path(file))
    with pytest.raises(FileFault, match="a running test writes"):
        recover(file)
    journal.close()
    with pytest.raises(FileFault, match="--recover"):
        Journal(journal_path(file))


def test_a_journal_without_samples_is_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "x.json.part"
    written(path, samples=0).close()
    written(path).close()
    assert len(read_as(Result, path).samples) == 3


def test_a_disk_that_takes_no_more_ends_no_test(tmp_path: Path) -> None:
    journal = written(tmp_path / "x.json.part")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (journal.path.stat().st_size, limits[1]))
    try:
        JournalRecorder(journal, sample_to_json).add(sample(4))
        JournalRecorder(journal, sample_to_json).add(sample(5))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "x.json.part could not be written: File too large" in journal.fault
    journal.close()
    assert read_as(Result, journal.path).samples[:3] == tuple(map(sample, (1, 2, 3)))


def test_a_test_without_a_result_says_where_its_samples_are(tmp_path: Path) -> None:
    output = Output(str(tmp_path / "x.json"))
    assert output.abandon() is None
    journal = JournalRecorder(output.journal(), sample_to_json)
    journal.begin(HEAD)
    journal.add(sample(1))
    assert f"what was measured is kept in {tmp_path / 'x.json.part'}" in (output.abandon() or "")
    output = Output(str(tmp_path / "y.json"))
    JournalRecorder(output.journal(), sample_to_json).begin(HEAD)
    assert output.abandon() is None
    assert not journal_path(tmp_path / "y.json").exists()
