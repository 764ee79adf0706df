"""Share of the lost packets that drop counters explain."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.cases.facts import Case
from wirespeed.cases.nic_counters import said
from wirespeed.explain.evidence import HINT, PROOF, STRONG, Evidence
from wirespeed.explain.words import share_text

_MOST, _MUCH = 0.5, 0.2
_LITTLE = 0.01
"""Least share of the lost packets; fewer drops may be of foreign packets and prove nothing."""
_LEAST_OF_RATE = 0.01
"""Least share of the received rate; smaller counts without a loss are noise."""


def share_of_lost(case: Case, count: int) -> float | None:
    """0 to 1; None if the number of lost packets is unknown. For a test of unknown duration it is the maximum."""
    lost = case.lost_packets or _lost_at_least(case)
    return min(1.0, count / lost) if lost else None


def named(case: Case, *words: str) -> tuple[Evidence, ...]:
    """The drops with one of `words` in their reason, each as evidence weighted by its share of the loss."""
    return pieces_of(case, {reason: n for reason, n in case.drops.items() if has(reason, words)})


def pieces_of(case: Case, drops: Mapping[str, int]) -> tuple[Evidence, ...]:
    """The most frequent first. Reasons of one kind that explain most of the loss together do so each."""
    together = weight(case, sum(drops.values()))
    pieces: list[Evidence] = []
    for reason, count in sorted(drops.items(), key=lambda item: -item[1]):
        if count <= 0:
            continue
        share = share_of_lost(case, count)
        part = "" if share is None else f", {share_text(share)} of what was lost"
        bits = min(HINT, together) if pieces else together
        pieces.append(Evidence(f"{count:,} × “{reason}”{part}", bits, "drops by reason"))
    return tuple(pieces)


def has(reason: str, words: tuple[str, ...]) -> bool:
    """True if the reason, or the meaning of a known counter, contains one of the words."""
    return any(word in said(reason) for word in words)


def weight(case: Case, count: int) -> float:
    """Weight in bits. A counter of most of the lost packets is proof. If the loss is unknown, a counter that is not
    small compared with the received packets and the other counters is strong. In a test with hardly any loss it
    explains that loss, and not the limit."""
    share = share_of_lost(case, count)
    if case.load.loss_ratio is not None and not case.is_short:
        return HINT if share is not None and share >= _MUCH else 0.0
    if share is None:
        least = max(1.0, _LEAST_OF_RATE * case.load.received_pps, _LITTLE * sum(case.drops.values()))
        return STRONG if count >= least else 0.0
    return PROOF if share >= _MOST else STRONG if share >= _MUCH else HINT if share >= _LITTLE else 0.0


def _lost_at_least(case: Case) -> float | None:
    load = case.load
    if load.offered_pps is None or load.offered_pps <= load.received_pps:
        return None
    return (load.offered_pps - load.received_pps) * case.counted_s


def with_icmp_errors(case: Case, pieces: list[Evidence], bits: float) -> list[Evidence]:
    """The evidence, with one more piece of weight `bits` if the device answered packets by ICMP errors."""
    errors = sum(count for kind, count in case.foreign.items() if "icmp" in kind)
    if not pieces or not errors:
        return pieces
    return [*pieces, Evidence(f"{errors:,} ICMP errors came back", bits, "foreign frames")]
