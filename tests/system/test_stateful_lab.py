"""`wirespeed stateful` with the kernel's NAT in a lab: real flows, at rates that a busy machine carries.

At full rate with a million flows in `make test-all`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_first_commands import DONE, begun_otherwise, command_of

from wirespeed.cli.main import main
from wirespeed.lab.linux import unavailable
from wirespeed.measurement.file import read_file
from wirespeed.measurement.stateful.result import StatefulResult

pytestmark = [
    pytest.mark.skipif(unavailable() is not None, reason=unavailable() or ""),
]
SHORT = ("--trial", "0.3", "--repeats", "1", "--resolution", "10%", "--line", "10M", "--no-repeat-disturbed", "-q")
FEW = ("--flows", "16k", *SHORT)


def measured(file: Path, *words: str) -> StatefulResult:
    assert main(["stateful", *words, "-o", str(file)]) == 0
    result = read_file(file)
    assert isinstance(result, StatefulResult)
    return result


@pytest.mark.alone
def test_the_first_command_of_its_page_prints_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, shown = command_of("firewalls.md")
    monkeypatch.chdir(tmp_path)
    code = main(words)
    printed = capsys.readouterr().err
    assert code in DONE, printed
    assert begun_otherwise(shown, printed) == [], printed
    assert (tmp_path / "nat.json").exists()


@pytest.mark.long("all measures take forty seconds; the page's first command measures a rate each day")
def test_nat_of_the_kernel_over_some_flows(tmp_path: Path) -> None:
    result = measured(tmp_path / "nat.json", "all", "--lab", "linux,filter=nat", *FEW)
    assert result.filter == "nat"
    assert result.table is not None
    assert result.table.timeout_s("udp") == 30
    assert {row.filtered for row in result.rate} == {True, False}
    trials = [one for one in result.trials if one.opened.is_whole]
    assert {one.filtered for one in trials} == {True, False}
    for one in trials:
        if one.filtered:
            assert one.states is not None
            assert one.states.used >= 16_000, "each flow has an entry"
            assert one.states_before is not None
            assert one.states_before < 64
            assert one.opened.untranslated == 0
        else:
            assert one.states is None
            assert one.opened.untranslated == 16_000


@pytest.mark.long("a search each; test_state_faults.py has the states of each filter")
@pytest.mark.parametrize(("rules", "family"), [("nat66", "ip=6"), ("stateful", "ip=4"), ("forward", "ip=4")])
def test_other_filters_of_the_kernel(rules: str, family: str, tmp_path: Path) -> None:
    result = measured(tmp_path / "rate.json", "rate", "--lab", f"linux,filter={rules}", "-t", family, *FEW)
    assert result.filter == rules
    whole = [one for one in result.trials if one.opened.is_whole]
    assert {one.filtered for one in whole} == {True, False}
    for one in whole:
        assert one.opened.untranslated == (0 if rules == "nat66" and one.filtered else 16_000)
        assert one.states is None or one.states.used >= 16_000


@pytest.mark.long("searches of forty seconds; the phases over TCP are tested each day without a search")
def test_connections_over_tcp(tmp_path: Path) -> None:
    result = measured(tmp_path / "tcp.json", "throughput", "--lab", "linux,filter=nat", "--protocol", "tcp", *FEW)
    assert result.conformance == {}
    assert result.method.timeout_s is not None
    assert any(row.found for row in result.throughput if row.filtered)
    whole = [one for one in result.trials if one.filtered and one.opened.is_whole]
    assert {one.test for one in whole} == {"rate", "throughput"}
    for one in whole:
        assert one.states is not None
        assert one.states.used >= 16_000
        assert (one.opened.untranslated, one.opened.unanswered, one.opened.unconfirmed) == (0, 0, 0)


def test_more_flows_than_the_table_holds_are_not_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["stateful", "rate", "--lab", "linux,filter=nat", "--flows", "9M", "-o", str(tmp_path / "full.json")]
    assert main(words) == 2
    assert "holds 262144 entries; 9000000 flows take 9000000" in capsys.readouterr().err


def test_a_full_table_is_named_by_its_counter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "full.json"
    words = ["stateful", "rate", "--lab", "linux,filter=nat,states=1000", "--flows", "4k", "--beside", "none", *SHORT]
    assert main([*words, "--force", "-o", str(file)]) == 5
    assert main(["explain", str(file)]) == 0
    told = capsys.readouterr().out
    assert "the state table is full: 1,000 entries (state-table-full" in told
    result = read_file(file)
    assert isinstance(result, StatefulResult)
    assert result.trials
    for one in result.trials:
        assert not one.opened.is_whole
        assert one.states is not None
        assert one.states.used <= 1000
        assert one.states.counters["drop"] > 2_000


def test_trials_longer_than_the_timeout_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["stateful", "all", "--lab", "linux,filter=nat", "--flows", "1k", "-o", str(tmp_path / "late.json")]
    assert main(words) == 2
    assert "--trial 60: flows of the DUT live for 30 s without a frame" in capsys.readouterr().err


@pytest.mark.long("twelve searches of a rate")
def test_the_capacity_is_the_limit_of_the_table(tmp_path: Path) -> None:
    words = ("capacity", "--lab", "linux,filter=nat,states=50000,timeout=120", "--flows", "20k", "--line", "50M")
    few = ("--repeats", "1", "--resolution", "20%", "-q")
    (row,) = measured(tmp_path / "capacity.json", *words, *few).capacity
    assert row.capacity is not None
    assert row.full_at is not None
    assert 49_950 <= row.capacity <= 50_000 < row.full_at <= 50_050


@pytest.mark.long("a million and two million flows at the rates of the machine, three minutes each")
@pytest.mark.alone
@pytest.mark.parametrize(
    ("rules", "measure", "counts"), [("nat", "rate", (1_000_000, 2_000_000)), ("stateful", "throughput", (1_000_000,))]
)
def test_millions_of_flows(rules: str, measure: str, counts: tuple[int, ...], tmp_path: Path) -> None:
    lab = f"linux,filter={rules},states=4000000,buckets=1048576,timeout=600"
    flows = ",".join(map(str, counts))
    words = ("--flows", flows, "--trial", "2", "--repeats", "1", "--resolution", "20%", "--beside", "none", "-q")
    result = measured(tmp_path / "many.json", measure, "--lab", lab, *words)
    whole = [one for one in result.trials if one.filtered and one.test == measure and one.opened.is_whole]
    assert {one.flows for one in whole} == set(counts)
    assert all(one.states is not None and one.states.used >= one.flows for one in whole)
