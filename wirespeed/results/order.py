"""Order of numbered packets: which came again and which came late, in the terms of RFC 4737 and RFC 5560. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from wirespeed.results.codec import Stored


@dataclass(frozen=True)
class Order:
    """Received packets of one direction. `duplicates`: received before (RFC 5560). `reordered`: received for the first
    time, after a later one (RFC 4737). `unplaced`: received too late to tell the two apart."""

    duplicates: Annotated[int, Stored("duplicate_packets")] = 0
    reordered: Annotated[int, Stored("reordered_packets")] = 0
    unplaced: Annotated[int, Stored("unplaced_packets")] = 0

    def since(self, before: Order) -> Order:
        """The growth since an earlier reading."""
        return Order(
            self.duplicates - before.duplicates, self.reordered - before.reordered, self.unplaced - before.unplaced
        )


def summed(orders: Iterable[Order]) -> Order:
    found = list(orders)
    return Order(
        sum(one.duplicates for one in found), sum(one.reordered for one in found), sum(one.unplaced for one in found)
    )
