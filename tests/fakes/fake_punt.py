"""Policers of punted packets, as the native core keeps them."""

from __future__ import annotations

from wirespeed.seam.punt import PuntPolicer, PuntReason


class FakePunt:
    def __init__(self) -> None:
        self.punt_policers: dict[tuple[int | None, PuntReason], PuntPolicer] = {}

    def set_punt_policer(self, interface: int | None, reason: PuntReason, policer: PuntPolicer | None) -> None:
        if policer:
            self.punt_policers[interface, reason] = policer
        else:
            self.punt_policers.pop((interface, reason), None)

    def punt_policer(self, interface: int | None, reason: PuntReason) -> PuntPolicer | None:
        return self.punt_policers.get((interface, reason))
