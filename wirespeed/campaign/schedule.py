"""Order of test cases: the next one to run, and the state of those that ended. A pure value, fed with events."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence

from wirespeed.campaign.cells import ANY, CampaignCell
from wirespeed.campaign.estimate import like, seconds_of
from wirespeed.campaign.outcome import ABANDONED, DONE, LOST, CellOutcome

MOST_LOST = 3
"""A cell during which its testbed disappeared so many times is taken for the cause."""


class CampaignSchedule:
    """`todo` are the remaining cells in order; `tries` the tries left for each. With `budget_s`, cells that would end
    later do not begin; with `most_failures`, no cell begins after so many final failures."""

    def __init__(
        self,
        todo: Sequence[CampaignCell],
        tries: dict[str, int],
        budget_s: float | None = None,
        most_failures: int | None = None,
    ) -> None:
        self._tries = tries
        self.waiting = [cell for cell in todo if tries[cell.key] > 0]
        self.running: list[CampaignCell] = []
        self.done: list[CampaignCell] = []
        self.failed: list[CampaignCell] = [cell for cell in todo if tries[cell.key] <= 0]
        self._old_failures = len(self.failed)
        self._budget_s, self._most_failures = budget_s, most_failures
        self._measured: defaultdict[tuple[str, str, tuple[str, ...]], list[float]] = defaultdict(list)
        self._lost: Counter[str] = Counter()
        self.reason = ""
        """Why no more cells begin, if that is so."""

    def next_for(self, benches: Collection[str], spent_s: float) -> CampaignCell | None:
        """The next cell for one of `benches`, `spent_s` after the campaign began; it counts as running then."""
        if self.reason:
            return None
        for cell in self.waiting:
            if cell.bench not in (ANY, *benches) or (
                self.running and cell.setup.by_hand != self.running[0].setup.by_hand
            ):
                continue
            if self._budget_s is not None and spent_s + self.seconds(cell) > self._budget_s:
                continue
            self.waiting.remove(cell)
            self.running.append(cell)
            return cell
        if self._budget_s is not None and self.waiting and not self.running:
            fits = any(spent_s + self.seconds(cell) <= self._budget_s for cell in self.waiting)
            self.reason = "" if fits else "no other test case ends within the budget"
        return None

    def give_back(self, cell: CampaignCell) -> None:
        """A cell that was taken did not begin."""
        self.running.remove(cell)
        self.waiting.insert(0, cell)

    def ended(self, cell: CampaignCell, outcome: CellOutcome) -> bool:
        """A running cell ended so; whether it will run again."""
        if outcome.status == LOST:
            self._lost[cell.key] += 1
        if outcome.status == ABANDONED or (outcome.status == LOST and self._lost[cell.key] < MOST_LOST):
            self.give_back(cell)
            return True
        self.running.remove(cell)
        if outcome.status == DONE:
            self.done.append(cell)
            self._measured[like(cell)].append(outcome.seconds)
            return False
        self._tries[cell.key] = 0 if outcome.final else self._tries[cell.key] - 1
        if self._tries[cell.key] > 0:
            self.waiting.append(cell)  # last: what disturbed it may be over then
            return True
        self.failed.append(cell)
        if self._most_failures is not None and len(self.failed) - self._old_failures >= self._most_failures:
            self.reason = f"{self._most_failures} test cases have failed"
        return False

    def drop(self, is_needless: Callable[[CampaignCell], bool]) -> None:
        """Cells that are not to run any more, since what they were for is known."""
        self.waiting = [cell for cell in self.waiting if not is_needless(cell)]

    def stop(self, reason: str) -> None:
        """No further cell begins."""
        self.reason = self.reason or reason

    def learn(self, cell: CampaignCell, seconds: Sequence[float]) -> None:
        """Record the durations of similar cells."""
        self._measured[like(cell)] += seconds

    def seconds(self, cell: CampaignCell) -> float:
        return seconds_of(cell, self._measured)

    def left_s(self, benches: int) -> float:
        """Estimated seconds until all cells are done, on so many testbeds in parallel."""
        each: defaultdict[str, float] = defaultdict(float)
        for cell in (*self.running, *self.waiting):
            each[cell.bench] += self.seconds(cell)
        shared = each.pop(ANY, 0.0) / max(1, benches)
        return max([*each.values(), 0.0]) + shared
