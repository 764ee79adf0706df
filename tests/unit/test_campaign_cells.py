"""The matrix of a campaign: its test cases, their keys and order; errors in a file, in one line."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.campaign.ab import group_of
from wirespeed.campaign.benches import place_of, unfit
from wirespeed.campaign.cells import CampaignCell, CampaignSetup, cells_of, check_count, count
from wirespeed.campaign.file import parse_campaign, schema_text
from wirespeed.campaign.loading import load
from wirespeed.campaign.model import Campaign
from wirespeed.campaign.steps import steps_of
from wirespeed.cli.kinds import module_of
from wirespeed.cli.plain import options_of, plain_call
from wirespeed.demo.demo import FULL
from wirespeed.demo.suite import STANDARD_SUITE
from wirespeed.errors import FileFault, UsageError
from wirespeed.measurement.registry import kinds
from wirespeed.renamed import SETTINGS

FILE = """\
campaign: 1
name: box
testbeds: [embedded, linux]
duts:
  - name: plain
  - name: deep
    testbeds: [embedded]
    prepare: {queues: [1, 2, 3], descriptors: [512, 4096]}
directions: [0-1, 1-0, both]
repeats: 2
tests:
  - {name: 64b, command: loadtest, profile: bench, tunables: "size=64", ramp_s: 5}
  - {name: ndr, command: search, preset: quick, goal: [ndr, pdr], directions: [both], repeats: 3}
"""


def cells(text: str = FILE, version: str = "1", bench: str = "embedded") -> list[CampaignCell]:
    campaign = parse_campaign(text)
    return cells_of(campaign, {name: f"{bench}-{name}" for name in campaign.testbeds}, {}, version)


def test_every_combination_is_there_once() -> None:
    found = cells()
    # 2 + 6 pairs of device and testbed, with 3 directions × 2 repeats and 1 direction × 3 repeats.
    assert len(found) == (2 + 6) * (3 * 2 + 1 * 3) == count(parse_campaign(FILE))
    assert len({cell.key for cell in found}) == len({cell.stem for cell in found}) == len(found)
    assert {cell.setup.name for cell in found if cell.bench == "linux"} == {"plain"}
    assert "deep-q2-d512" in {cell.setup.name for cell in found}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("size=64", "size=65"),
        ("repeats: 2", "repeats: 1"),
        ("[1, 2, 3]", "[1, 2]"),
        ("name: plain", "name: plain\n    version: abc"),
        ("name: plain", "name: plain\n    before: [make install]"),
    ],
)
def test_what_decides_an_outcome_changes_keys_and_nothing_else_does(before: str, after: str) -> None:
    old, new = ({cell.key for cell in cells(text)} for text in (FILE, FILE.replace(before, after)))
    assert old != new


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: box", "name: other\ndescription: words"),
        ("repeats: 2", "repeats: 2\nseed: 7\nretries: 5\nbudget_minutes: 1"),
        ("[0-1, 1-0, both]", "[both, 1-0, 0-1]"),
        ("name: plain", "name: plain\n    by_hand: {say: plug it}"),
    ],
)
def test_what_is_only_for_readers_or_the_run_leaves_the_keys(before: str, after: str) -> None:
    old, new = ({cell.key for cell in cells(text)} for text in (FILE, FILE.replace(before, after)))
    assert old == new


def test_another_program_or_bench_is_another_cell() -> None:
    keys = {cell.key for cell in cells()}
    assert keys.isdisjoint(cell.key for cell in cells(version="2"))
    assert keys.isdisjoint(cell.key for cell in cells(bench="changed"))


def test_rounds_hit_all_alike() -> None:
    found = cells()
    repeats = [cell.repeat for cell in found]
    assert repeats == sorted(repeats)
    listed = cells(FILE.replace("repeats: 2", "repeats: 2\norder: listed", 1))
    assert [cell.repeat for cell in listed[:2]] == [1, 2]


@given(st.integers(0, 1000))
def test_a_seed_shuffles_within_rounds_and_loses_none(seed: int) -> None:
    plain, shuffled = cells(), cells(FILE.replace("repeats: 2", f"repeats: 2\nseed: {seed}", 1))
    assert Counter(shuffled) == Counter(plain)
    assert [cell.repeat for cell in shuffled] == [cell.repeat for cell in plain]
    assert shuffled == cells(FILE.replace("repeats: 2", f"repeats: 2\nseed: {seed}", 1))


def test_steps_by_hand_come_one_after_the_other_and_last() -> None:
    text = FILE.replace("name: plain", "name: plain\n    by_hand: {say: plug the card}")
    steps = [cell.setup.by_hand for cell in cells(text)]
    assert steps == sorted(steps)


def test_a_cell_survives_json() -> None:
    for cell in cells():
        assert CampaignCell.from_json(json.loads(json.dumps(cell.to_json()))) == cell


def test_a_matrix_that_explodes_is_counted_and_refused_before_it_is_made() -> None:
    big = parse_campaign(FILE.replace("repeats: 2", "repeats: 1000"))
    with pytest.raises(UsageError, match=r"has 24,024 test cases; give --yes to run more than 500"):
        check_count(big, yes=False)
    check_count(big, yes=True)
    queues = FILE.replace("[1, 2, 3]", str(list(range(1, 1000)))).replace("repeats: 2", "repeats: 1000")
    with pytest.raises(UsageError, match="at most 100,000"):
        check_count(parse_campaign(queues), yes=True)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("ramp_s: 5", "ramps: 5", "s.yaml:12: tests.0.ramps: there is no such key; did you mean ramp_s?"),
        ("testbeds", "tetsbeds", "s.yaml:1: testbeds: it is needed and not there (and 1 more)"),
        ("queues: [1", "queue: [1", "s.yaml:8: duts.1.prepare.queue: there is no such key; did you mean queues?"),
        ("loadtest", "loadtst", f"s.yaml:12: tests.0: `command` says what runs: {', '.join(kinds())}"),
        ("campaign: 1", "suite: 2", "s.yaml has format 2; this program reads up to 1: use a newer wirespeed"),
        ("campaign: 1\n", "", "s.yaml does not give its format; begin the file with `campaign: 1`"),
        ("name: deep", "name: plain", "two of duts are called 'plain': give each a name of its own"),
        ("testbeds: [embedded]", "testbeds: [emb]", "deep: testbed 'emb' is not in the campaign's `testbeds`"),
        ("campaign: 1", "campaign: 1\nsuite: 1", "`suite` is the former name of `campaign`; give `campaign` alone"),
        ("ramp_s: 5", "verify: true, signature: true", "`verify` is the former name of `signature`"),
        ("directions: [both]", "directions: [2-3]", "tests.1.directions.0: String should match"),
        ("repeats: 2", "repeats: [", "this is not YAML"),
        ("repeats: 2", "repeats: many", "s.yaml:10: repeats: Input should be a valid integer"),
    ],
)
def test_what_is_wrong_is_one_line(before: str, after: str, told: str) -> None:
    with pytest.raises(FileFault) as fault:
        parse_campaign(FILE.replace(before, after, 1), "s.yaml")
    assert told in str(fault.value) and "\n" not in str(fault.value)


def test_settings_of_the_commands_are_flags_of_the_cells() -> None:
    common = "directions: '0>1,1>0', power: 'constant:9', signature: true, line: 1G"
    tests = f"""\
  - {{name: a, command: loadtest, {common}, ignore_link_down: true, include_disturbed: true}}
  - {{name: b, command: search, {common}, repeat_disturbed: false}}
  - {{name: c, command: rfc2544, {common}, repeat_disturbed: true}}
  - {{name: d, command: soak, {common}, load: 1%, duration: 2}}
