"""The matrix of a campaign: its cells, their keys, their order; what is wrong in a file, in one line."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.cli.kinds import module_of
from wirespeed.cli.plain import plain_call
from wirespeed.demo.demo import FULL
from wirespeed.demo.suite import SEED_SUITE
from wirespeed.errors import FileFault, UsageError
from wirespeed.suite.benches import place_of, unfit
from wirespeed.suite.cells import Cell, Setup, cells_of, check_count, count
from wirespeed.suite.file import parse_campaign, schema_text
from wirespeed.suite.loading import load
from wirespeed.suite.model import Campaign
from wirespeed.suite.steps import steps_of

FILE = """\
suite: 1
name: box
benches: [embedded, linux]
duts:
  - name: plain
  - name: deep
    benches: [embedded]
    prepare: {queues: [1, 2, 3], descriptors: [512, 4096]}
directions: [0-1, 1-0, both]
repeats: 2
tests:
  - {name: 64b, command: loadtest, profile: bench, tunables: "size=64", ramp_s: 5}
  - {name: ndr, command: search, preset: quick, goal: [ndr, pdr], directions: [both], repeats: 3}
"""


def cells(text: str = FILE, version: str = "1", bench: str = "embedded") -> list[Cell]:
    campaign = parse_campaign(text)
    return cells_of(campaign, {name: f"{bench}-{name}" for name in campaign.benches}, {}, version)


def test_every_combination_is_there_once() -> None:
    found = cells()
    # 2 + 6 devices-on-benches, of 3 directions × 2 repeats and of 1 direction × 3 repeats.
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
        assert Cell.from_json(json.loads(json.dumps(cell.to_json()))) == cell


def test_a_matrix_that_explodes_is_counted_and_refused_before_it_is_made() -> None:
    big = parse_campaign(FILE.replace("repeats: 2", "repeats: 1000"))
    with pytest.raises(UsageError, match=r"has 24,024 cells; give --yes to run more than 500"):
        check_count(big, yes=False)
    check_count(big, yes=True)
    queues = FILE.replace("[1, 2, 3]", str(list(range(1, 1000)))).replace("repeats: 2", "repeats: 1000")
    with pytest.raises(UsageError, match="100,000 are the most"):
        check_count(parse_campaign(queues), yes=True)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("ramp_s: 5", "ramps: 5", "s.yaml:12: tests.0.ramps: there is no such key; did you mean ramp_s?"),
        ("benches", "benhces", "s.yaml:1: benches: it is needed and not there (and 1 more)"),
        ("queues: [1", "queue: [1", "s.yaml:8: duts.1.prepare.queue: there is no such key; did you mean queues?"),
        ("loadtest", "loadtst", "s.yaml:12: tests.0: `command` says what runs: loadtest, search, rfc2544, soak"),
        ("suite: 1", "suite: 2", "s.yaml: it is of format 2, this program reads up to 1; take a newer wirespeed"),
        ("suite: 1\n", "", "s.yaml: its format is not said; begin the file with `suite: 1`"),
        ("name: deep", "name: plain", "two of duts are called 'plain': give each a name of its own"),
        ("benches: [embedded]", "benches: [emb]", "deep is to be on 'emb', which is none of benches"),
        ("repeats: 2", "repeats: [", "this is not YAML"),
        ("repeats: 2", "repeats: many", "s.yaml:10: repeats: Input should be a valid integer"),
    ],
)
def test_what_is_wrong_is_one_line(before: str, after: str, told: str) -> None:
    with pytest.raises(FileFault) as fault:
        parse_campaign(FILE.replace(before, after, 1), "s.yaml")
    assert told in str(fault.value) and "\n" not in str(fault.value)


def test_settings_of_the_commands_are_flags_of_the_cells() -> None:
    common = "wires: '0>1,1>0', power: 'constant:9', verify: true, line: 1G"
    tests = f"""\
  - {{name: a, command: loadtest, {common}, ride_link: true, keep_spoilt: true}}
  - {{name: b, command: search, {common}, robust: false}}
  - {{name: c, command: rfc2544, {common}, robust: true}}
  - {{name: d, command: soak, {common}, load: 1%, lasting: 2}}
"""
    found = {
        cell.test: cell
        for cell in cells(f"suite: 1\nname: x\nbenches: [embedded]\ndirections: [0-1, 1-0]\ntests:\n{tests}")
    }
    assert {cell.direction for cell in found.values()} == {"both"}
    for cell in found.values():
        assert {"--wires", "0>1,1>0", "--power", "constant:9", "--verify", "--line", "1G"} <= set(cell.flags)
        assert set(plain_call(module_of(cell.command).command, cell.flags)) >= {"wires", "power"}
    assert {"--ride-link", "--keep-spoilt"} <= set(found["a"].flags)
    assert ("--no-robust" in found["b"].flags, "--robust" in found["c"].flags) == (True, True)


def test_wires_and_directions_contradict_each_other() -> None:
    with pytest.raises(FileFault, match="`wires` says each direction by itself; leave out `directions`"):
        parse_campaign(FILE.replace("directions: [both]", "directions: [both], wires: '0>1'"), "s.yaml")


def test_the_schema_has_every_key() -> None:
    schema = json.loads(schema_text())
    assert set(schema["properties"]) == set(Campaign.model_fields)
    assert {"Loadtest", "Search", "Rfc2544", "Soak", "Dut", "ByHand"} <= set(schema["$defs"])


def test_the_campaigns_that_ship_can_be_read() -> None:
    for path in Path("suites").glob("*.yaml"):
        loaded = load(path, yes=True)
        assert loaded.cells and all(cell.key for cell in loaded.cells)


def test_the_demo_as_a_campaign_is_what_the_demo_runs() -> None:
    """Loads, directions and times."""
    loaded = load(Path("suites/demo.yaml"), [place_of("embedded", Path())])
    suite = {
        (test.label, "0-1" if test.unidirectional else "both", test.profile, tuple(test.tunables.items()))
        for test in SEED_SUITE
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
        ("embedded", Setup("a", mode="l2xc", queues=3, descriptors=512), ""),
        ("embedded", Setup("a", workers=4), "one worker"),
        ("linux", Setup("a"), ""),
        ("linux", Setup("a", mode="l2xc"), "takes no a mode other than ip4"),
        ("linux", Setup("a", cli=("x",)), "cli lines"),
    ],
)
def test_what_a_lab_cannot_be_is_said(lab: str, setup: Setup, why: str) -> None:
    found = unfit(place_of(lab, Path()), setup, ())
    assert why in found and bool(why) == bool(found)


def test_a_cell_on_a_bench_is_prepared_as_it_says_and_put_back(tmp_path: Path) -> None:
    place = place_of("examples/bench.yaml", Path())
    campaign = parse_campaign(
        FILE.replace("[embedded, linux]", "[examples/bench.yaml]").replace("    benches: [embedded]\n", "")
    )
    made = cells_of(campaign, {place.name: place.identity}, {}, "1")
    plain = next(cell for cell in made if cell.setup.name == "plain")
    assert steps_of(plain, place, tmp_path).prepare == ()
    deep = steps_of(next(cell for cell in made if cell.setup.name == "deep-q3-d4096"), place, tmp_path)
    [(path, text)] = deep.files.items()
    assert deep.prepare == (("dut", "prepare", "--bench", str(path), "-q"),)
    assert deep.restore == (("dut", "restore", "--bench", str(path), "-q"),)
    path.write_text(text)
    options = place_of(str(path), Path()).bench.dut.options
    assert (options.queues, options.rx_descriptors, options.tx_descriptors) == (3, 4096, 4096)
