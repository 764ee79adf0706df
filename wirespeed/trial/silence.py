"""A load of which nothing comes back. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel


def silent(balances: Mapping[Channel, Balance], after_s: float) -> str | None:
    """Why the test means nothing, if a direction has returned no packet at all by now."""
    for channel, balance in balances.items():
        if balance.received > 0:
            continue
        if balance.sent == 0:
            refused = f" ({balance.refused:.0f} packets were refused by its medium)" if balance.refused else ""
            return (
                f"port {channel.tx} of the generator sent nothing in {after_s:.3g} s{refused}"
                ": check that its link is up and the other end is connected"
            )
        return (
            f"the DUT returned nothing: {balance.sent:.0f} packets left port {channel.tx} in {after_s:.3g} s and "
            f"none arrived on port {channel.rx}; check the DUT's links, its routes to the profile's addresses and its "
            "neighbour (ARP) entries for the generator"
        )
    return None
