"""Cross-connects, bridge domains and their stations, in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.features.l2.core import BridgeDomain, L2FibEntry
from wirespeed.seam.interfaces import Mode, TagRewrite

if TYPE_CHECKING:
    from fake_router import FakeRouterCore


class FakeL2:
    def __init__(self, core: FakeRouterCore) -> None:
        self._core = core
        self.kept_domains: dict[int, BridgeDomain] = {}
        self.kept_stations: dict[tuple[int, str], L2FibEntry] = {}

    def set_xconnect(self, index: int, to: int) -> None:
        self._core.change(index, mode=Mode.XCONNECT, xconnect_to=to)

    def set_bridge(self, index: int, domain: int, bvi: bool, split_horizon_group: int) -> None:
        present = self.kept_domains.setdefault(domain, BridgeDomain(domain))
        if bvi:
            self.kept_domains[domain] = replace(present, bvi=index)
        mode = Mode.L3 if bvi else Mode.BRIDGE
        self._core.change(index, mode=mode, bridge_domain=domain, split_horizon_group=split_horizon_group)

    def set_l3(self, index: int) -> None:
        self._core.change(index, mode=Mode.L3, bridge_domain=0, split_horizon_group=0)

    def set_tag_rewrite(self, index: int, rewrite: TagRewrite) -> None:
        self._core.change(index, tag_rewrite=rewrite)

    def set_domain(self, domain: BridgeDomain) -> None:
        present = self.kept_domains.get(domain.id)
        self.kept_domains[domain.id] = replace(domain, bvi=present.bvi if present else None)

    def delete_domain(self, ident: int) -> None:
        if self.kept_domains.pop(ident, None) is None:
            raise UsageError(f"there is no bridge domain {ident}")

    def domains(self) -> Sequence[BridgeDomain]:
        return list(self.kept_domains.values())

    def add_station(self, entry: L2FibEntry) -> None:
        self.kept_stations[entry.domain, entry.mac] = entry

    def delete_station(self, domain: int, mac: str) -> None:
        if self.kept_stations.pop((domain, mac), None) is None:
            raise UsageError(f"bridge domain {domain} has no such address")

    def flush(self) -> None:
        self.kept_stations = {key: entry for key, entry in self.kept_stations.items() if entry.is_static}

    def stations(self) -> Sequence[L2FibEntry]:
        return list(self.kept_stations.values())
