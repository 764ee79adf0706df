"""The native router's part of `wirespeed.seam.tables.TablesCore`."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

from wirespeed._native.paths import fill_paths, read_paths
from wirespeed._native.runtime import check
from wirespeed.seam.tables import FlowField, MplsRoute, Table

_MOST_TABLES = 256
_LABELS_PAGE = 256


class NativeTables:
    """Mixed into the router, whose handle and library it uses."""

    _ffi: Any
    _lib: Any
    _router: Any

    def add_table(self, version: int, table: int, name: str) -> None:
        check(self._lib.ws_router_table_add(self._router, version, table, name.encode()))

    def delete_table(self, version: int, table: int) -> None:
        check(self._lib.ws_router_table_del(self._router, version, table))

    def tables(self, version: int) -> Sequence[Table]:
        structs = self._ffi.new("struct ws_table[]", _MOST_TABLES)
        found = check(self._lib.ws_router_tables(self._router, version, structs, _MOST_TABLES))
        return [
            Table(
                struct.family,
                struct.id,
                self._ffi.string(struct.name).decode(),
                struct.route_count,
                FlowField(struct.flow_hash),
            )
            for struct in structs[0:found]
        ]

    def set_table(self, index: int, version: int, table: int) -> None:
        check(self._lib.ws_router_set_table(self._router, index, version, table))

    def set_flow_hash_seed(self, seed: int) -> None:
        self._lib.ws_router_set_flow_hash_seed(self._router, seed)

    def flow_hash_seed(self) -> int:
        return int(self._lib.ws_router_flow_hash_seed(self._router))

    def set_flow_hash(self, version: int, table: int, fields: FlowField) -> None:
        check(self._lib.ws_router_set_flow_hash(self._router, version, table, fields))

    def add_mpls_table(self) -> None:
        check(self._lib.ws_router_mpls_table_add(self._router))

    def delete_mpls_table(self) -> None:
        check(self._lib.ws_router_mpls_table_del(self._router))

    def has_mpls_table(self) -> bool:
        return bool(self._lib.ws_router_has_mpls_table(self._router))

    def set_mpls(self, index: int, on: bool) -> None:
        check(self._lib.ws_router_set_mpls(self._router, index, on))

    def set_mpls_route(self, route: MplsRoute) -> None:
        struct = self._ffi.new("struct ws_mpls_route *")
        struct.label, struct.bottom, struct.payload = route.label, route.bottom, route.payload
        fill_paths(self._ffi, struct, route.paths, f"label {route.label}")
        check(self._lib.ws_router_mpls_route_set(self._router, struct))

    def delete_mpls_route(self, label: int, bottom: bool) -> None:
        check(self._lib.ws_router_mpls_route_del(self._router, label, bottom))

    def mpls_route(self, label: int, bottom: bool) -> MplsRoute | None:
        struct = self._ffi.new("struct ws_mpls_route *")
        result = self._lib.ws_router_mpls_route_get(self._router, label, bottom, struct)
        if result == -errno.ENOENT:
            return None
        check(result)
        return self._mpls_route(struct)

    def mpls_routes(self) -> Sequence[MplsRoute]:
        page = self._ffi.new("struct ws_mpls_route[]", _LABELS_PAGE)
        routes: list[MplsRoute] = []
        label = 0
        while found := check(self._lib.ws_router_mpls_routes(self._router, label, page, _LABELS_PAGE)):
            read = [self._mpls_route(struct) for struct in page[0:found]]
            # A label has up to two routes, which a page may part: those of the last one are read again.
            last = read[-1].label
            if found < _LABELS_PAGE:
                return routes + read
            routes += [route for route in read if route.label != last]
            label = last
        return routes

    def run_route_lines(self, text: bytes, offset: int) -> tuple[int, int]:
        lines = self._ffi.new("uint64_t *")
        start = self._ffi.from_buffer(text) + offset
        done = check(self._lib.ws_router_routes_text(self._router, start, len(text) - offset, lines))
        return done, lines[0]

    def _mpls_route(self, struct: Any) -> MplsRoute:
        static = struct.source == self._lib.WS_SOURCE_STATIC
        paths = read_paths(struct.paths, struct.path_count)
        return MplsRoute(struct.label, struct.bottom, struct.payload, paths, static, struct.index)
