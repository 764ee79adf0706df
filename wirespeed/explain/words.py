"""Figures that only explanations say."""

from __future__ import annotations


def share_text(ratio: float) -> str:
    """0 to 1 as percent: `33.7 %`."""
    return f"{100 * ratio:.3g} %"
