"""The answers: their load, one figure per router, and their certainty."""

import pytest
from report_cases import OLD, late, test_of

from wirespeed.measurement.load import group_by_load
from wirespeed.measurement.loadtest.answers import answers
from wirespeed.report.comparison import compare

HELD = 2 * 1_488_096
"""The mean of the three loads of the golden ramp that passed."""


def of(*tests):
    found = compare(tests)
    return answers(group_by_load(found.results), found.verdicts)


def figure(answer):
    return answer.verdict.shown


def router(name, factor=1.0, then=lambda document: None):
    """A router with this name that returned `factor` times the golden one's packets."""

    def change(document):
        document["dut"] = {"name": name}
        for sample in document["stats"].values():
            for key in ("rx_pps", "rx_bps", "rx_util", "ipackets"):
                sample["1"][key] *= factor
        then(document)

    return change


def test_a_router_answers_with_the_highest_load_it_held():
    found = of(test_of("a"))
    (answer,) = found.duts
    assert (found.load, found.directions, found.others) == ("64b one flow", 1, 0)
    assert (answer.dut, figure(answer).rate_pps, figure(answer).mark) == ("router", HELD, "estimate")
    assert figure(answer).line_percent == pytest.approx(20)


def test_the_sum_of_two_directions_is_a_share_of_two_lines():
    found = of(test_of("a", OLD))
    assert (found.directions, found.duts[0].dut) == (2, "unnamed (a)")
    assert (figure(found.duts[0]).line_percent, figure(found.duts[0]).lines) == (pytest.approx(50), 2)


def test_the_best_of_several_tests_counts():
    found = of(
        test_of("a", change=router("x", 0.5)), test_of("b", change=router("x")), test_of("c", change=router("y"))
    )
    assert [(answer.dut, figure(answer).rate_pps) for answer in found.duts] == [("x", HELD), ("y", HELD)]


def test_a_load_that_all_carried_goes_before_a_harder_one():
    """y was not tested with small frames: size=64 of the profile says nothing about it."""

    def large(document):
        for sample in document["stats"].values():
            for port in ("0", "1"):
                for key in ("tx", "rx"):
                    sample[port][f"{key}_bps"] = sample[port][f"{key}_pps"] * 1514 * 8

    small = test_of("a", change=router("x"))
    big = [test_of(name, tunables="size=1514", change=router(name, then=large)) for name in ("x", "y")]
    assert of(small, *big).load == "1514b one flow"
    assert of(small, big[0]).load == "64b one flow"
    found = of(small, big[1])
    assert (found.load, found.others) == ("64b one flow", 1)


def test_among_equals_the_load_that_was_forwarded_least_is_the_hardest():
    easy, hard = test_of("a"), test_of("b", tunables="size=64,vm=var2", change=router("router", 0.5))
    assert of(easy, hard).load == "64b many flows"


def broken(document):
    document["outcome"] = {"status": "interrupted"}


def test_a_run_that_can_be_believed_goes_before_one_that_cannot():
    slower = test_of("a", change=router("router", 0.5))
    (answer,) = of(test_of("b", change=router("router", 0.9)), test_of("c")).duts
    assert (answer.verdict.name, figure(answer).mark) == ("c", "estimate")
    (answer,) = of(test_of("b", change=broken), slower).duts
    assert answer.verdict.name == "a"
    (answer,) = of(test_of("b", change=late), test_of("c")).duts
    assert answer.verdict.name == "b"  # a lower bound, and still the higher rate
    (answer,) = of(test_of("b", change=broken)).duts
    assert figure(answer).mark == "broken off"


def test_where_the_tester_was_the_limit_the_figure_is_a_lower_bound_and_says_so():
    (answer,) = of(test_of("a", change=late)).duts
    assert answer.verdict.limited_by == "tester"
    assert figure(answer).text == "≥ 5.01 Mpps (tester-limited)"


def test_trust():
    def mark(change):
        return figure(of(test_of("a", change=change)).duts[0]).mark

    assert mark(broken) == "broken off"
    assert mark(late) == "at least"
    assert mark(router("x", 0.9)) == "lossy"


def test_what_never_ran_has_no_answer():
    def early(document):
        document["stats"] = {"0": document["stats"]["0"]}

    assert of(test_of("a", change=early)) is None
