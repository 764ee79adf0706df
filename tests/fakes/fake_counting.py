"""Counters of routes and adjacencies, set by tests."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.seam.counting import Adjacency, Counting, RouteCounts


class FakeCounting:
    def __init__(self) -> None:
        self.counts = Counting(0)
        self.routes: dict[int, RouteCounts] = {}
        self.adjacency_table: list[Adjacency] = []

    def set(self, what: Counting, on: bool) -> None:
        self.counts = self.counts | what if on else self.counts & ~what

    def on(self) -> Counting:
        return self.counts

    def of_route(self, index: int) -> RouteCounts:
        if Counting.ROUTES not in self.counts:
            raise UsageError(f"route {index} does not count")
        return self.routes.get(index, RouteCounts())

    def adjacencies(self) -> Sequence[Adjacency]:
        return self.adjacency_table
