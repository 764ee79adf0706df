"""Cross-connects and bridge domains of the native router."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

from wirespeed._native.runtime import RouterPart, check, from_struct
from wirespeed.model import mac_bytes
from wirespeed.router.features.l2.core import BridgeDomain, L2FibEntry
from wirespeed.seam.interfaces import TagRewrite

_STATIONS_PAGE = 1024
_BRIDGE_DOMAINS = 256


class L2Core(RouterPart):
    def set_xconnect(self, index: int, to: int) -> None:
        check(self._lib.ws_router_set_xconnect(self._router, index, to))

    def set_bridge(self, index: int, domain: int, bvi: bool, split_horizon_group: int) -> None:
        """Make the bridge domain if need be."""
        check(self._lib.ws_router_set_bridge(self._router, index, domain, bvi, split_horizon_group))

    def set_l3(self, index: int) -> None:
        check(self._lib.ws_router_set_l3(self._router, index))

    def set_tag_rewrite(self, index: int, rewrite: TagRewrite) -> None:
        struct = self._ffi.new(
            "struct ws_tag_rewrite *", (rewrite.pop, len(rewrite.tags), rewrite.dot1ad, rewrite.tags)
        )
        check(self._lib.ws_router_set_tag_rewrite(self._router, index, struct))

    def set_domain(self, domain: BridgeDomain) -> None:
        """Make or change it; its BVI stays."""
        given = astuple(replace(domain, bvi=-1))
        check(self._lib.ws_router_bridge_domain_set(self._router, self._ffi.new("struct ws_bridge_domain *", given)))

    def delete_domain(self, ident: int) -> None:
        check(self._lib.ws_router_bridge_domain_del(self._router, ident))

    def domains(self) -> Sequence[BridgeDomain]:
        page = self._ffi.new("struct ws_bridge_domain[]", _BRIDGE_DOMAINS)
        found = check(self._lib.ws_router_bridge_domains(self._router, page, len(page)))
        return [from_struct(BridgeDomain, domain, bvi=_number(domain.bvi)) for domain in page[0:found]]

    def add_station(self, entry: L2FibEntry) -> None:
        struct = self._ffi.new("struct ws_l2fib_entry *")
        struct.domain, struct.mac = entry.domain, mac_bytes(entry.mac)
        struct.interface = -1 if entry.interface is None else entry.interface
        check(self._lib.ws_router_l2fib_add(self._router, struct))

    def delete_station(self, domain: int, mac: str) -> None:
        check(self._lib.ws_router_l2fib_del(self._router, mac_bytes(mac), domain))

    def flush(self) -> None:
        """Forget all stations that were learnt."""
        self._lib.ws_router_l2fib_flush(self._router)

    def stations(self) -> Sequence[L2FibEntry]:
        cursor = self._ffi.new("uint32_t *")
        page = self._ffi.new("struct ws_l2fib_entry[]", _STATIONS_PAGE)
        entries: list[L2FibEntry] = []
        while found := check(self._lib.ws_router_l2fib(self._router, cursor, page, len(page))):
            entries += [from_struct(L2FibEntry, entry, interface=_number(entry.interface)) for entry in page[0:found]]
        return entries


def _number(index: int) -> int | None:
    """An interface's number; None for -1."""
    return None if index < 0 else index


CORE = L2Core
