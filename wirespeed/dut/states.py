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
    """State table of a device of `kind`, by `reach`. `is_of_lab`: a Linux DUT that ends with its lab. Its rules may be
    removed temporarily, and the options of the lab set its limits."""

    def __init__(self, kind: StatesKind, reach: Reach, *, is_of_lab: bool = False) -> None:
        self._kind = kind
        self._reach = reach
        self._is_of_lab = is_of_lab

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

    def empty(self) -> None:
        """Empty the table as a whole. EnvironmentFault if the device cannot."""
        ran = self._reach.run(self._kind.flush, timeout_s=_FLUSH_S)
        if ran.code == _NOT_FOUND:
            raise EnvironmentFault(
                f"{self._reach.name} has no `{self._kind.flush}`, which empties the state table; install "
                f"{self._kind.flush_needs} there"
            )
        if ran.code:
            raise EnvironmentFault(f"`{self._kind.flush}` failed on {self._reach.name}: {ran.why}")

    def tear_down(self, empty: Callable[[], None] | None = None) -> TearDown:
        """Empty the table, by `empty` if given, and measure the same command on the empty table; the rate follows from
        both."""

        def emptied_s() -> float:
            began_s = time.monotonic()
            (empty or self.empty)()
            return time.monotonic() - began_s

        states = self.used()
        took_s = emptied_s()
        left = self.used()
        return TearDown(states, left, took_s, min(emptied_s() for _ in range(_IDLE_TRIES)))

    def why_not(self, flows: int, table: StateTable) -> str | None:
        """The reason why `table` cannot hold that many flows in addition to its entries, with the remedy; None if it
        can."""
        entries = flows * table.entries_per_flow + table.used
        if table.limit is None or entries <= table.limit:
            return None
        how = f"states={entries} in --lab" if self._is_of_lab else self._kind.how_to_hold(entries)
        beside = f" beside the {table.used} that are there" if table.used else ""
        return (
            f"the state table of {self._reach.name} holds {table.limit} entries; {flows} flows take "
            f"{flows * table.entries_per_flow}{beside}: raise the limit by {how}"
        )

    @property
    def can_do_without_filter(self) -> bool:
        """True if `without_filter` may be called."""
        return self._is_of_lab

    @contextmanager
    def without_filter(self) -> Iterator[None]:
        """The device without its rules during the block, for the row without filter. EnvironmentFault if that fails."""
        rules = self._nft("list ruleset")
        self._nft("flush ruleset")
        try:
            yield
        finally:
            self._nft("-f -", rules)

    def _nft(self, words: str, rules: str = "") -> str:
        ran = self._reach.run(f"nft {words}", stdin=rules)
        if ran.code:
            raise EnvironmentFault(f"`nft {words}` failed on {self._reach.name}: {ran.why}")
        return ran.out

    def _none(self) -> EnvironmentFault:
        return EnvironmentFault(
            f"{self._reach.name} has no state table: it has no rule that keeps states; `wirespeed dut prepare --filter "
            "nat` makes one"
        )
