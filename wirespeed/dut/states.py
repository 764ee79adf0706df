"""The state table of a device: read as counts, emptied, and asked whether it holds a number of flows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from wirespeed.dut.plan import DutAnswers, StatesKind
from wirespeed.dut.reach.reach import Reach
from wirespeed.errors import EnvironmentFault
from wirespeed.results.states import StateTable, TearDown

_FLUSH_S = 600.0
_NOT_FOUND = 127
_IDLE_TRIES = 3


class DutStates:
    """States of `kind`, by `reach`. `rules` are nftables' of a lab of ours, which may be taken away for a while; `how`
    is what raises the limit, if not what `kind` says."""

    def __init__(
        self, kind: StatesKind, reach: Reach, rules: str = "", how: Callable[[int], str] | None = None
    ) -> None:
        self._kind = kind
        self._reach = reach
        self._rules = rules
        self._how = how or kind.how_to_hold

    def read(self) -> StateTable:
        """The table now, with the time that the reading took. EnvironmentFault if the device has no table yet,
        ConnectionFault if it does not answer."""
        began_s = time.monotonic()
        table = self._kind.table(DutAnswers(self._reach).ask(self._kind.questions))
        if table is None:
            raise self._none()
        return replace(table, took_s=time.monotonic() - began_s)

    def used(self) -> int:
        """Entries in use: the cheapest reading, for a poll. Errors as of `read`."""
        question = self._kind.count_question
        used = self._kind.used(DutAnswers(self._reach).ask([question]))
        if used is None:
            raise self._none()
        return used

    def empty(self) -> float:
        """Empty the table as a whole; the seconds that the command took, its start included. EnvironmentFault if the
        device cannot."""
        began_s = time.monotonic()
        ran = self._reach.run(self._kind.flush, timeout_s=_FLUSH_S)
        took_s = time.monotonic() - began_s
        if ran.code == _NOT_FOUND:
            raise EnvironmentFault(
                f"{self._reach.name} has no `{self._kind.flush}`, which empties the state table; install "
                f"{self._kind.flush_needs} there"
            )
        if ran.code:
            raise EnvironmentFault(f"`{self._kind.flush}` failed on {self._reach.name}: {ran.why}")
        return took_s

    def tear_down(self) -> TearDown:
        """Empty the table, and measure the same command on the empty table; the rate follows from both."""
        states = self.used()
        took_s = self.empty()
        left = self.used()
        return TearDown(states, left, took_s, min(self.empty() for _ in range(_IDLE_TRIES)))

    def why_not(self, flows: int, table: StateTable) -> str | None:
        """Why `table` cannot hold that many flows beside what is in it, and what raises its limit; None if it can."""
        entries = flows * table.entries_per_flow + table.used
        if table.limit is None or entries <= table.limit:
            return None
        beside = f" beside the {table.used} that are there" if table.used else ""
        return (
            f"the state table of {self._reach.name} holds {table.limit} entries; {flows} flows take "
            f"{flows * table.entries_per_flow}{beside}: raise the limit by {self._how(entries)}"
        )

    @property
    def can_do_without_filter(self) -> bool:
        """True if `without_filter` may be called: a lab of ours."""
        return bool(self._rules)

    @contextmanager
    def without_filter(self) -> Iterator[None]:
        """The same device without its rules, for the row beside. EnvironmentFault if that fails."""
        self._load("flush ruleset\n")
        try:
            yield
        finally:
            self._load(self._rules)

    def _load(self, rules: str) -> None:
        ran = self._reach.run("nft -f -", stdin=rules)
        if ran.code:
            raise EnvironmentFault(f"the rules of {self._reach.name} could not be changed: {ran.why}")

    def _none(self) -> EnvironmentFault:
        return EnvironmentFault(
            f"{self._reach.name} has no state table: it has no rule that keeps states; `wirespeed dut prepare --filter "
            "nat` makes one"
        )
