"""Checks of a running measurement's ports: same owner, same state, same counters. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from wirespeed.client.readings import DOWN, PortStatus
from wirespeed.trial.reading import TrialReading

SENDING = "TX"


def why_not_ours(status: PortStatus, refused: str | None, *, user: str, sends: bool) -> str | None:
    """The reason if a port no longer belongs to this measurement; None if it does.

    `refused` is the port's error for a request that only its owner may make; `sends` is true if the port is to send
    now."""
    port = f"port {status.port}"
    if status.owner != user:
        whom = f"'{status.owner}' took it" if status.owner else "it was released"
        return f"{port} was lost during the test: {whom}"
    if sends and status.state not in (SENDING, DOWN):
        return f"{port} stopped sending during the test: its state is {status.state}, and the test did not stop it"
    if refused is not None:
        return f"{port} was lost during the test: {refused}"
    return None


def why_begun_anew(before: TrialReading, now: TrialReading) -> str | None:
    """The reason if the counters of `now` cannot be compared with those of `before`, because they were reset; otherwise
    None."""
    for port, stats in now.ports.items():
        if stats.went_back(before.ports[port]):
            return f"the counters of port {port} began again at 0 during the test: was its generator started again?"
    return None


def links_lost(
    before: Mapping[int, PortStatus], status: Mapping[int, PortStatus], expected: Collection[int]
) -> tuple[int, ...]:
    """Ports of `expected` without a link, or that lost it briefly since `before`, if that is counted."""

    def flapped(port: int) -> bool:
        losses, former = status[port].link_losses, before[port].link_losses if port in before else None
        return losses is not None and former is not None and losses > former

    return tuple(port for port in sorted(expected) if not status[port].link_up or flapped(port))
