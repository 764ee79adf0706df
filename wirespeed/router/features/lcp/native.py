"""Interfaces of the native router that Linux has too, and Linux in one network namespace."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

from wirespeed._native.addresses import prefix_struct, read_prefix
from wirespeed._native.runtime import Handle, check, core, from_struct
from wirespeed.model import mac_bytes
from wirespeed.router.features.lcp.core import LinuxChange, LinuxLink, LinuxStats
from wirespeed.seam.addresses import InterfaceAddress


class LcpCore:
    def __init__(self, router: Handle) -> None:
        self._lib, self._router = router.lib, router.router

    def pair(self, index: int, host: int) -> None:
        """Packets of interface `index` that the router does not forward go to Linux by TAP port `host`."""
        check(self._lib.ws_router_lcp_pair(self._router, index, host))

    def unpair(self, index: int) -> None:
        check(self._lib.ws_router_lcp_unpair(self._router, index))

    def set_carrier(self, port: int, up: bool) -> None:
        """Set the link state that Linux sees on its side of a TAP."""
        check(self._lib.ws_port_set_link(port, up))

    def open(self, netns: str) -> LinuxHost:
        """Listen to Linux in a network namespace; "" is this one."""
        return LinuxHost(self._router, netns)


class LinuxHost:
    """Linux in one network namespace, whose links have numbers. Routes and neighbors of paired links go from there to
    the router by themselves, at each poll."""

    def __init__(self, router: Any, netns: str) -> None:
        self._ffi, self._lib = core().ffi, core().lib
        self._host = self._lib.ws_linux_open(router, netns.encode())
        if not self._host:
            check(-errno.ENOENT)

    def fileno(self) -> int:
        return check(self._lib.ws_linux_fd(self._host))

    def close(self, *, withdraw: bool) -> None:
        """`withdraw`: the routes that came from there leave the router."""
        self._lib.ws_linux_close(self._host, withdraw)

    def poll(self) -> LinuxChange:
        return LinuxChange(check(self._lib.ws_linux_poll(self._host)))

    def pair(self, link: int, interface: int | None) -> None:
        """Pair the link with that interface of the router; None ends the pair."""
        check(self._lib.ws_linux_pair(self._host, link, -1 if interface is None else interface))

    def links(self) -> dict[int, LinuxLink]:
        found = self._read("struct ws_linux_link[]", self._lib.ws_linux_links)
        return {struct.index: from_struct(LinuxLink, struct) for struct in found}

    def addresses(self) -> dict[int, frozenset[InterfaceAddress]]:
        found: dict[int, set[InterfaceAddress]] = {}
        for struct in self._read("struct ws_linux_address[]", self._lib.ws_linux_addresses):
            found.setdefault(struct.link, set()).add(read_prefix(struct.prefix))
        return {link: frozenset(addresses) for link, addresses in found.items()}

    def _read(self, kind: str, fill: Any) -> Iterator[Any]:
        """Structs that `fill` writes; each is valid until the iteration ends, as `block` is."""
        count = check(fill(self._host, self._ffi.NULL, 0))
        block = self._ffi.new(kind, count)
        yield from block[0 : check(fill(self._host, block, count))]

    def stats(self) -> LinuxStats:
        struct = self._ffi.new("struct ws_linux_stats *")
        self._lib.ws_linux_stats(self._host, struct)
        return from_struct(LinuxStats, struct)

    def link_index(self, name: str) -> int:
        return check(self._lib.ws_linux_link_index(self._host, name.encode()))

    def set_state(self, link: int, up: bool) -> None:
        check(self._lib.ws_linux_set_state(self._host, link, up))

    def set_mtu(self, link: int, mtu: int) -> None:
        check(self._lib.ws_linux_set_mtu(self._host, link, mtu))

    def set_mac(self, link: int, mac: str) -> None:
        check(self._lib.ws_linux_set_mac(self._host, link, mac_bytes(mac)))

    def add_address(self, link: int, address: InterfaceAddress) -> None:
        check(self._lib.ws_linux_address_add(self._host, link, self._prefix(address)))

    def delete_address(self, link: int, address: InterfaceAddress) -> None:
        check(self._lib.ws_linux_address_del(self._host, link, self._prefix(address)))

    def _prefix(self, address: InterfaceAddress) -> Any:
        return prefix_struct(self._ffi, address.ip, address.network.prefixlen)

    def add_vlan(self, name: str, parent: int, protocol: int, vlan_id: int) -> int:
        return check(self._lib.ws_linux_vlan_add(self._host, name.encode(), parent, protocol, vlan_id))

    def delete_link(self, link: int) -> None:
        check(self._lib.ws_linux_link_delete(self._host, link))


CORE = LcpCore
