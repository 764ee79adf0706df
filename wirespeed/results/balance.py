"""The packet balance of one direction, with the cause of each missing packet. The one definition of loss.

    intended = sent + refused + no_buffer + late
    received = test frames + extraneous
    offered  = sent, plus refused if the DUT is the cause (refusing_is_duts)
    lost     = offered - test frames

docs/measurement.md says it for users; RFC 2544 section 26.3 and RFC 1242 section 3.6 have the terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Annotated, ClassVar

from wirespeed.results.codec import INLINE, Count, Stored
from wirespeed.results.order import Order, summed


class Medium(StrEnum):
    """Meaning of a packet that a port cannot send.

    `ring`: the port shares memory with its peer, and a full ring means that the peer did not drain it. `queue`: the
    port has a transmit queue of its own, and a full queue means that the line, the driver or the kernel is too slow.
    """

    RING = "ring"
    QUEUE = "queue"


_RING_DRIVERS = ("memif", "ring", "net_memif", "net_ring")


def medium_of_driver(driver: str) -> Medium:
    """The medium of a port, by the name of its driver, for servers that do not report the medium."""
    return Medium.RING if driver in _RING_DRIVERS else Medium.QUEUE


@dataclass(frozen=True)
class Balance:
    """Packets of one direction over some time.

    `intended` is the intended load, None if the server does not count it. Packets of it that were not sent are counted
    by reason: `late` (the tester's worker was behind schedule), `no_buffer` (the packet pool was empty) and `refused`
    (the port could not take the packet). `missed`: packets that reached the tester and that its receiver dropped.
    `extraneous`: received packets that are not the test's, i.e. frames of other senders, duplicates, or more than was
    sent. `paused`: pause frames stopped the sending port. `order`: duplicates and reordered packets, None if packets
    are not numbered."""

    also_stored: ClassVar[Mapping[str, str]] = {
        "offered_packets": "offered",
        "lost_packets": "lost",
        "loss_ratio": "loss_ratio",
        "tester_share": "tester_share",
    }

    sent: Annotated[Count, Stored("sent_packets")]
    received: Annotated[Count, Stored("received_packets")]
    intended: Annotated[Count | None, Stored("intended_packets", former="asked_packets")] = None
    refused: Annotated[Count, Stored("refused_packets")] = 0
    no_buffer: Annotated[Count, Stored("no_buffer_packets")] = 0
    late: Annotated[Count, Stored("late_packets")] = 0
    missed: Annotated[Count, Stored("missed_packets")] = 0
    extraneous: Annotated[Count, Stored("extraneous_packets", former="surplus_packets")] = 0
    medium: Medium = Medium.QUEUE
    paused: bool = False
    order: Annotated[Order | None, INLINE] = None

    @property
    def refusing_is_duts(self) -> bool:
        """True if the DUT causes refused packets: a full ring of shared memory, or pause frames."""
        return self.medium is Medium.RING or self.paused

    @property
    def offered(self) -> float:
        return self.sent + (self.refused if self.refusing_is_duts else 0)

    @property
    def test_frames(self) -> float:
        return self.received - self.extraneous

    @property
    def lost(self) -> float:
        return max(0, self.offered - self.test_frames)

    @property
    def loss_ratio(self) -> float:
        """Lost packets as a share of those offered, 0 to 1; 0 if none were offered."""
        return min(1.0, self.lost / self.offered) if self.offered > 0 else 0.0

    @property
    def unoffered(self) -> float:
        """Packets of the intended load that the tester did not offer to the DUT."""
        return self.no_buffer + self.late + (0 if self.refusing_is_duts else self.refused)

    @property
    def tester_share(self) -> float:
        """Share of the intended load that the tester did not offer, 0 to 1; 0 if the server does not count it."""
        return min(1.0, self.unoffered / self.intended) if self.intended else 0.0

    @property
    def lost_by_tester(self) -> float:
        """Lost packets that the tester's receiver dropped."""
        return min(self.missed, self.lost)

    @property
    def lost_by_dut(self) -> float:
        return self.lost - self.lost_by_tester

    @property
    def shortfall(self) -> float:
        """Packets of the intended load that did not return, for any cause."""
        return self.unoffered + self.lost

    @property
    def share_of_tester(self) -> float:
        """Share of the shortfall that the tester caused, 0 to 1."""
        return (self.unoffered + self.lost_by_tester) / self.shortfall if self.shortfall > 0 else 0.0


def total(balances: Iterable[Balance]) -> Balance:
    """The sum of several directions, or of several parts of one.

    Refused packets keep their cause: the medium of the sum is a ring, and packets that the tester's own ports refused
    are among the late ones."""
    parts = list(balances)
    known = [part.intended for part in parts if part.intended is not None]
    orders = [part.order for part in parts if part.order is not None]
    return Balance(
        sent=_sum(part.sent for part in parts),
        received=_sum(part.received for part in parts),
        intended=_sum(known) if len(known) == len(parts) and parts else None,
        refused=_sum(part.refused for part in parts if part.refusing_is_duts),
        no_buffer=_sum(part.no_buffer for part in parts),
        late=_sum(part.late + (0 if part.refusing_is_duts else part.refused) for part in parts),
        missed=_sum(part.missed for part in parts),
        extraneous=_sum(part.extraneous for part in parts),
        medium=Medium.RING,
        paused=any(part.paused for part in parts),
        order=summed(orders) if orders and len(orders) == len(parts) else None,
    )


def _sum(values: Iterable[float]) -> float:
    items = list(values)
    return sum(items) if all(isinstance(item, int) for item in items) else fsum(items)
