"""Filter for the traced packets that are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class TraceFilter:
    """A filter of `show trace`: packets that passed `node`, or those that did not, at most `count`."""

    includes: bool
    node: str
    count: int

    def lets(self, nodes: Iterable[str]) -> bool:
        return (self.node in nodes) == self.includes
