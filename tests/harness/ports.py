"""TCP ports on loopback for servers that a test starts."""

from __future__ import annotations

import itertools
import os

from wirespeed.machine.ports import free_pair

# Below the kernel's range for outgoing connections (from 32768 on), and above that of generators (4500 to 4998).
_FIRST, _LAST = 20_000, 32_000
_PAIRS = (_LAST - _FIRST) // 2
_ports = (_FIRST + 1 + number % _PAIRS * 2 for number in itertools.count(os.getpid()))


def free_port() -> int:
    """A TCP port on 127.0.0.1 that is free, like the one below it. No other test process gets either of them."""
    port = free_pair(itertools.islice(_ports, _PAIRS))
    assert port, f"no two free TCP ports between {_FIRST} and {_LAST} on 127.0.0.1"
    return port
