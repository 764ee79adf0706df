"""Labels, kept in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.router.features.mpls.core import MplsRoute

_FIRST_LABEL = 16


class FakeMpls:
    def __init__(self) -> None:
        self.interfaces: set[int] = set()
        self.labels: dict[tuple[int, bool], MplsRoute] | None = None

    def add_table(self) -> None:
        self.labels = self.labels or {}

    def delete_table(self) -> None:
        self.labels = None

    def has_table(self) -> bool:
        return self.labels is not None

    def enable(self, index: int, on: bool) -> None:
        self._labels()
        (self.interfaces.add if on else self.interfaces.discard)(index)

    def set_route(self, route: MplsRoute) -> None:
        if route.label < _FIRST_LABEL:
            raise UsageError(f"label {route.label} is reserved")
        self._labels()[route.label, route.bottom] = route

    def delete_route(self, label: int, bottom: bool) -> None:
        if self._labels().pop((label, bottom), None) is None:
            raise UsageError(f"label {label} has no route")

    def route(self, label: int, bottom: bool) -> MplsRoute | None:
        return self._labels().get((label, bottom))

    def routes(self) -> Sequence[MplsRoute]:
        return [route for _, route in sorted(self._labels().items())]

    def _labels(self) -> dict[tuple[int, bool], MplsRoute]:
        if self.labels is None:
            raise UsageError("there is no MPLS table; mpls table add 0 makes it")
        return self.labels
