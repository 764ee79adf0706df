"""TCP ports on loopback that no other process of wirespeed is given."""

from __future__ import annotations

import socket
from collections.abc import Iterable

from wirespeed.errors import EnvironmentFault

_held: set[int] = set()


def free_rpc_port() -> int:
    """A free TCP port on loopback whose lower neighbour is free, too (T-Rex publishes there).

    No other lab gets it before a generator has bound it, nor while a generator is restarted.
    """
    port = free_pair(range(4501, 4999, 2))
    if port is None:
        raise EnvironmentFault(
            "the generator's RPC needs two free TCP ports between 4500 and 4998 on 127.0.0.1, and there are none; end "
            "other generators"
        )
    return port


def free_pair(ports: Iterable[int]) -> int | None:
    """First of these TCP ports on 127.0.0.1 that is free, together with the one below it; None if there is none.

    The port belongs to this process until the process ends. Other processes that ask here do not get it, although
    nobody has bound it yet.
    """
    for port in ports:
        if (port in _held or _hold(port)) and _is_free(port) and _is_free(port - 1):
            return port
    return None


def _hold(port: int) -> bool:
    """Claim the port by the name of an abstract socket. A network namespace has its own names, as it has its own
    ports."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as held:
        try:
            held.bind(f"\0wirespeed-port-{port}")
        except OSError:
            return False
        held.detach()  # open until this process ends, however that comes about
    _held.add(port)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
