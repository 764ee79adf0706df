"""The stand-in's part of `wirespeed.seam.tables.TablesCore`: tables and labels are kept in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.seam.tables import FLOW_HASH, FlowField, MplsRoute, Table

_FIRST_LABEL = 16


class FakeTables:
    def __init__(self) -> None:
        self.table_names: dict[tuple[int, int], str] = {(version, 0): f"ipv{version}-VRF:0" for version in (4, 6)}
        self.interface_tables: dict[tuple[int, int], int] = {}
        self.mpls_interfaces: set[int] = set()
        self.labels: dict[tuple[int, bool], MplsRoute] | None = None
        self.seed = 7
        self.flow_hashes: dict[tuple[int, int], FlowField] = {}

    def add_table(self, version: int, table: int, name: str) -> None:
        self.table_names.setdefault((version, table), name or f"ipv{version}-VRF:{table}")

    def delete_table(self, version: int, table: int) -> None:
        if table == 0 or self.table_names.pop((version, table), None) is None:
            raise UsageError(f"there is no IPv{version} table {table} to delete")

    def tables(self, version: int) -> Sequence[Table]:
        return [
            Table(family, number, name, 0, self.flow_hashes.get((family, number), FLOW_HASH[family]))
            for (family, number), name in self.table_names.items()
            if family == version
        ]

    def set_table(self, index: int, version: int, table: int) -> None:
        if (version, table) not in self.table_names:
            raise UsageError(f"there is no IPv{version} table {table}")
        self.interface_tables[index, version] = table

    def set_flow_hash_seed(self, seed: int) -> None:
        self.seed = seed

    def flow_hash_seed(self) -> int:
        return self.seed

    def set_flow_hash(self, version: int, table: int, fields: FlowField) -> None:
        if (version, table) not in self.table_names:
            raise UsageError(f"there is no IPv{version} table {table}")
        self.flow_hashes[version, table] = fields

    def add_mpls_table(self) -> None:
        self.labels = self.labels or {}

    def delete_mpls_table(self) -> None:
        self.labels = None

    def has_mpls_table(self) -> bool:
        return self.labels is not None

    def set_mpls(self, index: int, on: bool) -> None:
        self._labels()
        (self.mpls_interfaces.add if on else self.mpls_interfaces.discard)(index)

    def set_mpls_route(self, route: MplsRoute) -> None:
        if route.label < _FIRST_LABEL:
            raise UsageError(f"label {route.label} is reserved")
        self._labels()[route.label, route.bottom] = route

    def delete_mpls_route(self, label: int, bottom: bool) -> None:
        if self._labels().pop((label, bottom), None) is None:
            raise UsageError(f"there is no route of label {label}")

    def mpls_route(self, label: int, bottom: bool) -> MplsRoute | None:
        return self._labels().get((label, bottom))

    def mpls_routes(self) -> Sequence[MplsRoute]:
        return [route for _, route in sorted(self._labels().items())]

    def run_route_lines(self, text: bytes, offset: int) -> tuple[int, int]:
        """None are plain enough for it."""
        return 0, 0

    def _labels(self) -> dict[tuple[int, bool], MplsRoute]:
        if self.labels is None:
            raise UsageError("there is no MPLS table; mpls table add 0 makes it")
        return self.labels
