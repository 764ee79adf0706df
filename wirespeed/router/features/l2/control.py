"""Words kept about bridge domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.router.features.control import Control

if TYPE_CHECKING:
    from wirespeed.router.console import Console


class BridgeTags(Control):
    def __init__(self, console: Console) -> None:
        self.tags: dict[int, str] = {}
        """By the number of the domain."""


CONTROL = BridgeTags
