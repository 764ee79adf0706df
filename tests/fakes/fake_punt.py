"""Policers of punted packets, as the native core keeps them."""

from __future__ import annotations

from wirespeed.router.features.punt.core import PuntPolicer, PuntReason


class FakePunt:
    def __init__(self) -> None:
        self.policers: dict[tuple[int | None, PuntReason], PuntPolicer] = {}

    def set_policer(self, interface: int | None, reason: PuntReason, policer: PuntPolicer | None) -> None:
        if policer:
            self.policers[interface, reason] = policer
        else:
            self.policers.pop((interface, reason), None)

    def policer(self, interface: int | None, reason: PuntReason) -> PuntPolicer | None:
        return self.policers.get((interface, reason))
