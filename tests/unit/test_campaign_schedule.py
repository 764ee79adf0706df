"""The next test case to run, and the handling of those that ended."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.campaign.cells import ANY, CampaignCell, CampaignSetup
from wirespeed.campaign.outcome import ABANDONED, DONE, FAILED, LOST, CellOutcome
from wirespeed.campaign.schedule import MOST_LOST, CampaignSchedule

CELL = CampaignCell("c", "a", CampaignSetup("d"), "t", "loadtest", (), "both", 1, 10.0, "0")


def schedule(
    *cells: CampaignCell, tries: int = 2, budget_s: float | None = None, failures: int | None = None
) -> CampaignSchedule:
    return CampaignSchedule(cells, {cell.key: tries for cell in cells}, budget_s, failures)


def on(bench: str, key: str, by_hand: str = "") -> CampaignCell:
    return replace(CELL, bench=bench, key=key, setup=CampaignSetup("d", by_hand=by_hand))


def test_a_cell_waits_for_its_bench_and_others_pass_it() -> None:
    plan = schedule(on("a", "1"), on("b", "2"), on(ANY, "3"))
    assert plan.next_for(("b",), 0) == on("b", "2")
    assert plan.next_for(("b",), 0) == on(ANY, "3")
    assert plan.next_for(("b",), 0) is None
    assert plan.next_for(("a", "x"), 0) == on("a", "1")


def test_a_failed_cell_is_tried_again_last_and_then_no_more() -> None:
    plan = schedule(on("a", "1"), on("a", "2"))
    first = plan.next_for(("a",), 0)
    assert first is not None and plan.ended(first, CellOutcome(FAILED, error="x", exit_code=5))
    second = plan.next_for(("a",), 0)
    assert second == on("a", "2") and not plan.ended(second, CellOutcome(DONE, 3.0))
    assert plan.next_for(("a",), 0) == first
    assert not plan.ended(first, CellOutcome(FAILED, error="x", exit_code=5))
    assert (plan.failed, plan.done) == ([first], [second])


def test_what_cannot_end_otherwise_is_not_tried_again() -> None:
    plan = schedule(CELL)
    plan.next_for(("a",), 0)
    assert not plan.ended(CELL, CellOutcome(FAILED, error="no such profile", exit_code=2))


def test_a_lost_cell_is_next_and_costs_no_try_until_it_is_what_kills_the_bench() -> None:
    plan = schedule(CELL, on("a", "9"), tries=1)
    for _ in range(MOST_LOST - 1):
        assert plan.next_for(("a",), 0) == CELL
        assert plan.ended(CELL, CellOutcome(LOST))
    assert plan.next_for(("a",), 0) == CELL
    assert not plan.ended(CELL, CellOutcome(LOST))


def test_an_abandoned_cell_is_to_be_run() -> None:
    plan = schedule(CELL)
    plan.next_for(("a",), 0)
    plan.ended(CELL, CellOutcome(ABANDONED))
    assert plan.waiting == [CELL]


def test_no_cell_begins_that_ends_after_the_budget() -> None:
    plan = schedule(replace(CELL, most_s=500.0, flags=("long",)), on("a", "2"), budget_s=60.0)
    assert plan.next_for(("a",), 0) == on("a", "2")
    plan.ended(on("a", "2"), CellOutcome(DONE, 9.0))
    assert plan.next_for(("a",), 9.0) is None
    assert plan.reason == "no other test case ends within the budget"


def test_the_campaign_stops_after_so_many_failures_but_not_for_those_of_before() -> None:
    cells = [on("a", str(number)) for number in range(4)]
    plan = CampaignSchedule(cells, {"0": 0, "1": 1, "2": 1, "3": 1}, None, 2)
    for _ in range(2):
        cell = plan.next_for(("a",), 0)
        assert cell is not None
        plan.ended(cell, CellOutcome(FAILED, error="x", exit_code=5))
    assert plan.next_for(("a",), 0) is None and plan.reason == "2 test cases have failed"


def test_nothing_runs_beside_a_cell_that_needs_another_step_by_hand() -> None:
    plan = schedule(on("a", "1"), on("b", "2", "plug it"))
    first = plan.next_for(("a",), 0)
    assert first is not None and plan.next_for(("b",), 0) is None
    plan.ended(first, CellOutcome(DONE, 1.0))
    assert plan.next_for(("b",), 0) == on("b", "2", "plug it")


def test_time_left_is_learnt_from_cells_alike() -> None:
    plan = schedule(on("a", "1"), on("a", "2"), on("b", "3"))
    assert plan.left_s(2) == 32.0
    first = plan.next_for(("a",), 0)
    assert first is not None
    plan.ended(first, CellOutcome(DONE, 4.0))
    assert (plan.seconds(on("a", "2")), plan.left_s(2)) == (4.0, 16.0)
