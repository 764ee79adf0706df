"""Values of MPLS."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirespeed.seam.routes import Path


@dataclass(frozen=True)
class MplsRoute:
    """Route of a label; `payload` is the IP version below a label at the bottom of the stack, otherwise 0."""

    label: int
    bottom: bool
    payload: int
    paths: tuple[Path, ...]
    is_static: bool = True
    index: int = field(default=0, compare=False)
    """Index of its counters."""
