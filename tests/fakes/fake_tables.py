"""Route tables, in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.seam.tables import FLOW_HASH, FlowField, RouteTable


class FakeTables:
    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {(version, 0): f"ipv{version}-VRF:0" for version in (4, 6)}
        self.interfaces: dict[tuple[int, int], int] = {}
        self.seed = 7
        self.flow_hashes: dict[tuple[int, int], FlowField] = {}

    def add(self, version: int, table: int, name: str) -> None:
        self.names.setdefault((version, table), name or f"ipv{version}-VRF:{table}")

    def delete(self, version: int, table: int) -> None:
        if table == 0 or self.names.pop((version, table), None) is None:
            raise UsageError(f"there is no IPv{version} table {table} to delete")

    def of(self, version: int) -> Sequence[RouteTable]:
        return [
            RouteTable(family, number, name, 0, self.flow_hashes.get((family, number), FLOW_HASH[family]))
            for (family, number), name in self.names.items()
            if family == version
        ]

    def set_interface(self, index: int, version: int, table: int) -> None:
        if (version, table) not in self.names:
            raise UsageError(f"there is no IPv{version} table {table}")
        self.interfaces[index, version] = table

    def set_flow_hash_seed(self, seed: int) -> None:
        self.seed = seed

    def flow_hash_seed(self) -> int:
        return self.seed

    def set_flow_hash(self, version: int, table: int, fields: FlowField) -> None:
        if (version, table) not in self.names:
            raise UsageError(f"there is no IPv{version} table {table}")
        self.flow_hashes[version, table] = fields
