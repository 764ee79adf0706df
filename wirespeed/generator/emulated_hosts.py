"""Hosts that a port emulates in addition to itself: each answers ARP, neighbor discovery and ping for its own address,
and resolves its gateway. An extension to T-Rex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from wirespeed._native.generator import NativeGenerator
from wirespeed.generator.neighbor_packets import (
    Host,
    answer,
    arp_request,
    asked_address,
    gateway6_mac,
    gateway_mac,
    solicitation,
)
from wirespeed.generator.pushes import Pushes

MAX_HOSTS = 1024
"""Most hosts of one port."""

INTERVAL_S = 1.0
"""A gateway that is silent is asked again after this, until it answers."""


@dataclass
class Emulated:
    """A host of one address; `found` is its gateway's MAC address."""

    host: Host
    found: bytes | None = None

    @property
    def address(self) -> IPv4Address | IPv6Address:
        return self.host.ip4 or self.host.ip6[0]

    @property
    def gateway(self) -> IPv4Address | IPv6Address | None:
        return self.host.gateway or self.host.gateway6

    def hear(self, packet: bytes) -> None:
        """Learn where the gateway is, if the packet says so."""
        find = gateway_mac if self.host.ip4 is not None else gateway6_mac
        self.found = self.found or find(self.host, packet)

    def question(self) -> bytes:
        return arp_request(self.host) if self.host.ip4 is not None else solicitation(self.host)


class EmulatedHosts:
    """Emulated hosts of all ports."""

    def __init__(self, core: NativeGenerator, pushes: Pushes) -> None:
        self._core, self._pushes = core, pushes
        self._hosts: dict[int, list[Emulated]] = {}
        self._by_mac: dict[int, dict[bytes, list[Emulated]]] = {}
        self._by_address: dict[int, dict[bytes, list[Emulated]]] = {}
        self._due_s: dict[int, float] = {}

    def on(self, port: int) -> Sequence[Emulated]:
        return self._hosts.get(port, ())

    def place(self, port: int, hosts: Sequence[Emulated]) -> None:
        """These hosts and no others; they ask for their gateways at once."""
        for table in (self._hosts, self._by_mac, self._by_address, self._due_s):
            table.pop(port, None)
        if not hosts:
            return
        self._hosts[port] = list(hosts)
        by_mac, by_address = self._by_mac.setdefault(port, {}), self._by_address.setdefault(port, {})
        for one in hosts:
            by_mac.setdefault(one.host.mac, []).append(one)
            for address in (one.address, *one.host.ip6[1:]):
                by_address.setdefault(address.packed, []).append(one)
        self._ask(port)

    def hear(self, port: int, packet: bytes) -> None:
        for one in self._meant(port, packet):
            one.hear(packet)
            reply = answer(one.host, packet)
            if reply is not None:
                self._pushes.answer(port, reply)
                return

    def _meant(self, port: int, packet: bytes) -> Sequence[Emulated]:
        if port not in self._hosts:
            return ()
        if not packet[0] & 1:
            return self._by_mac[port].get(packet[0:6], ())
        return self._by_address[port].get(asked_address(packet) or b"", ())

    def ask_again(self) -> None:
        """Ask for those gateways that have not answered, once they are due."""
        now_s = self._core.now_s()
        for port, due_s in list(self._due_s.items()):
            if now_s >= due_s:
                self._ask(port)

    def _ask(self, port: int) -> None:
        silent = [one for one in self._hosts[port] if one.gateway is not None and one.found is None]
        self._due_s.pop(port, None)
        if silent:
            self._due_s[port] = self._core.now_s() + INTERVAL_S
            if not self._pushes.waits(port):
                self._pushes.push(port, [one.question() for one in silent])
