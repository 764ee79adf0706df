"""Notes on the end of a load test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel

_LEAST_SKEW_S = 0.0002


def remarks(balances: Mapping[Channel, Balance], threshold: float, has_signature: bool) -> Iterator[str]:
    """Sentences about entries of the balances other than loss."""
    for channel, balance in balances.items():
        if balance.paused:
            yield f"{channel}: flow control is on: the DUT throttles the tester"
        again = 0 if balance.order is None else balance.order.duplicates
        foreign = balance.extraneous - again
        if again > max(0.0, threshold * balance.offered):
            yield f"{channel}: {again:,} packets came back twice: they count once"
        if foreign > max(0.0, threshold * balance.offered):
            hint = "they are left out" if has_signature else "they may hide loss; --signature counts test frames only"
            yield f"{channel}: {foreign:,.0f} foreign frames came back: {hint}"


def skew_remark(skew_s: float) -> Iterator[str]:
    """A note if the counters of samples were not read at one instant."""
    if skew_s >= _LEAST_SKEW_S:
        yield (
            f"the generator reads what it sent and what it received up to {skew_s * 1e3:.1f} ms apart: losses of "
            "single samples allow for it, those of the whole test need not"
        )
