"""The stand-in's part of `wirespeed.seam.counting.CountingCore`."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.seam.counting import Adjacency, Counting, RouteCounts


class FakeCounting:
    def __init__(self) -> None:
        self.counts = Counting(0)
        self.counted_routes: dict[int, RouteCounts] = {}
        self.adjacency_table: list[Adjacency] = []

    def set_counting(self, what: Counting, on: bool) -> None:
        self.counts = self.counts | what if on else self.counts & ~what

    def counting(self) -> Counting:
        return self.counts

    def route_counts(self, index: int) -> RouteCounts:
        if Counting.ROUTES not in self.counts:
            raise UsageError(f"route {index} does not count")
        return self.counted_routes.get(index, RouteCounts())

    def adjacencies(self) -> Sequence[Adjacency]:
        return self.adjacency_table
