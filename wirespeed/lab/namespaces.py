"""Network namespaces by pyroute2, whose forks of this process end as forks (docs/develop/decisions/0007-pyroute2.md).

pyroute2 forks this process, and sends the fork SIGTERM when it has answered. If a signal handler of this program raised
in the fork, the fork would leave through its copy of the stack: it would take the lab down, and remove sockets from the
epoll instance that both share, so that this process would wait for them for ever. Signals are therefore held during the
fork."""

from __future__ import annotations

from typing import Any

from wirespeed.held_signals import signals_held


def create_namespace(name: str) -> None:
    """A named namespace as `ip netns` knows them; OSError when there is one or it may not be made."""
    from pyroute2 import netns  # noqa: PLC0415 - a slow import, needed by this lab alone

    with signals_held():
        netns.create(name)


def namespace_links(name: str) -> Any:
    """pyroute2's `NetNS` of a namespace, which is made when there is none; close it."""
    from pyroute2 import NetNS  # noqa: PLC0415

    with signals_held():
        return NetNS(name)
