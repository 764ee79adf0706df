"""Tables of routes of the native router."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed._native.runtime import RouterPart, check
from wirespeed.seam.tables import FlowField, RouteTable

_MOST_TABLES = 256


class Tables(RouterPart):
    def add(self, version: int, table: int, name: str) -> None:
        check(self._lib.ws_router_table_add(self._router, version, table, name.encode()))

    def delete(self, version: int, table: int) -> None:
        check(self._lib.ws_router_table_del(self._router, version, table))

    def of(self, version: int) -> Sequence[RouteTable]:
        structs = self._ffi.new("struct ws_table[]", _MOST_TABLES)
        count = check(self._lib.ws_router_tables(self._router, version, structs, _MOST_TABLES))
        return [
            RouteTable(
                struct.family,
                struct.id,
                self._ffi.string(struct.name).decode(),
                struct.route_count,
                FlowField(struct.flow_hash),
            )
            for struct in structs[0:count]
        ]

    def set_interface(self, index: int, version: int, table: int) -> None:
        """Look packets of an interface up in this table."""
        check(self._lib.ws_router_set_table(self._router, index, version, table))

    def set_flow_hash_seed(self, seed: int) -> None:
        """The number of 32 bits that is part of the choice among paths; flows move when it changes."""
        self._lib.ws_router_set_flow_hash_seed(self._router, seed)

    def flow_hash_seed(self) -> int:
        return int(self._lib.ws_router_flow_hash_seed(self._router))

    def set_flow_hash(self, version: int, table: int, fields: FlowField) -> None:
        """The fields that choose among paths, of packets that come in by interfaces of the table."""
        check(self._lib.ws_router_set_flow_hash(self._router, version, table, fields))
