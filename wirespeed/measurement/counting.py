"""Accuracy of a test's counting: losses that its counters cannot see, and a comparison with the DUT's own counters.
Pure."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.results.balance import Balance
from wirespeed.results.figures import loss_text
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.order import Order

BLIND = "port counters see no reordering, and a duplicate hides a lost packet (`--signature` sees both)"
_ONE_WORKER = "copies of a packet that reach different workers of the receiver are not counted as duplicates"
_UNNUMBERED = "the packets have no 16 bytes of payload for a number, so a duplicate hides a lost packet"


@dataclass(frozen=True)
class CountingCheck:
    """`sentence` states what the packet numbers show or, without numbers, what the counters cannot see. `hidden` is the
    number of packets that the DUT counted as dropped although they are not missing; 0 if within the threshold."""

    sentence: str = ""
    hidden: int = 0
    numbered: bool = False


def counting(whole: Balance, threshold: float, result: MeasurementResult, dropped: int | None) -> CountingCheck:
    """`whole` is the balance of all directions and trials of `result` together, `dropped` the DUT's own count of drops
    during the test, None if it was not read."""
    if whole.order is not None:
        text = f"packets are numbered: {_order_text(whole.order, whole.offered)}"
        is_one_worker = result.lab.cpus is not None and len(result.lab.cpus.tester) == 1
        return CountingCheck(text if is_one_worker else f"{text}; {_ONE_WORKER}", numbered=True)
    blind = _UNNUMBERED if result.variables.signature else BLIND
    return blind_counting(blind, whole.offered, whole.lost, threshold, dropped)


def blind_counting(blind: str, offered: float, missing: float, threshold: float, dropped: int | None) -> CountingCheck:
    """Without numbers that count."""
    if not offered:
        return CountingCheck()
    if dropped is None:
        return CountingCheck(f"{blind}; the DUT's own counters were not read")
    lost = round(missing)
    if dropped - lost > threshold * offered:
        text = f"the DUT's own counters contradict the balance: {dropped:,} dropped, {lost:,} missing"
        return CountingCheck(f"{blind}; {text}", dropped - lost)
    return CountingCheck(f"{blind}; the DUT's own counters do not contradict the balance ({dropped:,} dropped)")


def _order_text(order: Order, offered: float) -> str:
    words = [
        f"{order.duplicates:,} duplicates ({loss_text(order.duplicates / offered if offered else 0.0)})"
        if order.duplicates
        else "no duplicate",
        f"{order.reordered:,} reordered" if order.reordered else "none reordered",
    ]
    if order.unplaced:
        words.append(f"{order.unplaced:,} too late to tell which of both")
    return ", ".join(words)
