"""Results side by side: names, groups, channel words and the warnings."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.errors import UsageError
from wirespeed.loadtest.result import from_json
from wirespeed.report.analysis import analyse
from wirespeed.report.comparison import compare, distinct_names, notes, select_channels, settings

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
OLD = json.loads((GOLDEN / "trex-loadtest.json").read_text())
OURS = json.loads((GOLDEN / "wirespeed.json").read_text())


def test_of(name, base=OURS, change=lambda document: None, **variables):
    document = copy.deepcopy(base)
    document["vars"] |= variables
    change(document)
    return analyse(from_json(document, name), 0.001)


test_of.__test__ = False


def resized(size_bytes):
    """The frames of another size: byte rates change, packet rates do not."""

    def change(document):
        for sample in document["stats"].values():
            for port in ("0", "1"):
                for key in ("tx", "rx"):
                    sample[port][f"{key}_bps"] = sample[port][f"{key}_pps"] * size_bytes * 8

    return change


def grouped(*tests):
    return [[test.result.name for test in group.tests] for group in compare(tests, 0.001).groups]


def test_results_of_one_profile_and_tunables_share_a_chart():
    tests = [test_of("a"), test_of("b", tunables="size=64,vm=var2"), test_of("c"), test_of("d", profile_file="imix.py")]
    assert grouped(*tests) == [["a", "c"], ["b"], ["d"]]


def test_a_profile_is_its_base_name_and_tunables_may_come_as_an_object():
    tests = [
        test_of("a", profile_file="stl/bench.py", tunables={"vm": "var2", "size": 64}),
        test_of("b", profile_file="/opt/bench.py", tunables="size=64,vm=var2"),
    ]
    assert grouped(*tests) == [["a", "b"]]


def test_files_without_tunables_are_told_apart_by_frame_size():
    # trex-loadtest keeps no tunables: the bench profile at 64 and at 1514 bytes, and imix that varies a little.
    sizes = {"a": 64, "b": 1514, "c": 362.5, "d": 363.9, "e": 64}
    assert grouped(*(test_of(name, OLD, resized(size)) for name, size in sizes.items())) == [
        ["a", "e"],
        ["b"],
        ["c", "d"],
    ]
    names = [group.load.name for group in compare([test_of("b", OLD, resized(1514))], 0.001).groups]
    assert names == ["udp_1pkt_simple_bdir 1514-byte frames"]


def test_a_size_that_is_not_known_matches_no_known_one():
    assert grouped(test_of("a"), test_of("b", change=resized(0)), test_of("c", change=resized(0))) == [
        ["a"],
        ["b", "c"],
    ]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["x.json"], ["x"]),
        (["a/x.json", "a/y.json"], ["x", "y"]),
        (["a/x.json", "b/x.json", "b/y.json"], ["a/x", "b/x", "y"]),
        (["a/c/x.json", "b/c/x.json"], ["a/c/x", "b/c/x"]),
        (["x.json", "x.json", "x.json"], ["x", "x (2)", "x (3)"]),
        (["2.5G.json"], ["2.5G"]),
        (["/x.json", "/a/x.json"], ["//x", "a/x"]),
    ],
)
def test_names_tell_files_apart(paths, names):
    assert distinct_names([Path(path) for path in paths]) == names


part = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.builds("/".join, st.lists(part, min_size=1, max_size=4)), unique=True, min_size=1, max_size=8))
def test_names_of_different_files_differ(paths):
    names = distinct_names([Path(f"{path}.json") for path in paths])
    assert len(set(names)) == len(paths)
    assert all(path.endswith(name) or name.endswith(path) for path, name in zip(paths, names, strict=True))


@pytest.mark.parametrize("words", [["0-1"], ["0→1"], ["0->1"], ["0>1"], [" 0-1 "], ["0-1", "0-1"]])
def test_a_channel_may_be_written_in_many_ways(words):
    assert select_channels([test_of("a", OLD)], words) == {"0→1"}


def test_channels_add_up_and_without_words_are_all_but_the_sum():
    tests = [test_of("a"), test_of("b", OLD)]
    assert select_channels(tests, []) == {"0→1", "1→0"}
    assert select_channels(tests, ["1-0,SUM"]) == {"1→0", "sum"}


@pytest.mark.parametrize("word", ["", "0", "1-0", "sum", "0-1,"])
def test_a_channel_that_no_result_has_is_refused(word):
    with pytest.raises(UsageError, match="is in no result; choose from 0-1$"):
        select_channels([test_of("a")], [word])


def remarks(*tests):
    return compare(tests, 0.001).remarks


def test_equal_sound_results_need_no_warning():
    assert remarks(test_of("a"), test_of("b", tunables="size=1514", output_file="b.json", rampup_target="100")) == ()


def test_different_configurations_and_lengths_are_named():
    def cut(document):
        del document["stats"]["14"]

    assert remarks(test_of("a"), test_of("b", change=cut, rampup_target=97.0, hold_duration=9)) == (
        "Tests differ in rampup_target: 100, 97.",
        "Tests differ in hold_duration: 1, 9.",
        "Tests differ in length: from 14 to 15 samples.",
    )


def test_lines_of_different_speed_in_one_group_are_named():
    def slower(document):
        for sample in document["stats"].values():
            for port in ("0", "1"):
                sample[port]["tx_util"] *= 4

    assert remarks(test_of("a"), test_of("b", change=slower)) == (
        "bench size=64: tests ran on lines of different speed.",
    )


def test_a_broken_off_run_is_marked():
    broken = test_of(
        "a", change=lambda document: document.update(outcome={"status": "interrupted", "reason": "Ctrl-C."})
    )
    assert remarks(broken) == ("a is interrupted (Ctrl-C): its figures cover only what ran.",)
    assert notes(broken, broken.curves[0]) == ["interrupted"]


def test_a_run_that_ended_in_the_warm_up_says_nothing():
    def early(document):
        document["outcome"] = {"status": "failed"}
        document["stats"] = {key: document["stats"][key] for key in ("0", "1")}

    assert remarks(test_of("a", change=early)) == (
        "a is failed (no reason given): its figures cover only what ran.",
        "a holds no ramp or hold samples with traffic: it says nothing about the router.",
    )


def test_a_limiting_tester_is_named_and_noted():
    def late(document):
        for sample in document["stats"].values():
            sample["0"]["late"], sample["0"]["refused"] = sample["0"]["refused"], 0

    limited = test_of("a", change=late)
    (remark,) = remarks(limited)
    assert remark.startswith(
        "a 0→1: the tester was too slow to send or receive what was asked for (100 % of the missing packets)"
    )
    assert notes(limited, limited.curves[0]) == ["tester-limited"]


def test_a_tester_that_limits_every_test_is_one_warning():
    def late(document):
        for sample in document["stats"].values():
            sample["0"]["late"], sample["0"]["refused"] = sample["0"]["refused"], 0

    both = remarks(test_of("a", change=late), test_of("b", change=late))
    assert [remark for remark in both if "too slow" in remark] == [
        "All 2 tests: the tester was too slow to send or receive what was asked for (100 % of the missing packets); "
        "the router may do better than this."
    ]


def test_a_router_that_returns_nothing_is_named():
    def silent(document):
        for sample in document["stats"].values():
            sample["1"] |= {"rx_pps": 0.0, "rx_bps": 0.0, "rx_util": 0.0, "ipackets": 0}

    assert "a 0→1: no packet came back." in remarks(test_of("a", change=silent))


def test_settings_are_flat_text_with_lab_router_and_versions():
    found = settings(test_of("a", nested={"a": [1]}))
    assert found["rampup_target"] == "100"
    assert found["unidirectional"] == "true"
    assert found["nested"] == '{"a": [1]}'
    assert found["lab kind"] == "embedded"
    assert found["dut name"] == "router"
    assert found["version wirespeed"] == "0.1.0"
    assert found["started"] == "2026-11-21T20:00:00+00:00"
