"""Whether the ports of a running measurement are still ours and do what they were told. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from wirespeed.client.readings import DOWN, PortStatus
from wirespeed.trial.reading import Reading

SENDING = "TX"


def why_not_ours(status: PortStatus, refused: str | None, *, user: str, sends: bool) -> str | None:
    """Why what a port counts is not our measurement's any more; None while it is.

    `refused` is what the port answered to a request of its owner's, `sends` whether it is to send now.
    """
    port = f"port {status.port}"
    if status.owner != user:
        whom = f"'{status.owner}' took it" if status.owner else "it was released"
        return f"{port} was lost during the test: {whom}"
    if sends and status.state not in (SENDING, DOWN):
        return f"{port} stopped sending during the test: its state is {status.state}, and the test did not stop it"
    if refused is not None:
        return f"{port} was lost during the test: {refused}"
    return None


def why_begun_anew(before: Reading, now: Reading) -> str | None:
    """Why the counters of `now` cannot be compared with those of `before`; None when they can."""
    for port, stats in now.ports.items():
        if stats.went_back(before.ports[port]):
            return f"the counters of port {port} began again at 0 during the test: was its generator started again?"
    return None


def links_lost(
    before: Mapping[int, PortStatus], status: Mapping[int, PortStatus], expected: Collection[int]
) -> tuple[int, ...]:
    """Ports of `expected` that have no link, or have lost it for a moment since `before`, where that is counted."""

    def flapped(port: int) -> bool:
        losses, former = status[port].link_losses, before[port].link_losses if port in before else None
        return losses is not None and former is not None and losses > former

    return tuple(port for port in sorted(expected) if not status[port].link_up or flapped(port))
