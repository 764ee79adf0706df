"""MPLS of the native router."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

from wirespeed._native.paths import fill_paths, read_paths
from wirespeed._native.runtime import RouterPart, check
from wirespeed.router.features.mpls.core import MplsRoute

_LABELS_PAGE = 256


class MplsCore(RouterPart):
    def add_table(self) -> None:
        check(self._lib.ws_router_mpls_table_add(self._router))

    def delete_table(self) -> None:
        check(self._lib.ws_router_mpls_table_del(self._router))

    def has_table(self) -> bool:
        return bool(self._lib.ws_router_has_mpls_table(self._router))

    def enable(self, index: int, on: bool) -> None:
        check(self._lib.ws_router_set_mpls(self._router, index, on))

    def set_route(self, route: MplsRoute) -> None:
        struct = self._ffi.new("struct ws_mpls_route *")
        struct.label, struct.bottom, struct.payload = route.label, route.bottom, route.payload
        fill_paths(self._ffi, struct, route.paths, f"label {route.label}")
        check(self._lib.ws_router_mpls_route_set(self._router, struct))

    def delete_route(self, label: int, bottom: bool) -> None:
        check(self._lib.ws_router_mpls_route_del(self._router, label, bottom))

    def route(self, label: int, bottom: bool) -> MplsRoute | None:
        struct = self._ffi.new("struct ws_mpls_route *")
        result = self._lib.ws_router_mpls_route_get(self._router, label, bottom, struct)
        if result == -errno.ENOENT:
            return None
        check(result)
        return self._read(struct)

    def routes(self) -> Sequence[MplsRoute]:
        """In order of label; UsageError when there is no table."""
        page = self._ffi.new("struct ws_mpls_route[]", _LABELS_PAGE)
        routes: list[MplsRoute] = []
        label = 0
        while count := check(self._lib.ws_router_mpls_routes(self._router, label, page, _LABELS_PAGE)):
            read = [self._read(struct) for struct in page[0:count]]
            # A label has up to two routes, which a page may part: those of the last one are read again.
            last = read[-1].label
            if count < _LABELS_PAGE:
                return routes + read
            routes += [route for route in read if route.label != last]
            label = last
        return routes

    def _read(self, struct: Any) -> MplsRoute:
        static = struct.source == self._lib.WS_SOURCE_STATIC
        paths = read_paths(struct.paths, struct.path_count)
        return MplsRoute(struct.label, struct.bottom, struct.payload, paths, static, struct.index)


CORE = MplsCore
