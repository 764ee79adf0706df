"""A collector of sFlow datagrams, reached by UDP from the host that the router runs on."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from wirespeed.errors import EnvironmentFault
from wirespeed.router.features.sflow.datagrams import PORT, Datagrams

Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class CollectorPlace:
    """`agent` None: the address of this host that leads there."""

    address: Address
    port: int = PORT
    agent: Address | None = None


class SflowCollector:
    """EnvironmentFault when this host has no way there."""

    def __init__(self, place: CollectorPlace) -> None:
        family = socket.AF_INET if place.address.version == 4 else socket.AF_INET6
        self.place = place
        self._socket = socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            self._socket.connect((str(place.address), place.port))
        except OSError as error:
            self._socket.close()
            raise EnvironmentFault(
                f"collector {place.address} is not reachable: {error.strerror}; give one that this host has a route to"
            ) from None
        self._datagrams = Datagrams(place.agent or ip_address(self._socket.getsockname()[0]))

    def send(self, records: Iterable[bytes], uptime_ms: int) -> int:
        """Returns how many of the records the host did not take."""
        refused = 0
        for datagram, count in self._datagrams.of(records, uptime_ms):
            try:
                self._socket.send(datagram)
            except ConnectionRefusedError:
                pass  # That the one before found nobody; this one was not sent either, which nobody misses.
            except OSError:
                refused += count
        return refused

    def close(self) -> None:
        self._socket.close()