"""
    found = {
        cell.test: cell
        for cell in cells(f"campaign: 1\nname: x\ntestbeds: [embedded]\ndirections: [0-1, 1-0]\ntests:\n{tests}")
    }
    assert {cell.direction for cell in found.values()} == {"0>1,1>0"}
    for cell in found.values():
        assert {"--directions", "0>1,1>0", "--power", "constant:9", "--signature", "--line", "1G"} <= set(cell.flags)
        given = plain_call(module_of(cell.command).command, cell.flags)
        assert set(given) >= {"directions", "power", "signature"}
    assert {"--ignore-link-down", "--include-disturbed"} <= set(found["a"].flags)
    assert ("--no-repeat-disturbed" in found["b"].flags, "--repeat-disturbed" in found["c"].flags) == (True, True)


def test_durations_and_ratios_are_read_as_the_command_line_reads_them() -> None:
    worded = FILE.replace("ramp_s: 5", "ramp_s: 5s, hold_s: 1m, fail_threshold: 0.1%")
    plain = FILE.replace("ramp_s: 5", "ramp_s: 5, hold_s: 60, fail_threshold: 0.001")
    assert [cell.key for cell in cells(worded)] == [cell.key for cell in cells(plain)]
    budget = parse_campaign(FILE.replace("repeats: 2", "repeats: 2\nbudget_minutes: 8h")).budget_minutes
    assert budget == 480
    with pytest.raises(FileFault, match="budget_minutes: .*'late.*' cannot be read"):
        parse_campaign(FILE.replace("repeats: 2", "budget_minutes: late"), "s.yaml")
    with pytest.raises(FileFault, match="ramp_s: .*duration 'soon' cannot be read"):
        parse_campaign(FILE.replace("ramp_s: 5", "ramp_s: soon"), "s.yaml")


FORMER = """\
suite: 1
name: x
benches: [embedded]
directions: [0-1, 1-0]
tests:
  - {name: a, command: loadtest, wires: '0>1,1>0', power: 'constant:9', verify: true, line: 1G, ride_link: true,
     keep_spoilt: true}
  - {name: b, command: search, wires: '0>1,1>0', robust: false}
  - {name: c, command: rfc2544, verify: true, robust: true, duts: [dut]}
  - {name: d, command: soak, load: 1%, lasting: 2, show: 1e-3, directions: [both]}
