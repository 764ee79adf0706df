"""Times of losses, from the number of missing packets: packets in flight are not lost, and nothing is counted twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirespeed.measurement.soak.ledger import LOOK_AHEAD, LossLedger, Placed


def told(missing: list[int], drained: int | None, most_under_way: int = 1000) -> tuple[list[int], int]:
    """Losses of each second, minus packets that arrived later, and losses without a time."""
    ledger = LossLedger()
    answers = [answer for one in missing if (answer := ledger.see(one, most_under_way)) is not None]
    assert len(answers) == max(0, len(missing) - LOOK_AHEAD)
    rest, unplaced = ledger.finish(drained)
    return [one.lost - one.delayed for one in [*answers, *rest]], unplaced


def test_what_is_under_way_is_no_loss() -> None:
    assert told([40, 55, 30, 48, 61, 35, 40], 0) == ([0] * 7, 0)


def test_a_loss_is_in_the_second_in_which_it_was() -> None:
    assert told([0, 0, 0, 12, 12, 12, 12], 12) == ([0, 0, 0, 12, 0, 0, 0], 0)
    assert told([40, 55, 30, 48, 1061, 1035, 1040, 1052], 1000)[0][4] >= 960


def test_a_single_packet_is_seen_where_nothing_is_under_way() -> None:
    assert told([0] * 50 + [1] * 10, 1) == ([0] * 50 + [1] + [0] * 9, 0)


def test_a_delay_that_is_made_up_for_is_no_loss() -> None:
    assert told([0, 0, 50_000, 20_000, 0, 0, 0], 0) == ([0] * 7, 0)


def test_what_is_lost_from_the_first_second_on_is_no_more_under_way_than_can_be() -> None:
    lost, unplaced = told([100_000, 200_000, 300_000, 400_000, 500_000], 500_000)
    assert lost[0] == 99_000 and unplaced <= 1000


def test_what_comes_after_all_is_taken_back() -> None:
    ledger = LossLedger()
    answers = [ledger.see(one, 0) for one in (0, 0, 0, 500, 500, 500, 500, 20, 20, 20)]
    assert answers[5] == Placed(lost=500)
    assert sum(one.lost - one.delayed for one in answers if one) <= 20
    assert ledger.placed == 20


@given(st.lists(st.integers(0, 500), min_size=1, max_size=60), st.lists(st.integers(0, 1000), min_size=1, max_size=60))
def test_what_was_placed_and_what_has_no_time_are_all_that_is_missing(lost: list[int], under_way: list[int]) -> None:
    gone, missing = 0, []
    for index, count in enumerate(lost):
        gone += count
        missing.append(gone + under_way[index % len(under_way)])
    placed, unplaced = told(missing, gone)
    assert sum(placed) + unplaced == gone
