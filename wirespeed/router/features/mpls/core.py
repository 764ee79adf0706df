"""Values of MPLS."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirespeed.seam.routes import Path


@dataclass(frozen=True)
class MplsRoute:
    """What becomes of packets with a label; `payload` is the IP version behind one that ends the stack, else 0."""

    label: int
    bottom: bool
    payload: int
    paths: tuple[Path, ...]
    is_static: bool = True
    index: int = field(default=0, compare=False)
    """What it is counted by."""
