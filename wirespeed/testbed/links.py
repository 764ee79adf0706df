"""The DUT interface at the other end of a tester's port, found by the frames that arrive there."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from wirespeed.client.probes import capturing, until
from wirespeed.client.stateless_client import Pushed, StatelessClient
from wirespeed.scapy_layers import Ether, Raw
from wirespeed.testbed.interfaces import LinkedInterface, Reader

FRAMES = 40
"""Many more than a quiet network has by itself in the time that they take."""
WAIT_S = 2.0

_EXPERIMENTAL = 0x88B5
"""IEEE 802 local experimental Ethertype, which routers drop."""
_POLL_S = 0.1


def find_interface(
    client: StatelessClient, port: int, mac: str, read: Reader, expected: str | None = None
) -> str | None:
    """The interface at which frames from `port` (acquired) arrive, the `expected` one if it is among several; None for
    no interface, or for more than one."""
    before = read()
    probe = Ether(dst="ff:ff:ff:ff:ff:ff", src=mac, type=_EXPERIMENTAL) / Raw(bytes(46))
    client.push_packets(port, [Pushed(bytes(probe))] * FRAMES)
    deadline = time.monotonic() + WAIT_S
    while True:
        now = read()
        grown = [name for name in before.keys() & now if now[name].rx_packets - before[name].rx_packets >= FRAMES]
        if grown or time.monotonic() > deadline:
            return _arrived(grown, now, expected)
        time.sleep(_POLL_S)


def _arrived(grown: Sequence[str], there: Mapping[str, LinkedInterface], expected: str | None) -> str | None:
    if expected in grown:
        return expected
    ends = [name for name in grown if not there[name].has_members]
    return ends[0] if len(ends) == 1 else None


def goes_through(client: StatelessClient, tx: int, rx: int, packet: bytes, mark: bytes, wait_s: float = 3.0) -> bool:
    """True if `packet`, which contains `mark` and is sent on `tx`, arrives on `rx`; it is sent again while the device
    resolves addresses."""
    with capturing(client, [], [rx], "") as fetch:
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            client.push_packets(tx, [Pushed(packet)])
            if any(one.origin == "RX" and mark in one.packet for one in until(fetch, 0.5)):
                return True
    return False


def shared(found: Sequence[str | None]) -> str | None:
    """An interface that is in `found` twice."""
    return next((name for place, name in enumerate(found) if name is not None and name in found[:place]), None)
