"""The answers: which load they are of, one router one figure, and how far each can be believed."""

import pytest
from report_cases import OLD, late, test_of

from wirespeed.report.answers import BROKEN_OFF, ESTIMATE, LOSSY, TESTER_LIMITED, answers
from wirespeed.report.loads import group_by_load


def of(*tests):
    return answers(group_by_load(tests))


def router(name, factor=1.0, then=lambda document: None):
    """A router of this name that gave back `factor` of what the golden one did."""

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
    assert (found.load, found.directions, found.others) == ("bench size=64", 1, 0)
    assert (answer.dut, answer.rate_pps, answer.trust) == ("router", 3 * 1_488_096, ESTIMATE)
    assert answer.line_percent == pytest.approx(30)


def test_the_sum_of_two_directions_is_a_share_of_two_lines():
    found = of(test_of("a", OLD))
    assert (found.directions, found.duts[0].dut) == (2, "a")
    assert found.duts[0].line_percent == pytest.approx(60)


def test_the_best_of_several_tests_counts():
    found = of(
        test_of("a", change=router("x", 0.5)), test_of("b", change=router("x")), test_of("c", change=router("y"))
    )
    assert [(answer.dut, answer.rate_pps) for answer in found.duts] == [("x", 3 * 1_488_096), ("y", 3 * 1_488_096)]


def test_a_load_that_all_carried_goes_before_a_harder_one():
    """y ran no small frames: size=64 of the profile says nothing about it."""

    def large(document):
        for sample in document["stats"].values():
            for port in ("0", "1"):
                for key in ("tx", "rx"):
                    sample[port][f"{key}_bps"] = sample[port][f"{key}_pps"] * 1514 * 8

    small = test_of("a", change=router("x"))
    big = [test_of(name, tunables="size=1514", change=router(name, then=large)) for name in ("x", "y")]
    assert of(small, *big).load == "bench size=1514"
    assert of(small, big[0]).load == "bench size=64"
    found = of(small, big[1])
    assert (found.load, found.others) == ("bench size=64", 1)


def test_among_equals_the_load_that_was_forwarded_least_is_the_hardest():
    easy, hard = test_of("a"), test_of("b", tunables="size=64,vm=var2", change=router("router", 0.5))
    assert of(easy, hard).load == "bench size=64,vm=var2"


def broken(document):
    document["outcome"] = {"status": "interrupted"}


def test_a_run_that_can_be_believed_goes_before_one_that_cannot():
    slower = test_of("a", change=router("router", 0.5))
    assert of(test_of("b", change=router("router", 0.9)), test_of("c")).duts[0].trust is ESTIMATE
    assert of(test_of("b", change=broken), slower).duts[0].trust is not BROKEN_OFF
    assert of(test_of("b", change=late), test_of("c")).duts[0].trust is TESTER_LIMITED  # and yet the higher rate
    assert of(test_of("b", change=late), test_of("c")).duts[0].rate_pps == 5_010_000
    assert of(test_of("b", change=broken)).duts[0].trust is BROKEN_OFF


def test_where_the_tester_was_the_limit_the_most_that_came_back_counts():
    """The load that was held is the tester's then: `at least this` must not stand below what was seen."""

    def late_and_lossy(document):
        late(document)
        for sample in document["stats"].values():
            if sample["1"]["rx_pps"] < 4e6:
                continue
            for key in ("rx_pps", "rx_bps", "rx_util", "ipackets"):
                sample["1"][key] *= 0.99

    test = test_of("a", change=late_and_lossy)
    (answer,) = of(test).duts
    curve = test.curves[-1]
    assert answer.trust is TESTER_LIMITED
    assert answer.rate_pps == curve.max_pps > curve.held_pps
    assert answer.line_percent == pytest.approx(curve.outcome.maximum.received_percent)


def test_trust():
    def trust(change):
        return of(test_of("a", change=change)).duts[0].trust

    assert trust(broken) is BROKEN_OFF
    assert trust(late) is TESTER_LIMITED
    assert trust(router("x", 0.9)) is LOSSY


def test_what_never_ran_has_no_answer():
    def early(document):
        document["stats"] = {"0": document["stats"]["0"]}

    assert of(test_of("a", change=early)) is None
