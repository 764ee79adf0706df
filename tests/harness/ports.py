"""TCP ports on loopback for servers that a test starts."""

from __future__ import annotations

import itertools
import os
import socket

# Below the range that the kernel gives to connections (32768 and up), and above that of generators (4500 to 4998).
_FIRST, _LAST = 20_000, 32_000
_numbers = itertools.count(os.getpid() * 2)
_held: list[socket.socket] = []


def free_port() -> int:
    """A TCP port on 127.0.0.1 that is free, as is the one below it. No other test process is given either of them."""
    for number in itertools.islice(_numbers, (_LAST - _FIRST) // 2):
        port = _FIRST + 1 + number * 2 % (_LAST - _FIRST)
        if _is_free(port) and _is_free(port - 1) and _hold(port):
            return port
    raise AssertionError(f"no two free TCP ports between {_FIRST} and {_LAST} on 127.0.0.1")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _hold(port: int) -> bool:
    """Claim the port for this process until it ends, by an abstract socket: names that a network namespace shares."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0wirespeed-tests-{port}")
    except OSError:
        claim.close()
        return False
    _held.append(claim)
    return True
