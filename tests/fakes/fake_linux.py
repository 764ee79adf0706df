"""Linux in a network namespace, for tests of the control plane: links and addresses in dictionaries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.router.features.lcp.core import LinuxChange, LinuxLink, LinuxStats
from wirespeed.seam.addresses import InterfaceAddress

if TYPE_CHECKING:
    from fake_router import FakeRouterCore


class FakeLcp:
    """`linux` is for tests: namespaces by name."""

    def __init__(self, core: FakeRouterCore) -> None:
        self._core = core
        self.hosts: dict[int, int] = {}
        self.carriers: dict[int, bool] = {}
        self.linux: dict[str, FakeLinuxHost] = {}

    def pair(self, index: int, host: int) -> None:
        self.hosts[index] = host

    def unpair(self, index: int) -> None:
        del self.hosts[index]

    def set_carrier(self, port: int, up: bool) -> None:
        self.carriers[port] = up

    def open(self, netns: str) -> FakeLinuxHost:
        host = self.linux.get(netns)
        if host is None:
            raise UsageError(f"there is no network namespace {netns}")
        host.attach(self._core)
        return host


class FakeLinuxHost:
    """`change` and the dictionaries are for tests; TAPs are added when the core that opened it adds them."""

    def __init__(self, netns: str = "", *, has_vlans: bool = True) -> None:
        self.netns = netns
        self.has_vlans = has_vlans
        self.by_link: dict[int, LinuxLink] = {}
        self.of_link: dict[int, set[InterfaceAddress]] = {}
        self.paired: dict[int, int] = {}
        self.closed = False
        self.statistics = LinuxStats()
        self._changes = LinuxChange(0)
        self._core: FakeRouterCore | None = None
        self._numbers = iter(range(2, 1000))
        self._readable = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def attach(self, core: FakeRouterCore) -> None:
        self._core, self.closed = core, False

    def change(self, link: int, **changes: object) -> None:
        """Another program in Linux changes something."""
        self.by_link[link] = replace(self.by_link[link], **changes)  # type: ignore[arg-type]
        self._changes |= LinuxChange.LINKS

    def change_address(self, link: int, address: InterfaceAddress, *, add: bool) -> None:
        (self.of_link[link].add if add else self.of_link[link].remove)(address)
        self._changes |= LinuxChange.ADDRESSES

    def make_link(self, name: str, kind: str, **fields: object) -> int:
        number = next(self._numbers)
        link = LinuxLink(number, name, kind, False, 1500, "02:00:00:00:00:00")
        self.by_link[number] = replace(link, **fields)  # type: ignore[arg-type]
        self.of_link[number] = set()
        self._changes |= LinuxChange.LINKS
        return number

    def fileno(self) -> int:
        return self._readable

    def close(self, *, withdraw: bool) -> None:
        self.closed = True

    def poll(self) -> LinuxChange:
        changes, self._changes = self._changes, LinuxChange(0)
        return changes

    def pair(self, link: int, interface: int | None) -> None:
        if interface is None:
            self.paired.pop(link, None)
        else:
            self.paired[link] = interface

    def links(self) -> Mapping[int, LinuxLink]:
        return dict(self.by_link)

    def addresses(self) -> Mapping[int, frozenset[InterfaceAddress]]:
        return {link: frozenset(addresses) for link, addresses in self.of_link.items()}

    def stats(self) -> LinuxStats:
        return self.statistics

    def link_index(self, name: str) -> int:
        for link in self.by_link.values():
            if link.name == name:
                return link.index
        assert self._core is not None
        for spec in self._core.specs.values():
            if spec.kind == "tap" and spec.target == name and spec.options.get("netns", "") == self.netns:
                up, mac = spec.options["state"] == "up", spec.options["host-mac"]
                return self.make_link(name, "tun", is_up=up, mac=mac)
        raise EnvironmentFault(f"Linux has no interface {name} there: No such device")

    def set_state(self, link: int, up: bool) -> None:
        self.change(link, is_up=up)

    def set_mtu(self, link: int, mtu: int) -> None:
        self.change(link, mtu=mtu)

    def set_mac(self, link: int, mac: str) -> None:
        self.change(link, mac=mac)

    def add_address(self, link: int, address: InterfaceAddress) -> None:
        self.of_link[link].add(address)
        self._changes |= LinuxChange.ADDRESSES

    def delete_address(self, link: int, address: InterfaceAddress) -> None:
        self.of_link[link].discard(address)
        self._changes |= LinuxChange.ADDRESSES

    def add_vlan(self, name: str, parent: int, protocol: int, vlan_id: int) -> int:
        if not self.has_vlans:
            raise EnvironmentFault(f"this kernel has no VLAN interfaces (8021q), so Linux cannot have {name}")
        fields = {"parent": parent, "vlan_protocol": protocol, "vlan_id": vlan_id, "mac": self.by_link[parent].mac}
        return self.make_link(name, "vlan", **fields)

    def delete_link(self, link: int) -> None:
        self.by_link.pop(link, None)
        self.of_link.pop(link, None)
        self._changes |= LinuxChange.LINKS
