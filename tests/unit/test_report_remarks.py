"""Remarks: one per cause, with the number and names of the tests concerned."""

import pytest
from report_cases import OLD, late, test_of

from wirespeed.measurement.loadtest.remarks import notes, status
from wirespeed.measurement.reported import Remark
from wirespeed.report.comparison import compare


def remarks(*tests):
    return compare(tests).remarks


def test_equal_sound_results_need_no_warning():
    assert remarks(test_of("a"), test_of("b", tunables="size=1514", output_file="b.json", rampup_target="100")) == ()


def test_different_settings_are_one_remark_with_their_values():
    first, second = test_of("a"), test_of("b", rampup_target=97.0, hold_duration=9)
    assert remarks(first, second, test_of("c")) == (
        Remark(
            "settings",
            "3 results with different settings: rampup target, hold duration.",
            ("rampup target: 100 in 2 results, 97 in 1 result", "hold duration: 1 in 2 results, 9 in 1 result"),
        ),
    )


def test_different_lengths_are_named():
    def cut(document):
        del document["stats"]["14"]

    assert remarks(test_of("a"), test_of("b", change=cut)) == (
        Remark("lengths", "2 results of different length: from 14 to 15 samples.", ("a: 15 samples", "b: 14 samples")),
    )


def test_lines_of_different_speed_in_one_group_are_named():
    def slower(document):
        for sample in document["stats"].values():
            for port in ("0", "1"):
                sample[port]["tx_util"] *= 4

    assert remarks(test_of("a"), test_of("b", change=slower)) == (
        Remark(
            "line-speeds",
            "1 load (64b one flow) on lines of different speed.",
            ("64b one flow: line rates from 3.720 Mpps to 14.88 Mpps",),
        ),
    )


def test_a_broken_off_run_is_marked():
    broken = test_of(
        "a", change=lambda document: document.update(outcome={"status": "interrupted", "reason": "Ctrl-C."})
    )
    assert remarks(broken) == (
        Remark(
            "incomplete", "1 result (a) not complete: the figures cover only what ran.", ("a: interrupted: Ctrl-C",)
        ),
    )
    assert notes(broken.analysis, broken.analysis.curves[0]) == ["interrupted"]


@pytest.mark.parametrize(
    ("outcome", "said"),
    [({}, "complete"), ({"status": "failed"}, "failed"), ({"status": "failed", "reason": "Lost."}, "failed: Lost")],
)
def test_an_ending_is_words(outcome, said):
    test = test_of("a", change=lambda document: document.update(outcome=outcome))
    assert test.ending.text == said
    assert said.startswith(status(test.analysis))


def test_a_run_that_ended_in_the_warm_up_says_nothing():
    def early(document):
        document["outcome"] = {"status": "failed"}
        document["stats"] = {key: document["stats"][key] for key in ("0", "1")}

    assert [(remark.cause, remark.tests) for remark in remarks(test_of("a", change=early))] == [
        ("incomplete", ("a: failed",)),
        ("no-traffic", ("a",)),
    ]


def test_a_limiting_tester_is_named_and_noted():
    limited = test_of("a", change=late)
    assert remarks(limited) == (
        Remark(
            "tester-limited",
            "1 direction (a 0→1): the tester was the limit, 100 % of the missing packets are its own; "
            "the DUT may do better than this.",
            ("a 0→1: 100 % of the missing packets",),
        ),
    )
    assert notes(limited.analysis, limited.analysis.curves[0]) == ["tester-limited"]


def test_what_is_true_of_many_is_said_once():
    limited = [test_of(f"t{number}", change=late) for number in range(16)]
    (remark,) = remarks(*limited)
    assert remark.sentence.startswith("All 16 directions: the tester was the limit")
    assert len(remark.tests) == 16
    (remark,) = remarks(*limited, test_of("sound"))
    assert remark.sentence.startswith("16 of 17 directions: the tester was the limit")
    assert not any("sound" in test for test in remark.tests)


def test_loss_that_does_not_last_is_one_remark():
    stray = [remark for remark in remarks(test_of("a", OLD), test_of("b", OLD)) if remark.cause == "stray-loss"]
    assert stray == [
        Remark(
            "stray-loss",
            "2 of 4 directions: some samples lost more than 0.1 %, without the loss lasting.",
            ("a 0→1: 1 of 12 samples", "b 0→1: 1 of 12 samples"),
        )
    ]


def test_files_of_the_old_program_are_named():
    (remark,) = [remark for remark in remarks(test_of("a", OLD), test_of("b")) if remark.cause == "no-timestamps"]
    assert remark.sentence.startswith("1 result (a) without timestamps, as trex-loadtest writes")


def test_a_router_that_returns_nothing_is_named():
    def silent(document):
        for sample in document["stats"].values():
            sample["1"] |= {"rx_pps": 0.0, "rx_bps": 0.0, "rx_util": 0.0, "ipackets": 0}

    (remark,) = [one for one in remarks(test_of("a", change=silent)) if one.cause == "nothing-back"]
    assert remark == Remark("nothing-back", "1 direction (a 0→1): no packet came back.", ("a 0→1",))
