"""A campaign run: cells begun on benches that are free, results kept as they come, until there are no more."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wirespeed.campaign.by_hand import done_by_hand
from wirespeed.campaign.cells import ANY, CampaignCell
from wirespeed.campaign.estimate import time_text
from wirespeed.campaign.headline import headline
from wirespeed.campaign.ledger import CampaignLedger
from wirespeed.campaign.outcome import DONE, CellOutcome
from wirespeed.campaign.runner import Runner, place_for
from wirespeed.campaign.schedule import CampaignSchedule
from wirespeed.pages.words import count

_POLL_S = 0.1


@dataclass
class CampaignRun:
    """`say` prints a line; `on_done` is called for each completed cell; `wait_s` is the time to wait for an unreachable
    testbed when nothing else is left to do. After `run`, `pending` is the manual step that comes first, `away` the
    testbeds that did not return, `interrupted` whether Ctrl-C ended the run."""

    schedule: CampaignSchedule
    runners: Sequence[Runner]
    ledger: CampaignLedger
    total: int
    say: Callable[[str], None]
    on_done: Callable[[CampaignCell], None] = lambda cell: None
    wait_s: float = 600.0
    pending: str = ""
    away: str = ""
    interrupted: bool = False
    _busy: dict[int, CampaignCell] = field(default_factory=dict)
    _by_hand: str = ""
    _began_s: float = field(default_factory=time.monotonic)
    _there_s: float = field(default_factory=time.monotonic)

    def run(self, stop: threading.Event) -> None:
        """Until all is done or something ends it. The first Ctrl-C (`stop`) lets what runs end, a second one
        (KeyboardInterrupt) abandons it."""
        try:
            while self._step(stop):
                time.sleep(_POLL_S)
        except KeyboardInterrupt:
            self.interrupted = True
            self.say(f"abandoning {count(len(self._busy), 'test case')}; prepared settings are restored")
            self._abandon()

    def _step(self, stop: threading.Event) -> bool:
        """Look once at everything; whether there is more to wait for."""
        for number in list(self._busy):
            outcome = self.runners[number].poll()
            if outcome is not None:
                self._ended(number, outcome)
        if stop.is_set() and not self.interrupted:
            self.interrupted = True
            self.schedule.stop("interrupted")
            if self._busy:
                self.say(f"interrupted: {count(len(self._busy), 'test case')} will end first; Ctrl-C again abandons it")
        self._begin()
        if self._busy:
            self._there_s = time.monotonic()
            return True
        return bool(self.schedule.waiting and not self.schedule.reason and self._may_come())

    def _begin(self) -> None:
        for number, runner in enumerate(self.runners):
            if number in self._busy or self.schedule.reason or not self.schedule.waiting or not runner.is_there():
                continue
            cell = self.schedule.next_for(runner.places, time.monotonic() - self._began_s)
            if cell is None:
                continue
            if cell.setup.by_hand and cell.setup.by_hand != self._by_hand:
                if not done_by_hand(cell.setup, place_for(cell, runner.places), self.say, sys.stdin):
                    self.schedule.give_back(cell)
                    self.pending = cell.setup.by_hand
                    self.schedule.stop("a manual step comes first")
                    continue
                self._by_hand = cell.setup.by_hand
            self._busy[number] = cell
            place = f"[{self.total - len(self.schedule.waiting)}/{self.total}]"
            self.say(f"{place} {cell.title}: about {time_text(self.schedule.seconds(cell))}")
            runner.start(cell)

    def _ended(self, number: int, outcome: CellOutcome) -> None:
        cell = self._busy.pop(number)
        again = self.schedule.ended(cell, outcome)
        if outcome.status == DONE:
            self.ledger.keep(cell)
        self.ledger.note(cell, outcome)
        left = len(self.schedule.waiting) + len(self.schedule.running)
        more = (
            f"; left: {count(left, 'test case')}, {time_text(self.schedule.left_s(len(self.runners)))}" if left else ""
        )
        match outcome.status:
            case "done":
                found = headline(self.ledger.result(cell))
                self.say(f"  done in {time_text(outcome.seconds)}: {found}{more}")
                self.on_done(cell)
            case "failed":
                self.say(f"  {cell.title} failed: {outcome.error}{'; it is tried again' if again else ''}{more}")
            case "lost":
                self.say(
                    f"  {cell.title}: its testbed is unreachable ({outcome.error}); the test case waits for one{more}"
                )
            case _:
                self.say(f"  {cell.title} was abandoned")

    def _may_come(self) -> bool:
        """Nothing runs, something waits: for a bench that is away, as long as that is allowed."""
        if any(runner.is_there() and self._could_take(runner) for runner in self.runners):
            return True
        if time.monotonic() - self._there_s < self.wait_s:
            return True
        self.away = ", ".join(
            sorted({name for runner in self.runners if not runner.is_there() for name in runner.places})
        )
        return False

    def _could_take(self, runner: Runner) -> bool:
        return any(cell.bench in (ANY, *runner.places) for cell in self.schedule.waiting)

    def _abandon(self) -> None:
        for number in self._busy:
            self.runners[number].abandon()
        while self._busy:
            for number in list(self._busy):
                outcome = self.runners[number].poll()
                if outcome is not None:
                    self._ended(number, outcome)
            time.sleep(_POLL_S)