"""
STEMS = (
    "dut-a-both-1-fc44d397ac55",
    "dut-b-both-1-955f079021ac",
    "dut-c-0-1-1-093d00e3648a",
    "dut-c-1-0-1-1b2e92fcde9e",
    "dut-d-both-1-1581eb3f18f7",
)
"""The files of its test cases, as named by the version that had other names for these options and keys."""


def test_cells_keep_their_files_when_options_and_keys_get_other_names() -> None:
    present = FORMER
    for old, new in SETTINGS.items():
        present = re.sub(rf"\b{old}: ", f"{new}: ", present)
    assert all(re.search(rf"\b{new}: ", present) for new in SETTINGS.values())
    for text in (FORMER, present):
        found = cells_of(parse_campaign(text), {"embedded": "embedded"}, {}, "1")
        assert tuple(cell.stem for cell in found) == STEMS
        for cell in found:
            function = module_of(cell.command).command
            assert {word for word in cell.flags if word.startswith("--")} <= set(options_of(function))


def test_the_identity_of_a_testbed_outlives_a_change_of_keys(tmp_path: Path) -> None:
    text = "tester: {server: a}\nwires: [{port: 0, speed: 10G}, {port: 1}]\nmode: ip6\n"
    for one in (text, text.replace("wires", "links")):
        (tmp_path / "t.yaml").write_text(one)
        identity = place_of("t.yaml", tmp_path).identity
        assert hashlib.sha256(identity.encode()).hexdigest()[:16] == "c0e162bb3a3ab6f8"


def test_cells_that_name_each_direction_are_groups_of_their_own() -> None:
    found = cells(FILE.replace("directions: [both]", "directions: ['0>1', '0>1,1>0', both]"))
    ways = {cell.direction: cell for cell in found if cell.test == "ndr"}
    assert set(ways) == {"0>1", "0>1,1>0", "both"} == {group_of(cell)[2] for cell in ways.values()}
    assert len({cell.key for cell in ways.values()}) == 3


def test_the_schema_has_every_key() -> None:
    schema = json.loads(schema_text())
    assert set(schema["properties"]) == set(Campaign.model_fields)
    assert {"Loadtest", "Search", "Rfc2544", "Soak", "CampaignDut", "ByHand"} <= set(schema["$defs"])


def test_the_campaigns_that_ship_can_be_read() -> None:
    for path in Path("campaigns").glob("*.yaml"):
        loaded = load(path, yes=True)
        assert loaded.cells and all(cell.key for cell in loaded.cells)


def test_the_demo_as_a_campaign_is_what_the_demo_runs() -> None:
    """Loads, directions and times."""
    loaded = load(Path("campaigns/demo.yaml"), [place_of("embedded", Path())])
    suite = {
        (test.label, "0-1" if test.unidirectional else "both", test.profile, tuple(test.tunables.items()))
        for test in STANDARD_SUITE
    }
    found, times = set(), set()
    for cell in loaded.cells:
        flags = dict(zip(cell.flags[::2], cell.flags[1::2], strict=True))
        words = tuple(tuple(word.split("=")) for word in flags["--tunables"].split(","))
        found.add((cell.test, cell.direction, flags["--profile"], words))
        seconds = ("--warmup-duration", "--rampup-duration", "--hold-duration", "--interval")
        times.add(tuple(float(flags[name]) for name in seconds))
    assert found == suite and times == {astuple(FULL.embedded)}


@pytest.mark.parametrize(
    ("lab", "setup", "why"),
    [
        ("embedded", CampaignSetup("a", mode="l2xc", queues=3, descriptors=512), ""),
        ("embedded", CampaignSetup("a", workers=4), "one worker"),
        ("linux", CampaignSetup("a"), ""),
        ("linux", CampaignSetup("a", mode="l2xc"), "takes no a mode other than ip4"),
        ("linux", CampaignSetup("a", cli=("x",)), "cli lines"),
    ],
)
def test_what_a_lab_cannot_be_is_said(lab: str, setup: CampaignSetup, why: str) -> None:
    found = unfit(place_of(lab, Path()), setup, ())
    assert why in found and bool(why) == bool(found)


def test_a_cell_on_a_bench_is_prepared_as_it_says_and_put_back(tmp_path: Path) -> None:
    place = place_of("examples/testbed.yaml", Path())
    campaign = parse_campaign(
        FILE.replace("[embedded, linux]", "[examples/testbed.yaml]").replace("    testbeds: [embedded]\n", "")
    )
    made = cells_of(campaign, {place.name: place.identity}, {}, "1")
    plain = next(cell for cell in made if cell.setup.name == "plain")
    assert steps_of(plain, place, tmp_path).prepare == ()
    deep = steps_of(next(cell for cell in made if cell.setup.name == "deep-q3-d4096"), place, tmp_path)
    [(path, text)] = deep.files.items()
    assert deep.prepare == (("dut", "prepare", "--testbed", str(path), "-q"),)
    assert deep.restore == (("dut", "restore", "--testbed", str(path), "-q"),)
    path.write_text(text)
    options = place_of(str(path), Path()).bench.dut.options
    assert (options.queues, options.rx_descriptors, options.tx_descriptors) == (3, 4096, 4096)
