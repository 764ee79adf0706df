"""Results side by side: names, groups and channel words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import OLD, test_of

from wirespeed.errors import UsageError
from wirespeed.measurement.load import group_by_load
from wirespeed.report.comparison import distinct_names, select_channels


def resized(size_bytes):
    """The frames with another size: byte rates change, packet rates do not."""

    def change(document):
        for sample in document["stats"].values():
            for port in ("0", "1"):
                for key in ("tx", "rx"):
                    sample[port][f"{key}_bps"] = sample[port][f"{key}_pps"] * size_bytes * 8

    return change


def grouped(*tests):
    return [[test.name for test in group.results] for group in group_by_load(tests)]


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
    # trex-loadtest does not store tunables: the bench profile at 64 and at 1514 bytes, and imix that varies a little.
    sizes = {"a": 64, "b": 1514, "c": 362.5, "d": 363.9, "e": 64}
    assert grouped(*(test_of(name, OLD, resized(size)) for name, size in sizes.items())) == [
        ["a", "e"],
        ["b"],
        ["c", "d"],
    ]
    names = [group.load.name for group in group_by_load([test_of("b", OLD, resized(1514))])]
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


def test_a_channel_may_be_a_number_of_the_old_viewer():
    assert select_channels([test_of("a", OLD)], ["0,2"]) == {"0→1", "sum"}
    assert select_channels([test_of("a")], ["0"]) == {"0→1"}


@pytest.mark.parametrize("word", ["", "1", "2", "3", "1-0", "sum", "0-1,"])
def test_a_channel_that_no_result_has_is_refused(word):
    with pytest.raises(UsageError, match="is in no result; choose from 0-1$"):
        select_channels([test_of("a")], [word])
