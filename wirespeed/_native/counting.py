"""Counters of routes and adjacencies of the native router."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed._native.addresses import read_address
from wirespeed._native.runtime import RouterPart, check
from wirespeed.seam.counting import Adjacency, Counting, Counts, RouteCounts

_PAGE = 1024
_LINKS = ("ip4", "ip6", "mpls")


class RouteCounters(RouterPart):
    def set(self, what: Counting, on: bool) -> None:
        """All begins at 0 when it is switched on."""
        for one in what:
            check(self._lib.ws_router_set_counting(self._router, one, on))

    def on(self) -> Counting:
        return Counting(self._lib.ws_router_counting(self._router))

    def of_route(self, index: int) -> RouteCounts:
        """Counts of the route with that index; UsageError while routes do not count."""
        to, via = self._ffi.new("struct ws_counts *"), self._ffi.new("struct ws_counts *")
        check(self._lib.ws_router_route_counts(self._router, index, to, via))
        return RouteCounts(_counts(to), _counts(via))

    def adjacencies(self) -> Sequence[Adjacency]:
        """In order of index."""
        page = self._ffi.new("struct ws_adjacency[]", _PAGE)
        every: list[Adjacency] = []
        after = 0
        while count := check(self._lib.ws_router_adjacencies(self._router, after, page, _PAGE)):
            every += [_adjacency(struct) for struct in page[0:count]]
            after = page[count - 1].index + 1
        return every


def _counts(struct: Any) -> Counts:
    return Counts(struct.packets, struct.bytes)


def _adjacency(struct: Any) -> Adjacency:
    return Adjacency(
        struct.index,
        struct.interface,
        _LINKS[struct.link],
        read_address(struct.next_hop),
        struct.mtu,
        bytes(struct.rewrite[0 : struct.rewrite_len]) if struct.is_resolved else None,
        _counts(struct.counts),
    )
