"""What the control plane asks of Linux in one network namespace. Links are named by their numbers there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag
from typing import Protocol

from wirespeed.seam.addresses import InterfaceAddress

VLAN_PROTOCOL = 0x8100
DOT1AD_PROTOCOL = 0x88A8


class LinuxChange(IntFlag):
    """What a poll found changed; MORE: much is left to be polled for."""

    LINKS = 1
    ADDRESSES = 2
    MORE = 4


@dataclass(frozen=True)
class LinuxLink:
    """`parent` and the VLAN's fields are of links of kind vlan."""

    index: int
    name: str
    kind: str
    is_up: bool
    mtu: int
    mac: str
    parent: int = 0
    vlan_id: int = 0
    vlan_protocol: int = 0


@dataclass(frozen=True)
class LinuxStats:
    """What was read from the kernel; `rejection` is why the router did not take the last one of `rejected`."""

    messages: int = 0
    overflows: int = 0
    dumps: int = 0
    failed_dumps: int = 0
    rejected: int = 0
    routes: int = 0
    labels: int = 0
    is_syncing: bool = False
    rejection: str = ""


class LinuxHost(Protocol):
    """Routes and neighbors of paired links go from there to the router by themselves, at each poll."""

    def fileno(self) -> int: ...
    def close(self, *, withdraw: bool) -> None:
        """`withdraw`: the routes that came from there leave the router."""

    def poll(self) -> LinuxChange: ...
    def pair(self, link: int, interface: int | None) -> None:
        """The link stands for that interface of the router, or for none any more."""

    def links(self) -> Mapping[int, LinuxLink]: ...
    def addresses(self) -> Mapping[int, frozenset[InterfaceAddress]]: ...
    def stats(self) -> LinuxStats: ...

    def link_index(self, name: str) -> int: ...
    def set_state(self, link: int, up: bool) -> None: ...
    def set_mtu(self, link: int, mtu: int) -> None: ...
    def set_mac(self, link: int, mac: str) -> None: ...
    def add_address(self, link: int, address: InterfaceAddress) -> None: ...
    def delete_address(self, link: int, address: InterfaceAddress) -> None: ...
    def add_vlan(self, name: str, parent: int, protocol: int, vlan_id: int) -> int: ...
    def delete_link(self, link: int) -> None: ...
