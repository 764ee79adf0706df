"""How well a test can tell its packets apart: what its counters cannot see, and what the DUT's own say of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.results.balance import Balance
from wirespeed.results.figures import loss_text
from wirespeed.results.loadtest import Result
from wirespeed.results.order import Order

_BLIND = "port counters see no reordering, and a duplicate hides a lost packet (`--verify` sees both)"
_UNNUMBERED = "the packets have no 16 bytes of payload for a number, so a duplicate hides a lost packet"


@dataclass(frozen=True)
class Counting:
    """`sentence` says what the packets' numbers show or, without numbers, what the counters cannot see. `hidden`
    packets were dropped by the DUT's account and are not missing: 0 where that is within the threshold."""

    sentence: str = ""
    hidden: int = 0
    numbered: bool = False


def counting_of(result: Result, whole: Balance, threshold: float) -> Counting:
    """Of a load test; `whole` is the balance of all directions together."""
    dropped = result.dut.get("dropped_packets")
    if not result.native:
        return Counting()
    return counting(whole, threshold, result.variables, dropped if isinstance(dropped, int) else None)


def counting(whole: Balance, threshold: float, variables: Mapping[str, Any], dropped: int | None) -> Counting:
    """`whole` is the balance of all directions and trials together, `dropped` what the DUT says that it dropped
    meanwhile, None where it was not asked."""
    if whole.order is not None:
        return Counting(f"packets are numbered: {_order_text(whole.order, whole.offered)}", numbered=True)
    if not whole.offered:
        return Counting()
    blind = _UNNUMBERED if variables.get("verify") else _BLIND
    if dropped is None:
        return Counting(f"{blind}; the DUT's own counters were not read")
    lost = round(whole.lost)
    if dropped - lost > threshold * whole.offered:
        text = f"the DUT's own counters contradict the balance: {dropped:,} dropped, {lost:,} missing"
        return Counting(f"{blind}; {text}", dropped - lost)
    return Counting(f"{blind}; the DUT's own counters do not contradict the balance ({dropped:,} dropped)")


def _order_text(order: Order, offered: float) -> str:
    found = [
        f"{order.duplicates:,} duplicates ({loss_text(order.duplicates / offered if offered else 0.0)})"
        if order.duplicates
        else "no duplicate",
        f"{order.reordered:,} reordered" if order.reordered else "none reordered",
    ]
    if order.unplaced:
        found.append(f"{order.unplaced:,} too late to tell which of both")
    return ", ".join(found)
