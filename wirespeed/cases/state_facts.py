"""Facts of a test that creates states in a DUT: flows by outcome, and the DUT's state table. Pure.

As in facts.py, nothing here judges, and None and empty mean unknown."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.states import StateTable


@dataclass(frozen=True)
class StateFacts:
    """One trial of RFC 9693. Of `flows` that the initiator sent once, `opened` arrived at the responder. It sent over
    each of those, and `answered` arrived at the initiator; None if it did not send.

    `table` is the state table after the trial, with the growth of its counters since before it, when it had
    `used_before` entries. A flow had to live for `lasted_s`. `endpoints` are the destination addresses and ports of the
    flows, `public_addresses` those that NAT has. `curve` has rates that all flows survived, new flows a second, by the
    number of flows. `protocol` is "udp" or "tcp"."""

    flows: int
    opened: int
    answered: int | None = None
    table: StateTable | None = None
    used_before: int = 0
    lasted_s: float | None = None
    endpoints: int | None = None
    public_addresses: int = 1
    curve: tuple[tuple[int, float], ...] = ()
    protocol: str = "udp"
    source: str = ""

    @property
    def unopened(self) -> int:
        """Flows whose first frame was lost."""
        return max(0, self.flows - self.opened)

    @property
    def unanswered(self) -> int:
        """Flows that opened and whose reply was lost."""
        return 0 if self.answered is None else max(0, self.opened - self.answered)

    @property
    def lost(self) -> int:
        return self.unopened + self.unanswered

    @property
    def entries(self) -> int | None:
        """Entries that the flows have left in the table."""
        return None if self.table is None else max(0, self.table.used - self.used_before)
